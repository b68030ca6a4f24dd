"""From bytes to judgments, runs, features and back: one file a format; ``places.py`` chooses the reader."""

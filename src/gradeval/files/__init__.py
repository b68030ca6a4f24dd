"""From bytes to judgments, runs, features and back: one file a format; ``readers.py`` chooses the reader."""

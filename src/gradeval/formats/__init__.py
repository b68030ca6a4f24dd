"""Input formats: readers and writers of judgments, runs, features and scores; ``places.py`` chooses among them."""

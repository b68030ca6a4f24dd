"""Judgments and runs, and their meeting: rankings reduced to the documents of the pool."""

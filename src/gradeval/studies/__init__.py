"""Studies of runs, measures, users and collections: one question each."""

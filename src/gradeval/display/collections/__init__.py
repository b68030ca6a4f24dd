"""Pictures of judgments and of the files of runs."""

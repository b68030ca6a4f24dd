"""Features of learning to rank: rows of numbers by query, their folds and their scales."""

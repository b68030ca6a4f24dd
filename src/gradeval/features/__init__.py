"""Rows of features for learning to rank: folds over them, scales for them."""

"""Text files: TREC, LETOR, values of measures."""

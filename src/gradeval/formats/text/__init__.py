"""Text files: TREC, LETOR, delimited columns, JSON, clicks, values of measures."""

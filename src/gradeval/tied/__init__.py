"""Expected values of measures over all orders of documents that share their score."""

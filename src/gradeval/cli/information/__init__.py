"""What ``inform`` writes and seeks beside its table: curves of single rankings, and the best users of GAP."""

"""Learning to rank for any graded measure."""

"""A measure explained: its steps on a small list, and the random experiment that defines it."""

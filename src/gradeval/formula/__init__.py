"""Judged rankings, and how measures of them are declared, configured and spelled: NumPy only."""

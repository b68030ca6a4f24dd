"""What a measure sees, and how one is declared: NumPy only."""

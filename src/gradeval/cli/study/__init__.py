"""Commands that study measures."""

"""Commands that score runs or explain measures."""

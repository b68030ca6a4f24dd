"""The shell of all pages, and the report; pages show what `studies/overview.py` computes."""

"""The shell of all pages, and the report; pages show what `studies/report_results.py` computes."""

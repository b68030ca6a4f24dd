"""Results as tables, and tables as text, csv, LaTeX, HTML, Arrow; knows no measure and no run."""

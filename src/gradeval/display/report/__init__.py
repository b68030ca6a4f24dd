"""The report: one page about an evaluation."""

"""Measures of measures: which differences are real, which measures agree, what a value tells."""

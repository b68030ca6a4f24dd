"""Measures of measures: how far a measure, a collection and a comparison can be trusted."""

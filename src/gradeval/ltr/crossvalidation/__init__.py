"""Cross-validation of rankers that are trained for several objectives."""

"""Commands that study runs and measures, on real or simulated data."""

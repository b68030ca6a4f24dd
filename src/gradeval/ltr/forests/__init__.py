"""Boosted trees: how LightGBM grows them, and their text, checked."""

"""The rankers: linear, neural, trees."""

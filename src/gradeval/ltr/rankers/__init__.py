"""The rankers (linear, neural, trees) and how they are trained."""

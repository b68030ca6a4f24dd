"""Commands about the clicks of users: draw them, and estimate thresholds from them."""

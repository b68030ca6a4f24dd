"""What the commands say of the certainty of an order of runs."""

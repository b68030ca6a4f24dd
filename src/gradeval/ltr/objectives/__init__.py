"""What a ranker is trained for: losses and their gradients, for any measure."""

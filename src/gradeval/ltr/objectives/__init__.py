"""Training objectives: losses and their gradients, for any measure."""

"""Training data: which queries can be learnt from, their kernels, and validation."""

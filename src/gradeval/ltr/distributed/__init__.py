"""Training on several workers of Dask: parts of a table, the workers' meeting, and the training on each."""

"""Few human grades carried further by many of a model: means and differences of runs with their intervals."""

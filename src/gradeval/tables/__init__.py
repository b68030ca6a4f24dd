"""A result as a table, and a table as anything; knows no measure and no run."""

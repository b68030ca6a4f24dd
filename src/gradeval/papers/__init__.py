"""Tables and figures of papers, for one's own files: users and virtual users, swaps, inferred curves."""

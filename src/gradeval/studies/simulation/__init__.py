"""What would happen if? Collections, swaps and users, drawn at random."""

"""How sure is an order of runs: intervals of ranks, equivalence of runs, and how many topics it takes."""

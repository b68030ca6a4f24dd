"""A measure as a sum over pairs of documents, or a cascade; how a swap changes it."""

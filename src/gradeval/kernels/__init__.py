"""Kernels: a measure as a sum over pairs of documents or as a cascade, and how a swap of documents changes it."""

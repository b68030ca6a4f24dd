"""A page of charts in one file, which opens in any browser and needs no network."""

"""Features as what is trained on: queries, rows for engines, validation."""

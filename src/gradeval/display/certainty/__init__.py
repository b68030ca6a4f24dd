"""Pictures of how sure an order of runs or of measures is."""

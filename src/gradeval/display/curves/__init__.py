"""Pictures of precision-recall curves, actual and inferred, and of the users behind them."""

"""Commands that train, apply and cross-validate rankers."""

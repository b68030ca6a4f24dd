"""Pictures of curves: precision by recall, actual and inferred, learning curves; and users read off clicks."""

"""Pictures of results: one file a type of result, found by ``plot()``; they show, and never compute."""

"""Drop-ins for other tools: they translate, and never compute."""

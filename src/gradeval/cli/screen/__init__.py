"""Notes, progress and interruption: what the user sees on the terminal beside the result."""

"""What is given (judgments, runs), and its meeting."""

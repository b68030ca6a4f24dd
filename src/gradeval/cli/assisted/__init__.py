"""What ``evaluate`` and ``compare`` do with few human and many model grades."""

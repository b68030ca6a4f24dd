"""Results as pictures and pages: shows, never computes."""

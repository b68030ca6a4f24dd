"""What makes the site and the generated pages."""

"""The shell of all pages, and the report; pages show, and never compute."""

"""The version, read off here by the build too."""

__version__ = "0.1.0"

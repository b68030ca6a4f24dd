"""The tables and figures of each text, as data: a file a text."""

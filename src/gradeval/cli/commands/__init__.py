"""The commands written by hand: a file each, imported when the command runs."""

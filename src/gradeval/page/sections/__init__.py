"""The sections of a report, a file each."""

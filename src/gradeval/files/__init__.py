"""Bytes in, whole files and folders out."""

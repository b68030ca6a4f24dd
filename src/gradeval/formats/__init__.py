"""Readers and writers of judgments, runs, features and scores, and which is for which place."""

"""Readers and writers: TREC files, tables that speak Arrow, Parquet, data sets of ir_datasets."""

from gradeval.formats.frame import from_frame
from gradeval.formats.trec import read_qrels, read_run, read_runs, write_qrels, write_run

__all__ = ["from_frame", "read_qrels", "read_run", "read_runs", "write_qrels", "write_run"]

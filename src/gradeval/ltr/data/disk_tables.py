"""Tables on disk that are mapped into memory: batches of training data that need not fit into it."""

from __future__ import annotations

import os
import tempfile

import numpy as np

from gradeval._core import InputError
from gradeval.features.cache import folder_of
from gradeval.formula.arithmetic import Array


class DiskTables:
    """Room for so many rows of a mapped table in a file in its folder. The file has no name, and ends with the
    process."""

    def __init__(self, mapped: Array, rows: int) -> None:
        folder = folder_of(mapped)
        shape = (rows, mapped.shape[1])
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                size = rows * mapped.shape[1] * 4
                if hasattr(os, "posix_fallocate"):  # room now, where the system can give it, not a fault later
                    os.posix_fallocate(file.fileno(), 0, size)
                os.ftruncate(file.fileno(), size)
                self.table = np.memmap(file, np.float32, mode="r+", shape=shape)
        except OSError as error:
            raise InputError(
                f"{folder}: training keeps its batches beside the cache, but cannot write there ({error.strerror}); it "
                "needs as much room as the cache"
            ) from error
        self.rows = 0

    def keep(self, table: Array) -> Array:
        """The same table, mapped from the file."""
        begin = self.rows
        self.rows += len(table)
        kept: Array = self.table[begin : self.rows]
        kept[:] = table
        return kept

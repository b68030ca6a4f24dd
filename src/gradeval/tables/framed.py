"""What can be turned into a frame: of pyarrow, pandas and Polars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from gradeval._core import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Framed(ABC):
    """Something with exact values, one record a row."""

    __slots__ = ()

    @abstractmethod
    def to_frame(self) -> pyarrow.Table:
        """The exact values as an Arrow table, one record a row; ``polars.from_arrow`` takes it."""

    def to_pandas(self) -> pandas.DataFrame:
        """The exact values as a data frame of pandas, one record a row."""
        frame = self.to_frame()
        try:
            return frame.to_pandas()
        except ImportError:
            raise InputError("to_pandas() needs the package pandas: pip install pandas") from None

    def to_polars(self) -> polars.DataFrame:
        """The exact values as a data frame of Polars, one record a row."""
        frame = self.to_frame()
        try:
            import polars
        except ImportError:
            raise InputError("to_polars() needs the package polars: pip install polars") from None
        table = polars.from_arrow(frame)
        assert isinstance(table, polars.DataFrame)  # only a single column would be a Series
        return table

from __future__ import annotations

import io

import numpy as np
import pytest

from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Table


def table(names: list[str]) -> Table:
    """Names and a number each: 0, 1/7, 2/7 ..."""
    values = [place / 7 for place in range(len(names))]
    grid = Grid([Column("run", "name"), Column("AP", spec=".4f")], list(zip(names, values, strict=True)))
    return Table([grid], Records({"run": Coded(names, np.arange(len(names))), "value": np.array(values)}))


def test_records_become_an_arrow_table() -> None:
    pytest.importorskip("pyarrow")
    frame = table(["a", "b"]).to_frame()
    assert frame.to_pydict() == {"run": ["a", "b"], "value": [0.0, 1 / 7]}


def test_parquet_writes_out_what_is_no_utf8() -> None:
    """As the name of a file may be, of which Python makes halves of characters."""
    pyarrow = pytest.importorskip("pyarrow.parquet")
    names = [b"r\xff.txt".decode(errors="surrogateescape"), "\ud800", "żółw"]
    records = Records({"coded": Coded(names, np.arange(3)), "list": list(names), "tuple": tuple(names)})
    file = io.BytesIO()
    Table([], records).write(file, "parquet")
    read = pyarrow.read_table(io.BytesIO(file.getvalue())).to_pydict()
    assert read == {key: ["r\\udcff.txt", "\\ud800", "żółw"] for key in ["coded", "list", "tuple"]}

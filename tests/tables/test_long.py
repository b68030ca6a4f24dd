from __future__ import annotations

import csv
import io
import json

import numpy as np
from awkward_tables import AWKWARD, HOSTILE, table, written

from gradeval.tables.records import Records
from gradeval.tables.table import Table


def test_csv_quotes_names_so_that_readers_get_them_back() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", table(AWKWARD)), newline="")))
    escaped = [name.replace("\t", "\\t") for name in AWKWARD]
    assert [row["run"] for row in rows] == escaped
    assert [float(row["value"]) for row in rows] == [place / 7 for place in range(len(AWKWARD))]


def test_jsonl_gives_names_and_numbers_back() -> None:
    rows = [json.loads(line) for line in written("jsonl", table([*AWKWARD, *HOSTILE[:-1]])).split("\n")[:-1]]
    assert [row["run"] for row in rows] == [*AWKWARD, *HOSTILE[:-1]]
    assert [row["value"] for row in rows] == [place / 7 for place in range(len(rows))]


def test_tsv_has_one_line_a_record_whatever_the_names() -> None:
    text = written("tsv", table(AWKWARD))
    assert {line.count("\t") for line in text.splitlines()} == {1}
    assert len(text.split("\n")) == 1 + len(AWKWARD) + 1
    assert "tab\\there\t" in text


def test_exact_values_that_are_none_or_infinite() -> None:
    records = Records.of(["p", "who", "sure"], [(0.1 + 0.2, None, True), (float("inf"), "x", False)])
    assert written("tsv", Table([], records)) == "p\twho\tsure\n0.30000000000000004\t\tTrue\ninf\tx\tFalse\n"
    assert written("csv", Table([], records)) == "p,who,sure\n0.30000000000000004,,True\ninf,x,False\n"
    assert written("jsonl", Table([], records)) == (
        '{"p": 0.30000000000000004, "who": null, "sure": true}\n{"p": null, "who": "x", "sure": false}\n'
    )


def test_numbers_of_numpy_are_written_as_such_of_python() -> None:
    records = Records.of(["p"], [(np.float64(0.25),)])
    assert written("tsv", Table([], records)) == "p\n0.25\n"
    assert written("csv", Table([], records)) == "p\n0.25\n"


def test_long_records_are_written_in_one_piece() -> None:
    rows = 100_000  # more than are joined at a time
    records = Records({"n": np.arange(rows), "x": np.arange(rows) / 3})
    lines = written("tsv", Table([], records)).splitlines()
    assert lines[1:] == [f"{n}\t{n / 3!r}" for n in range(rows)]


def test_line_breaks_stay_in_csv_and_move_no_cursor_without_one() -> None:
    names = ["two\nlines", "of\r\nWindows", "an\x1b[3m escape\nbelow", "back\rhere"]
    rows = list(csv.DictReader(io.StringIO(written("csv", table(names)), newline="")))
    assert [row["run"] for row in rows] == [*names[:2], "an\\x1b[3m escape\nbelow", "back\\rhere"]

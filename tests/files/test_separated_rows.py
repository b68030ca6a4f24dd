"""Rows of csv, tsv and plain columns: what a quote means, where rows begin, and that nothing is a comment."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusing import said_of

from gradeval.files.separated_rows import Row, read_rows


def rows(text: str, delimiter: str = ",") -> list[Row]:
    return read_rows(text, delimiter, "f", list)


CELLS = st.text("ab\"#, ;\t'0", min_size=1).filter(lambda cell: cell == cell.strip())
"""Whole of signs that mean something somewhere; cells end where blanks do not."""


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
@pytest.mark.parametrize("delimiter", [",", ";"])
@given(table=st.lists(st.tuples(CELLS, CELLS), min_size=1))
def test_what_a_writer_of_csv_wrote_is_read_back(quoting: int, delimiter: str, table: list[tuple[str, str]]) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting).writerows(table)
    assert rows(text.getvalue(), delimiter) == [(place, list(row)) for place, row in enumerate(table, 1)]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("cell", ['"Heroes"_(album)', '"Low" and "Heroes"', '"a""b" c'])
def test_text_behind_a_closing_quote_shows_that_all_quotes_are_letters(delimiter: str, end: str, cell: str) -> None:
    table = [["q1", "d1"], ['"Low"', "#d2"], ["q3", cell], ['"open', "d"]]
    text = end.join(delimiter.join(row) for row in table) + end
    assert rows(text, delimiter) == list(enumerate(table, 1))


@pytest.mark.parametrize("cell", ['"Low', '"Low and "Heroes', '"', '""" x'])
@pytest.mark.parametrize("last", [True, False])
def test_a_quote_that_is_not_closed_in_its_cell_is_a_letter_in_tsv_and_refused_in_csv(cell: str, last: bool) -> None:
    table = [["q1", "d1"], ["q2", cell], *([] if last else [["q3", "d"], ["q4", "d"]])]
    assert rows("\n".join(map("\t".join, table)), "\t") == list(enumerate(table, 1))
    if '"' not in cell[1:].replace('""', ""):
        assert said_of(lambda: rows("\n".join(map(",".join, table)))).startswith("f:2: a quote opens a cell here")


def test_a_quote_that_a_later_row_closes_swallows_no_row() -> None:
    table = [["query", "doc", "grade"], ["q1", '"d1', "1"], ["q2", 'd2"', "1"]]
    assert rows("\n".join(map("\t".join, table)), "\t") == list(enumerate(table, 1))
    assert said_of(lambda: rows("\n".join(map(",".join, table)))).startswith("f:2: a quote opens a cell here")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_row_stands_where_its_first_line_does(end: str) -> None:
    text = end.join(["a,b,c", "", '1,"x', "", 'y, z",2', '3,"#4" ,5', " ", '6,"7""', '",8', "9,10,11"])
    inside = [f"x{end}{end}y, z", f'7"{end}']
    assert [(line, [cell.rstrip(" ") for cell in row]) for line, row in rows(text)] == [
        (1, ["a", "b", "c"]),
        (3, ["1", inside[0], "2"]),
        (6, ["3", "#4", "5"]),
        (8, ["6", inside[1], "8"]),
        (10, ["9", "10", "11"]),
    ]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "::", " "])
def test_no_row_is_a_comment_and_only_line_ends_end_it(delimiter: str) -> None:
    table = [["#vaccine", "d\u2028\x0b1"], ["q\u00a0\u3000", "#d"], ["#", "#"]]
    text = "\n".join(delimiter.join(row) for row in table)
    assert rows(text, delimiter.strip(" ")) == list(enumerate(table, 1))


def test_a_cell_may_be_as_long_as_a_document() -> None:
    long = "x" * 200_000  # Python's csv reads 128 KB
    for cell in (long, f'"{long}"', f'"{long}" '):
        assert [row[1].strip() for _, row in rows(f"a,b\n1,{cell}\n")] == ["b", long]
    assert said_of(lambda: rows(f'a,b\n1,"{long}\n' + f"2,{long}\n" * 2)).startswith("f:2: a quote opens a cell here")

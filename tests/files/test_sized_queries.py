"""Tables of features with the sizes of their queries in a file next to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from refusing import said_of

from gradeval.features.features import Features
from gradeval.files.letor import read_letor
from gradeval.files.readers import read_features
from gradeval.warning_categories import UnusedFilesWarning

ROWS = [(2, 0.5, 3.0), (0, -1.0, 4.5), (1, 2.0, 0.0), (0, 0.25, 1.0), (3, 1.0, 1e-3)]
SIZES = "2\n3\n"


def written(folder: Path, name: str, mark: str, *, head: str = "", ending: str = ".query", sizes: str = SIZES) -> Path:
    place = folder / name
    lines = [mark.join(map(str, row)) for row in ROWS]
    place.write_text("\n".join([*([head.replace(",", mark)] if head else []), *lines]) + "\n")
    (folder / (name + ending)).write_text(sizes)
    return place


@pytest.fixture
def of_letor(tmp_path: Path) -> Features:
    """The same rows as LETOR text, which other code reads."""
    place = tmp_path / "x.txt"
    place.write_text("".join(f"{grade} 1:{one} 2:{two}\n" for grade, one, two in ROWS))
    (tmp_path / "x.txt.query").write_text(SIZES)
    return read_letor(place)


@pytest.mark.parametrize("ending", [".query", ".group"])
@pytest.mark.parametrize(("name", "mark"), [("x.tsv", "\t"), ("x.csv", ",")])
def test_a_table_without_names_is_read_as_letor_text_is(
    name: str, mark: str, ending: str, tmp_path: Path, of_letor: Features
) -> None:
    read = read_features(written(tmp_path, name, mark, ending=ending))
    np.testing.assert_array_equal(read.X, of_letor.X)
    assert read.grades.tolist() == of_letor.grades.tolist() == [row[0] for row in ROWS]
    assert (read.columns, read.topics, read.offsets.tolist()) == (("1", "2"), ["1", "2"], [0, 2, 5])
    assert (read.numbered, read.docs) == (of_letor.numbered, of_letor.docs)


@pytest.mark.parametrize("ending", [".query", ".group"])
def test_a_table_with_names_has_its_queries_by_their_sizes(ending: str, tmp_path: Path, of_letor: Features) -> None:
    read = read_features(written(tmp_path, "x.tsv", "\t", head="label,bm25,length", ending=ending))
    np.testing.assert_array_equal(read.X, of_letor.X)
    assert (read.columns, read.topics, read.offsets.tolist()) == (("bm25", "length"), ["1", "2"], [0, 2, 5])
    assert read.numbered


def test_a_column_of_queries_counts_and_the_sizes_are_said_to_be_unused(tmp_path: Path) -> None:
    place = written(tmp_path, "x.csv", ",")
    place.write_text("label,qid,bm25\n" + "".join(f"1,q{row},{row}\n" for row in range(5)))
    with pytest.warns(UnusedFilesWarning, match=r"x\.csv\.query is not used: column 'qid' has the queries"):
        read = read_features(place)
    assert (read.columns, read.numbered, len(read.topics)) == (("bm25",), False, 5)


@pytest.mark.parametrize("head", ["", "label,bm25,length"])
def test_sizes_that_do_not_add_up_are_refused(head: str, tmp_path: Path) -> None:
    place = written(tmp_path, "x.csv", ",", head=head, sizes="2\n2\n")
    said = said_of(lambda: read_features(place))
    assert f"{place}.query: the sizes of the queries add up to 4, and {place} has 5 rows; give" in said


def test_words_and_missing_grades_without_a_line_of_names_are_refused(tmp_path: Path) -> None:
    place = written(tmp_path, "x.csv", ",")
    place.write_text("1,2\n0,red\n0,1\n0,1\n0,2\n")
    assert f"{place}: column 2 holds 'red'; without a line of names all cells are numbers" in said_of(
        lambda: read_features(place)
    )
    place.write_text("1,2\n,3\n0,1\n0,1\n0,2\n")
    assert f"{place}: the grade of row 2 is missing; fill it" in said_of(lambda: read_features(place))


def test_without_sizes_the_error_says_how_such_a_table_is_read(tmp_path: Path) -> None:
    place = written(tmp_path, "x.csv", ",")
    (tmp_path / "x.csv.query").unlink()
    assert "where grades come first, FILE.query with the sizes of the queries does, too" in said_of(
        lambda: read_features(place)
    )

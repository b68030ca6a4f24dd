"""Lists, tuples and sets in cells are read as Python writes them, and nothing in them is evaluated."""

from __future__ import annotations

import csv
from ast import literal_eval
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import read_qrels, read_run
from gradeval.files.written_lists import inside_of_list

WRITTEN = ["{'d 1', 'd2'}", "{\"d'1\", 'd:2'}", "('d 1', 'd2')", "('d1',)", "[1, 2]", "(1, 2)", "{7}", "{'a'}"]


def write(path: Path, name: str, cells: list[str]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "question", name])
        writer.writerows([f"q{at}", "x y", cell] for at, cell in enumerate(cells))
    return path


def test_collections_of_python_are_judgments(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.csv", "gold_chunk_ids", WRITTEN)
    wanted = {f"q{at}": {str(one) for one in literal_eval(cell)} for at, cell in enumerate(WRITTEN)}
    assert {topic: set(ids) for topic, ids in read_qrels(gold).to_dict().items()} == wanted


@pytest.mark.parametrize("cell", ["frozenset({'d1', 'd2'})", "set({'d1', 'd2'})"])
def test_frozen_sets_are_judgments_and_empty_ones_hold_nothing(tmp_path: Path, cell: str) -> None:
    gold = write(tmp_path / "gold.csv", "gold_chunk_ids", [cell, "set()", "frozenset()", "()"])
    assert read_qrels(gold).to_dict()["q0"] == {"d1": 1, "d2": 1}
    assert not any(ids for topic, ids in read_qrels(gold).to_dict().items() if topic != "q0")


def test_a_tuple_is_a_ranking_and_a_set_is_none(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "run.csv", "retrieved_ids", ["('b', 'a')"])).to_dict()["q0"]
    assert run["b"] > run["a"]
    said = said_of(lambda: read_run(write(tmp_path / "run.csv", "retrieved_ids", ["['b', 'a']", "{'b', 'a'}"])))
    assert "run.csv:3: a set has no order, and a run needs ranks; write lists, as ['d1', 'd2']" in said


@pytest.mark.parametrize("cell", ["{'d1', __import__('os')}", "{'a\\'b', 'c'}", "{('a', 1)}", "{np.str_('a')}"])
def test_what_is_no_id_in_a_set_is_refused(tmp_path: Path, cell: str) -> None:
    assert "is no id of a list" in said_of(lambda: read_qrels(write(tmp_path / "gold.csv", "gold_ids", [cell])))


@pytest.mark.parametrize(
    "cell", ["(a) policy (b)", "(see policy)", '{"a": 1}', '{"a":1}', "{'a': 1}", "{a: 1}", "policy (v1, v2)", "(v2)"]
)
def test_other_text_is_no_list(cell: str) -> None:
    assert inside_of_list(cell) is None


@pytest.mark.parametrize("signs", ["[]", "{}"])
def test_commas_are_stronger_than_blanks_in_the_whole_column(tmp_path: Path, signs: str) -> None:
    """Ids with blanks were cut: "a b" gave a and b."""
    ids = [["a b", "c d"], ["e f"], ["g", "h i j"], ["k"]]
    cells = [f"{signs[0]}{(', ' if at else ',').join(one)}{signs[1]}" for at, one in enumerate(ids)]
    gold = read_qrels(write(tmp_path / "gold.csv", "gold_ids", cells)).to_dict()
    assert [set(gold[f"q{at}"]) for at in range(len(ids))] == [set(one) for one in ids]


def test_blanks_separate_where_no_list_has_a_comma_without_quotes(tmp_path: Path) -> None:
    cells = ["[1 2\n 3]", "['a b', 'c']", "['d' 'e']"]
    gold = read_qrels(write(tmp_path / "gold.csv", "gold_ids", cells)).to_dict()
    assert [set(gold[topic]) for topic in ("q0", "q1", "q2")] == [{"1", "2", "3"}, {"a b", "c"}, {"d", "e"}]


@pytest.mark.parametrize("cell", ["['a', b c]", "[b c, 'a']", "['a', 'b' 'c']"])
def test_a_list_with_commas_and_blanks_between_ids_is_refused(tmp_path: Path, cell: str) -> None:
    """Bare words were read as an id each: b c may be one, and Python joins 'b' 'c'."""
    said = said_of(lambda: read_run(write(tmp_path / "run.csv", "retrieved_ids", ["['a', b]", cell])))
    assert "run.csv:3: '" in said
    assert said.endswith("write commas and quotes around each id, as ['d1', 'd2']")

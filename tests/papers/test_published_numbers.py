"""Printed numbers stand beside one's own, and agreement is what it says."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval import InputError, papers
from gradeval.cli import main
from gradeval.papers.item import Item
from gradeval.papers.published_numbers import FOLDER, PrintedNumber, compare_with_published, read_printed
from gradeval.tables.records import Records

PRINTED = [item for item in papers.items() if item.printed is not None]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_every_file_of_printed_numbers_belongs_to_an_item() -> None:
    assert {path.stem for path in FOLDER.glob("*.tsv")} == {f"{item.text}_{item.name}" for item in PRINTED}


@pytest.mark.parametrize("item", PRINTED, ids=str)
def test_the_files_are_read_whole(item: Item) -> None:
    with (FOLDER / f"{item.text}_{item.name}.tsv").open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file, delimiter="\t")
    numbers, _ = read_printed(item)
    cells = [
        cell
        for line in lines
        for name, cell in zip(head, line, strict=True)
        if cell and ("=" in name or name == "value")
    ]
    assert [one.text for one in numbers] == cells
    assert all(one.value == float(Fraction(one.text)) for one in numbers)
    assert len({(one.collection, one.key) for one in numbers}) == len(numbers)


def test_the_tables_of_correlations_hold_1605_numbers() -> None:
    tables = [read_printed(papers.find("ferro14", name))[0] for name in ("table2", "table3")]
    assert [len(table) for table in tables] == [33 * 20, 63 * 15]
    by_key = {(one.collection, *(word for _, word in one.key)): one.value for one in tables[0]}
    assert by_key["TREC 10", "all", "xGAP(g=[0.1,0.9])", "AP"] == 0.73  # the text says so in its words, too
    assert by_key["TREC 14", "few:2", "eGAP(g=[0.1,0.9])", "AP"] == 0.49
    ones = [
        one
        for table in tables
        for one in table
        if dict(one.key)["column"] == "GAP" and dict(one.key)["measure"].startswith("GAP")
    ]
    assert {one.value for one in ones} == {1.0}


@pytest.mark.parametrize(
    ("text", "name", "size"), [("scheel11", "table1", 8), ("scheel11", "table2", 123), ("zhai16", "figure9.6", 3)]
)
def test_worked_examples_agree_with_what_is_printed(text: str, name: str, size: int) -> None:
    beside = papers.run(text, name, published=True).beside
    assert Counter(one.agreement for one in beside.numbers) == {"agrees": size}


def test_a_list_of_other_ratings_does_not() -> None:
    beside = papers.run("scheel11", "table1", grades=[4, 0, 1], published=True).beside
    assert {"differs", "not here"} <= {one.agreement for one in beside.numbers}


def records(values: dict[tuple[str, str, str], float]) -> Records:
    rows = [[selection, measure, column, value] for (selection, measure, column), value in values.items()]
    return Records.of(["selection", "measure", "column", "value"], rows)


def test_a_number_agrees_on_the_side_of_gap_on_which_it_is_printed() -> None:
    gap, xgap, egap = (f"{name}(g=[0.1,0.9])" for name in ("GAP", "xGAP", "eGAP"))
    own = {  # printed on TREC 10, all: with AP .84, .73, .72; with RBP .64, .69, .68; with nDCG .75, .71, .70
        ("all", gap, "AP"): 0.9, ("all", xgap, "AP"): 0.8, ("all", egap, "AP"): 0.95,
        ("all", gap, "RBP(rel=1)"): 0.5, ("all", xgap, "RBP(rel=1)"): 0.5, ("all", egap, "RBP(rel=1)"): 0.6,
        ("all", xgap, "nDCG"): 0.7,
        ("all", gap, "GAP"): 1.0, ("all", xgap, "GAP"): 0.8,
    }  # fmt: skip
    beside = compare_with_published(papers.find("ferro14", "table2"), records(own))
    assert beside is not None
    said = {one.key: one.agreement for one in beside.numbers if one.collection == "TREC 10"}

    def agreement(measure: str, column: str) -> str:
        return said[("selection", "all"), ("measure", measure), ("column", column)]

    assert agreement(xgap, "AP") == "agrees"
    assert agreement(egap, "AP") == "differs"
    assert agreement(gap, "AP") == ""
    assert agreement(xgap, "RBP") == "cannot be told"
    assert agreement(egap, "RBP") == "agrees"
    assert agreement(xgap, "nDCG") == "not here"  # as GAP's is not
    assert agreement(xgap, "GAP") == ""  # below GAP's correlation with itself it always is
    assert "ferro14 table2, agree: above GAP both here and in the text, or below it in both" in list(beside.notes())
    assert "above GAP both here and in the text" in beside.title


def test_the_command_sets_them_beside() -> None:
    said = CliRunner().invoke(main, ["papers", "scheel11", "table1", "--published"])
    assert "0.448 / 0.448✓" in said.stdout
    assert "note: scheel11 table1, 8 printed numbers of the list: 8 agree" in said.stderr
    exact = CliRunner().invoke(main, ["papers", "scheel11", "table1", "--published", "--format", "tsv"]).stdout
    assert exact.splitlines()[0].split("\t")[-3:] == ["printed", "here", "agreement"]
    files = [str(EXAMPLES / "qrels.txt"), *map(str, (EXAMPLES / "runs").glob("*.txt"))]
    lost = CliRunner().invoke(main, ["papers", "sakai05", "table1", *files, "--samples", "0", "--published"])
    assert lost.exit_code == 0
    assert "no printed numbers to compare with: the public copy of the text has lost" in lost.stderr


def test_published_is_a_flag() -> None:
    with pytest.raises(InputError, match="published"):
        papers.run("scheel11", "table1", published="yes")


@pytest.mark.parametrize(
    ("text", "here", "shown"),
    [
        ("114", 114.6, "114"),  # the text has cut it
        ("115", 114.6, "115"),
        ("0.57", 0.5799, "0.57"),
        ("0.58", 0.5799, "0.58"),
        ("0.30", 0.3, "0.30"),
        ("0.60", 0.5799, "0.58"),  # another number: rounded
        ("1/3", 1 / 3, "0.3333"),
    ],
)
def test_a_number_that_agrees_is_shown_as_the_text_has_rounded_or_cut_it(text: str, here: float, shown: str) -> None:
    assert PrintedNumber("any", (("rank", "1"),), text, here).show_here() == shown

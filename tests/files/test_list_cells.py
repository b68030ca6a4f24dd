"""Cells of ids between blanks are judgments and runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of

from gradeval import InputError, evaluate, read_qrels, read_run
from gradeval.warning_categories import FilesWarning

RELEVANT = {"q1": ["a", "b"], "q2": ["3"]}


FOUND = {"q1": ["x", "a", "b"], "q2": ["3", "4"]}


EXPECTED = [((1 / 2 + 2 / 3) / 2 + 1) / 2, (1 / 2 + 1) / 2]  # AP, RR


def cells(lists: dict[str, list[str]], sign: str) -> str:
    return f"id{sign}labels\n" + "".join(f"{query}{sign}{' '.join(ids)}\n" for query, ids in lists.items())


@pytest.mark.parametrize(("sign", "ending"), [(",", "csv"), ("\t", "tsv"), (";", "csv")])
def test_cells_of_ids_are_judgments_and_ranks(tmp_path: Path, sign: str, ending: str) -> None:
    solution, submission = tmp_path / f"solution.{ending}", tmp_path / f"submission.{ending}"
    solution.write_text(cells(RELEVANT, sign))
    submission.write_text(cells(FOUND, sign))
    assert read_qrels(solution).to_dict() == {"q1": {"a": 1, "b": 1}, "q2": {"3": 1}}
    assert read_qrels(solution).read_as == "lists of ids between blanks (id, labels)"
    assert read_run(submission).name == "submission"
    assert evaluate(solution, submission, "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_the_mean_of_kaggle_divides_by_what_can_be_found_down_to_the_cutoff(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text("id,labels\n1,a b c\n")
    (tmp_path / "submission.csv").write_text("id,prediction\n1,a x\n")
    scores = evaluate(tmp_path / "solution.csv", tmp_path / "submission.csv", "AP(norm='min')@2")
    assert scores.mean().item() == 1 / 2


WRITTEN = {
    "python": '"[\'d 1\', \'d2\', ""d\'3""]"',
    "numpy": '"[\'d 1\' \'d2\'\n ""d\'3""]"',
    "json": '"[""d 1"", ""d2"", ""d\'3""]"',
}
SIGNED = {
    "comma": '"d1,d2,d3"',
    "comma and blank": '"d1, d2, d3"',
    "bar": "d1|d2|d3",
    "semicolon": '"d1;d2;d3"',
    "numbers": '"[1, 2, 3]"',
    "blanks": "d1 d2 d3",
    "commas within ids": '"d,1 d2 d3"',
}


@pytest.mark.parametrize("name", [*WRITTEN, *SIGNED])
@pytest.mark.parametrize("kind", ["", "lists:"])
def test_lists_in_cells_keep_their_order_however_they_are_written(tmp_path: Path, name: str, kind: str) -> None:
    if name in ("bar", "comma", "semicolon", "numpy") and not kind:
        return  # may be one id, or holds a line break: lists: says that it is a list
    path = tmp_path / "run.csv"
    cell = {**WRITTEN, **SIGNED}[name]
    path.write_text(f"user,items\nu1,{cell}\nu2,{cell}\n")
    wanted = {"numbers": ["1", "2", "3"], "commas within ids": ["d,1", "d2", "d3"]}.get(
        name, ["d 1", "d2", "d'3"] if name in WRITTEN else ["d1", "d2", "d3"]
    )
    ranked = read_run(f"{kind}{path}").to_dict()["u1"]
    assert sorted(ranked, key=lambda document: -ranked[document]) == wanted


@pytest.mark.parametrize("cell", ["['d\\\\1', 'd2']", "['d1' 'd2' ... 'd9']", "[np.str_('d1')]"])
def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f'user,items\nu1,"{cell}"\n')
    with pytest.raises(InputError, match="is no id of a list; write ids between blanks"):
        read_run(path)


def test_an_empty_cell_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text("id,labels\nq1,\nq2,3 4\n")
    scores = evaluate({"q1": {"a": 1}, "q2": {"3": 1}}, tmp_path / "submission.csv", "RR", missing="zero")
    assert scores.values.ravel().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,labels\n1,a b a\n", "run.csv:2: document 'a' is listed twice"),
        ("id,labels\n1,a b\n1,c d\n", "run.csv:3: query '1' was already given"),
        ("id,labels\n1,a b\n2,c,d e\n3,a b\n", "run.csv:3: found 3 columns"),
        ("id,labels\n1,a b\n,c d\n", "run.csv:3: the query is empty"),
    ],
)
def test_mistakes_in_cells_are_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(text)
    assert said in said_of(lambda: read_run(path, format="lists"))


@pytest.mark.parametrize("signs", ["[{}]", "{}"])
def test_what_fills_lists_is_left_out(tmp_path: Path, signs: str) -> None:
    lists = {"1": ["10", "11", "-1", "-1"], "2": ["12", "13", "14", "-1"], "3": ["15", "-1", "16", "17"]}
    text = "".join(f"{user}\t{signs.format(' '.join(ids))}\n" for user, ids in lists.items())
    (tmp_path / "run.tsv").write_text(f"user\titems\n{text}")
    with pytest.warns(FilesWarning, match=r"lists hold 4 missing ids \(-1\), which are left out; 1 of them"):
        run = read_run(tmp_path / "run.tsv")
    assert {user: [*documents] for user, documents in run.to_dict().items()} == {
        "1": ["10", "11"],
        "2": ["12", "13", "14"],
        "3": ["15", "16", "17"],
    }


QUOTED_CELLS = {
    "list": json.dumps(json.dumps(["a", "b"])),
    "hits": json.dumps(json.dumps([{"doc_id": "a", "score": 1.0}, {"doc_id": "b", "score": 0.5}])),
    "scores": json.dumps(json.dumps({"a": 1.0, "b": 0.5})),
    "single quotes": "'" + json.dumps(["a", "b"]) + "'",
}
"""JSON that was written as a text once more."""


@pytest.mark.parametrize("name", QUOTED_CELLS)
def test_json_within_quotes_is_refused_and_read_without_them(tmp_path: Path, name: str) -> None:
    """Its parts between commas and blanks would be ids that no judgments have, and the run would score 0."""
    run = tmp_path / "run.tsv"
    cell = QUOTED_CELLS[name]
    run.write_text(f"query_id\tretrieved\nq1\t{cell}\n")
    said = "run.tsv:2: a cell holds JSON within quotes; write it without these and without backslashes, as"
    assert said in said_of(lambda: read_run(run))
    plain = cell[1:-1].replace("\\", "")
    run.write_text(f"query_id\tretrieved\nq1\t{plain}\n")
    found = read_run(run).of("q1")
    assert sorted(found, key=found.__getitem__, reverse=True) == ["a", "b"]


@pytest.mark.parametrize("nothing", ["None", "nan", "n/a", "-", "NULL", "[None]", "['']", '["nan"]'])
@pytest.mark.parametrize("read", [read_qrels, read_run])
def test_words_for_nothing_among_written_lists_are_no_ids(nothing: str, read: Any, tmp_path: Path) -> None:
    column = "gold_ids" if read is read_qrels else "retrieved_ids"
    cell = nothing.replace('"', '""')
    (tmp_path / "it.csv").write_text(f"query_id,question,{column}\n1,x,\"['a', 'b']\"\n2,x,\"{cell}\"\n3,x,['c']\n")
    with pytest.warns(FilesWarning) as warned:
        table = read(tmp_path / "it.csv").to_dict()
    assert {topic: [*documents] for topic, documents in table.items()} == {"1": ["a", "b"], "2": [], "3": ["c"]}
    said = f"it.csv: 1 cell with a word for nothing (2: {nothing}) is a list without documents"
    assert [str(one.message) for one in warned] == [f"{tmp_path}/{said}"]


def test_none_between_blanks_is_an_item_as_shops_predict_it(tmp_path: Path) -> None:
    (tmp_path / "it.csv").write_text("order_id,products\n1,24852 None\n2,None\n")
    assert read_qrels(tmp_path / "it.csv").to_dict() == {"1": {"24852": 1, "None": 1}, "2": {"None": 1}}

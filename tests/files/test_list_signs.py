"""What separates ids in cells is decided over the whole column; ids may hold blanks and other signs."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import read_qrels, read_run

IDS = {
    "words": [["travel policy doc9"], ["travel policy doc11", "travel policy doc33"], ["hand:doc0", "hand:doc24"]],
    "commas": [["policy, travel:doc9"], ["policy, travel:doc11", "policy, travel:doc33"], ["hand:1", "hand:2"]],
    "plain": [["d9"], ["d11", "d33"], ["d0", "d24"]],
    "names": [["leave policy.pdf", "travel policy.pdf"], ["Expenses v2.pdf", "travel policy.pdf"], ["a b.pdf"]],
}
SIGNS = {
    "\n": "line",
    ";": "semicolon",
    "; ": "semicolon and blank",
    "|": "bar",
    " | ": "bar and blanks",
    ", ": "comma",
}


def write(path: Path, header: list[str], cells: list[str]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(
            [f"q{at}", *["text, of a question"] * (len(header) - 2), cell] for at, cell in enumerate(cells)
        )
    return path


@pytest.mark.parametrize("sign", SIGNS, ids=SIGNS.values())
@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("header", [["question_id", "question", "gold_chunk_ids"], ["question_id", "gold_chunk_ids"]])
def test_joined_ids_come_back_whole(tmp_path: Path, name: str, sign: str, header: list[str]) -> None:
    if name == "commas" and sign == ", ":
        return  # which nobody can tell apart
    gold = write(tmp_path / "gold.csv", header, [sign.join(ids) for ids in IDS[name]])
    wanted = {f"q{at}": set(ids) for at, ids in enumerate(IDS[name])}
    assert {topic: set(ids) for topic, ids in read_qrels(gold, format="lists").to_dict().items()} == wanted
    if name == "words":
        assert {topic: set(ids) for topic, ids in read_qrels(gold).to_dict().items()} == wanted
    run = write(tmp_path / "run.csv", ["question_id", "retrieved_ids"], [sign.join(ids) for ids in IDS[name]])
    ranked = {
        topic: sorted(ids, key=lambda one: -ids[one]) for topic, ids in read_run(run, format="lists").to_dict().items()
    }
    assert ranked == {f"q{at}": ids for at, ids in enumerate(IDS[name])}


@pytest.mark.parametrize("name", ["gold_chunk_id", "relevant_doc_id", "expected_uri"])
@pytest.mark.parametrize(
    "ids", [["travel policy.pdf#09", "handbook.pdf#1"], ["Handbook, v2.pdf:1", "Handbook, v2.pdf:4"]]
)
def test_one_id_a_cell_stays_whole_by_the_name_of_its_column(tmp_path: Path, name: str, ids: list[str]) -> None:
    gold = write(tmp_path / "gold.csv", ["question_id", "question", name], ids)
    assert read_qrels(gold).to_dict() == {f"q{at}": {one: 1} for at, one in enumerate(ids)}


DOUBTFUL = {
    "blanks": ["travel policy.pdf#09", "travel policy.pdf#11", "handbook.pdf#1"],
    "commas and blanks": ["Handbook, v2.pdf:1", "Handbook, v2.pdf:4", "Handbook, v2.pdf:5"],
    "joined by commas": ["policy, travel:9", "policy, travel:1, policy, travel:2", "hand:1, hand:2"],
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_may_be_one_id_or_several_is_refused_and_each_way_on_works(tmp_path: Path, name: str) -> None:
    header = ["question_id", "question", "gold_chunk_ids"]
    gold = write(tmp_path / "gold.csv", header, DOUBTFUL[name])
    said = said_of(lambda: read_qrels(gold))
    assert "'gold_chunk_ids' may hold one id a cell or several" in said
    place = said.partition("if blanks separate ids, read ")[2].partition(";")[0]
    split = {f"q{at}": set(cell.split()) for at, cell in enumerate(DOUBTFUL[name])}
    assert {topic: set(ids) for topic, ids in read_qrels(shlex.split(place)[0]).to_dict().items()} == split
    header[2] = said.partition("call the column ")[2].partition(";")[0]
    whole = {f"q{at}": {cell: 1} for at, cell in enumerate(DOUBTFUL[name])}
    assert read_qrels(write(gold, header, DOUBTFUL[name])).to_dict() == whole
    header[2] = "gold_chunk_ids"
    lists = [f'["{cell}"]' for cell in DOUBTFUL[name]]
    assert read_qrels(write(gold, header, lists)).to_dict() == whole


@pytest.mark.parametrize("ids", [["d|1", "d|2", "e|3"], ["d;1", "d;2", "e;3"], ["d,1", "d2", "e,3"]])
def test_signs_within_ids_between_blanks_stay(tmp_path: Path, ids: list[str]) -> None:
    gold = write(tmp_path / "gold.csv", ["id", "labels"], [" ".join(ids), ids[0]])
    assert read_qrels(gold, format="lists").to_dict() == {"q0": dict.fromkeys(ids, 1), "q1": {ids[0]: 1}}

"""Unjudged documents at the top of runs: by a loop over sorted lists, and what the files and notes say."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gradeval import CoverageWarning, InputError, read_qrels, read_run, unjudged
from gradeval.cli import main
from gradeval.studies.unjudged import SHOWN

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Runs = dict[str, dict[str, dict[str, float]]]


def list_by_hand(
    qrels: dict[str, dict[str, int]], runs: Runs, depth: int
) -> set[tuple[str, str, int, tuple[str, ...]]]:
    """Each unjudged document of each topic with its best rank and its runs, read off lists that Python sorts."""
    places: dict[tuple[str, str], dict[str, int]] = {}
    for run, topics in runs.items():
        for topic, scores in topics.items():
            order = sorted(scores, key=lambda one: (scores[one], one), reverse=True)[:depth]
            for rank, document in enumerate(order, 1):
                if topic in qrels and document not in qrels[topic]:
                    places.setdefault((topic, document), {})[run] = rank
    return {(*key, min(ranks.values()), tuple(ranks)) for key, ranks in places.items()}


@pytest.mark.parametrize("depth", [1, 4, 50])
def test_documents_are_those_of_a_loop_the_highest_ranks_first(depth: int) -> None:
    rng = np.random.default_rng(depth)
    names = [f"d{place}" for place in range(30)]
    qrels = {str(topic): {str(one): int(rng.integers(3)) for one in rng.choice(names, 12, False)} for topic in range(6)}
    runs: Runs = {
        run: {
            str(topic): {str(one): float(rng.integers(4)) for one in rng.choice(names, 20, False)} for topic in range(6)
        }
        for run in "ABC"
    }
    listed = unjudged(qrels, runs, depth=depth)
    assert set(listed.documents) == list_by_hand(qrels, runs, depth)
    keys = [(one.rank, -len(one.runs)) for one in listed.documents]
    assert keys == sorted(keys)
    assert (listed.depth, listed.runs, listed.topics) == (depth, ["A", "B", "C"], 6)


def test_judging_what_is_listed_leaves_nothing() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 0}}, {"1": {"a": 3.0, "x": 2.0, "y": 1.0}, "2": {"x": 1.0}}
    first = unjudged(qrels, run, depth=2)
    assert [(one.topic, one.document, one.rank) for one in first.documents] == [("2", "x", 1), ("1", "x", 2)]
    assert first.description == "2 documents among the first 2 have no judgment, in 2 of 2 topics"
    for one in first.documents:
        qrels[one.topic][one.document] = 0
    assert unjudged(qrels, run, depth=2).description == "The first 2 documents of 1 run are all judged"
    assert [one.document for one in unjudged(qrels, run, depth=3).documents] == ["y"]


def test_excluded_documents_and_other_topics_are_not_listed() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"1": 2.0, "x": 1.0}, "2": {"y": 1.0}}
    assert [one.document for one in unjudged(qrels, run, topics="1", exclude="self").documents] == ["x"]


def test_csv_has_all_documents_with_their_runs_and_the_table_the_first(tmp_path: Path) -> None:
    runs = [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak", "cedar")]
    place = tmp_path / "to-judge.csv"
    result = CliRunner().invoke(main, ["unjudged", str(EXAMPLES / "qrels.txt"), *map(str, runs), "-o", str(place)])
    assert result.exit_code == 0
    rows = list(csv.DictReader(place.read_text(encoding="utf-8").splitlines()))
    judgments = read_qrels(EXAMPLES / "qrels.txt").to_dict()
    by_hand = list_by_hand(judgments, {run.stem: read_run(run).to_dict() for run in runs}, 10)
    assert {(one["topic"], one["document"], int(one["rank"]), tuple(one["runs"].split())) for one in rows} == by_hand
    assert len(rows) > SHOWN
    grid = unjudged(EXAMPLES / "qrels.txt", runs).table().grids[0]
    assert len(grid.rows) == SHOWN
    assert f"{len(rows)} documents among the first 10 have no judgment" in result.stderr


def test_what_is_probably_a_mistake_is_said_and_what_cannot_be_is_refused() -> None:
    with pytest.warns(CoverageWarning, match="they add no document"):
        assert unjudged({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}).documents == []
    with pytest.raises(InputError, match="depth"):
        unjudged({"1": {"a": 1}}, {"1": {"a": 1.0}}, depth=0)
    with pytest.raises(InputError, match="these look swapped"):
        unjudged(EXAMPLES / "runs" / "elm.txt", EXAMPLES / "qrels.txt")


def test_the_texts_of_topics_stand_beside_their_ids_where_they_are_given(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "run").write_text("".join(f"{topic} Q0 d{topic} 1 2 r\n" for topic in "12"))
    (tmp_path / "queries.tsv").write_text(f"1\tred shoes\n2\t{'long ' * 40}\n")
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    listed = unjudged(*files, queries={"1": "red shoes"})
    assert {topic: text.text for topic, text in listed.queries.items()} == {"1": "red shoes"}
    assert str(listed).count("red shoes") == 1
    assert any("has no text" in str(note) for note in listed.notes)
    out = ["-o", str(tmp_path / "o.csv")]
    made = CliRunner().invoke(main, ["unjudged", *files, "--queries", str(tmp_path / "queries.tsv"), *out])
    assert made.exit_code == 0
    with (tmp_path / "o.csv").open() as file:
        assert [row["query"] for row in csv.DictReader(file)] == ["red shoes", ("long " * 40).strip()]
    made = CliRunner().invoke(main, ["unjudged", *files, "--queries", str(tmp_path / "queries.tsv")])
    assert "red shoes" in made.stdout
    assert "long " * 20 not in made.stdout
    assert "query" not in CliRunner().invoke(main, ["unjudged", *files]).stdout

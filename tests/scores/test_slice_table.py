"""The means of slices beside those of all topics: each is what the topics alone give, with the levels of the whole."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from gradeval import InputError, Scores, compare, evaluate, judge, read_qrels

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = [EXAMPLES / "runs" / f"{name}.txt" for name in ("beech", "elm", "oak")]
MEASURES = "AP nDCG@10 GAP ERR@10 NumRelRet"

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def labelled(topic: str) -> str | None:
    """Some topics of odd numbers have no label."""
    return {0: "even", 1: "odd"}[int(topic) % 2] if int(topic) < 420 else None


def by_hand(topics: list[str]) -> Scores:
    """These topics alone, by judgments that know the levels of the whole collection."""
    qrels = read_qrels(QRELS)
    alone = {topic: qrels.of(topic) for topic in topics}
    return evaluate(alone, RUNS, MEASURES, levels=qrels.levels)


def records_of(table: Any) -> list[dict[str, Any]]:
    fields = table.to_dict()
    return [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]


@pytest.mark.parametrize("by", ["relevant", labelled], ids=["relevant", "function"])
def test_a_slice_has_the_means_of_its_topics_alone(by: Any) -> None:
    scores = evaluate(QRELS, RUNS, MEASURES, by=by)
    assert len(scores.by_slice()) == 3
    column = scores.slices.columns[0] if scores.slices else ""
    rows = records_of(scores.table())
    assert [row["run"] for row in rows if row[column] == "all"] == [run for run in scores.runs for _ in range(5)]
    for one, _ in scores.by_slice():
        alone = by_hand(one.topics)
        found = {(row["run"], row["measure"]): row["value"] for row in rows if row[column] == one.label}
        means = alone.mean()
        expected = {
            (run, str(measure)): means[place, number]
            for place, run in enumerate(alone.runs)
            for number, measure in enumerate(alone.measures)
        }
        assert found == pytest.approx(expected, rel=1e-12)
        assert {row["topics"] for row in rows if row[column] == one.label} == {len(one.topics)}


def test_a_single_label_gives_the_plain_result_twice() -> None:
    plain, sliced = evaluate(QRELS, RUNS, MEASURES), evaluate(QRELS, RUNS, MEASURES, by=lambda _: "one")
    for how in ({}, {"by_topic": True}, {"ci": True}):
        rows = records_of(sliced.table(**how))
        expected = records_of(plain.table(**how))
        for label in ("all", "one"):
            here = [row for row in rows if row["slice"] == label and row["topic"] == "all"]
            assert [{**row, "slice": None, "topics": None} for row in here] == [
                {"slice": None, "topics": None, **row} for row in expected if row["topic"] == "all"
            ]


def test_rows_of_topics_carry_their_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("topic,segment,language\n401,head,en\n402,tail,en\n403,tail,\n")
    scores = evaluate(QRELS, RUNS, "AP", by=path)
    held = tmp_path / "scores.csv"
    scores.save(held)
    rows = list(csv.DictReader(io.StringIO(held.read_text())))
    assert list(rows[0]) == ["segment", "language", "run", "topic", "measure", "value", "topics"]
    single = {row["topic"]: (row["segment"], row["language"]) for row in rows if row["topic"] != "all"}
    assert len(single) == len(scores.topics)
    assert [single[topic] for topic in ("401", "402", "403", "404")] == [
        ("head", "en"),
        ("tail", "en"),
        ("tail", "(none)"),
        ("(none)", "(none)"),
    ]
    means = [(row["segment"], row["language"], row["topics"]) for row in rows if row["topic"] == "all"]
    assert means[:: len(RUNS)] == [
        ("all", "all", "30"),
        ("head", "all", "1"),
        ("tail", "all", "2"),
        ("(none)", "all", "27"),
        ("all", "en", "2"),
        ("all", "(none)", "28"),
    ]
    grid = scores.table(by_topic=True).grids[0]
    assert [column.title for column in grid.columns] == ["segment", "language", "run", "topic", "topics", "AP"]
    assert grid.rows[0][:5] == ["head", "en", scores.runs[0], "401", None]


def test_intervals_are_those_of_the_topics_alone_and_one_topic_has_none() -> None:
    scores = evaluate(QRELS, RUNS, "AP nDCG@10", by=lambda topic: "one" if topic == "401" else "more")
    rows = records_of(scores.table(ci=True))
    more = [topic for topic in scores.topics if topic != "401"]
    bounds = scores.sel(topics=more).ci()
    found = [(row["low"], row["high"]) for row in rows if row["slice"] == "more"]
    assert found == [tuple(ends) for run in bounds.tolist() for ends in run]
    assert {(row["low"], row["high"]) for row in rows if row["slice"] == "one"} == {(None, None)}
    assert "slice one: no interval over 1 topic; at least 2 are needed" in scores.about_ci()


def test_selected_runs_and_topics_keep_their_slices() -> None:
    scores = evaluate(QRELS, RUNS, "AP nDCG@10", by="relevant", topics="atleast:15:1")
    assert 7 < len(scores.topics) < 30
    some = scores.sel(runs=["elm"], topics=scores.topics[:7], measures="AP")
    assert sum(len(one.topics) for one, _ in some.by_slice()) == 7
    assert scores.sorted_by("AP").slices is scores.slices
    assert not hasattr(judge(QRELS, RUNS), "slices")


def test_a_slice_that_has_no_mean_is_named() -> None:
    runs = {"run": {"402": {"d": 1.0}}}
    scores = evaluate(QRELS, runs, "AP", missing="skip", by={"401": "head", "402": "tail"})
    with pytest.raises(InputError, match="slice head: AP: no topic is left to average"):
        scores.table()


def test_a_frame_of_sliced_scores_has_the_labels_of_each_topic() -> None:
    plain = evaluate(QRELS, RUNS, "AP").to_pandas()
    frame = evaluate(QRELS, RUNS, "AP", by=lambda topic: f"ends in {topic[-1]}").to_pandas()
    assert list(frame.columns) == ["slice", *plain.columns]
    assert frame.slice.tolist() == [f"ends in {topic[-1]}" for topic in plain.topic]
    assert frame.drop(columns="slice").astype(str).equals(plain.astype(str))


def test_topics_are_those_that_the_mean_is_over() -> None:
    qrels = {str(topic): {"d1": int(topic not in (1, 2, 9)), "d2": int(topic == 4)} for topic in range(1, 13)}
    runs = {name: {topic: {"d1": 2.0 - place, "d2": 1.0} for topic in qrels} for place, name in enumerate(("a", "b"))}
    labels = {topic: "low" if int(topic) < 8 else "high" for topic in qrels}
    chosen = {"all": [*qrels]} | {
        label: [topic for topic in qrels if labels[topic] == label] for label in ("low", "high")
    }
    number = {}
    for label, topics in chosen.items():
        number[label, "AP"] = sum(any(qrels[topic].values()) for topic in topics)
        number[label, "Judged@10"] = len(topics)
    scores = evaluate(qrels, runs, "AP Judged@10", by=labels, empty="skip")
    assert {(row["slice"], row["measure"]): row["topics"] for row in records_of(scores.table())} == number
    [grid] = scores.table().grids
    ranges = {label: f"{number[label, 'AP']} to {number[label, 'Judged@10']}" for label in chosen}
    assert {row[0]: row[2] for row in grid.texts()} == ranges
    [alone] = evaluate(qrels, runs, "AP", by=labels, empty="skip").table().grids
    assert {row[0]: row[2] for row in alone.texts()} == {label: str(number[label, "AP"]) for label in chosen}
    compared = records_of(compare(qrels, runs, "AP Judged@10", by=labels, empty="skip").table())
    assert {(row["slice"], row["measure"]): row["topics"] for row in compared if row["slice"] in chosen} == number
    grids = [
        grid for grid in compare(qrels, runs, "AP", by=labels, empty="skip").table().grids if "topics" in grid.head
    ]
    assert grids
    for grid in grids:
        where = grid.head.index("topics")
        assert {row[0]: row[where] for row in grid.texts()} == {label: str(number[label, "AP"]) for label in chosen}

"""A law: what is decided on scores does not depend on whether they were saved and loaded, or on who scores the runs."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from gradeval import InputError, Scores, compare, equivalence, evaluate, gate, ranks, read_scores, scores_from_frame
from gradeval.cli import main
from gradeval.studies.unjudged_runs import find_unjudged_runs
from gradeval.warning_categories import NoteWeight

pytestmark = pytest.mark.filterwarnings("ignore")

TOPICS = [f"u{topic // 2}_{topic % 2}" for topic in range(24)]
Rankings = dict[str, dict[str, dict[str, float]]]


def rank(noise: float, seed: int, judged: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, float]]:
    draw = random.Random(seed)
    return {
        topic: {one: grade + draw.gauss(0, noise) for one, grade in grades.items()} for topic, grades in judged.items()
    }


def make_judgments() -> dict[str, dict[str, int]]:
    draw = random.Random(3)
    return {topic: {f"D{place}": draw.choice([0, 0, 1, 2]) for place in range(16)} for topic in TOPICS}


QRELS = make_judgments()
GOOD, POOR = rank(0.6, 1, QRELS), rank(2.5, 2, QRELS)


def rename(run: Mapping[str, Mapping[str, float]], how: Callable[[str], str]) -> dict[str, dict[str, float]]:
    return {topic: {how(one): score for one, score in ranked.items()} for topic, ranked in run.items()}


def with_strangers(run: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The run, with a document that nobody judged in front of every second one."""
    return {
        topic: {**ranked, **{f"n{one}": score + 0.01 for one, score in ranked.items() if int(one[1:]) % 2}}
        for topic, ranked in run.items()
    }


def of_some(run: Mapping[str, dict[str, float]], topics: list[str]) -> dict[str, dict[str, float]]:
    return {topic: run[topic] for topic in topics}


CASES: dict[str, Rankings] = {
    "all well": {"A": POOR, "B": GOOD},
    "alike": {"A": GOOD, "B": rank(0.6, 9, QRELS)},
    "unjudged run": {"A": POOR, "B": rename(GOOD, lambda one: f"x-{one}z")},
    "other ids": {"A": POOR, "B": rename(GOOD, lambda one: one if int(one[1:]) < 2 else one.replace("D", "d0"))},
    "unjudged documents": {"A": rank(0.8, 4, QRELS), "B": with_strangers(GOOD)},
    "missing topics": {"A": POOR, "B": of_some(GOOD, TOPICS[:12])},
    "three runs": {"A": POOR, "B": with_strangers(GOOD), "C": rename(GOOD, lambda one: f"x-{one}z")},
}
MEASURES = "AP nDCG@10"


def write(tmp_path: Path, runs: Rankings, *, joined: bool = False) -> tuple[Path, list[Path]]:
    """The judgments and the runs as files; ``joined``: a column of users and one of folds stands for the topics."""

    def line(topic: str, *cells: object) -> str:
        return ",".join(map(str, [*(topic.split("_") if joined else [topic]), *cells]))

    head = "user,fold" if joined else "query"
    qrels = tmp_path / "qrels.csv"
    rows = [line(topic, one, grade) for topic, grades in QRELS.items() for one, grade in grades.items()]
    qrels.write_text("\n".join([f"{head},document,grade", *rows]) + "\n")
    places = []
    for name, run in runs.items():
        rows = [line(topic, one, repr(score)) for topic, ranked in run.items() for one, score in ranked.items()]
        places.append(tmp_path / f"{name}.csv")
        places[-1].write_text("\n".join([f"{head},document,score", *rows]) + "\n")
    return qrels, places


def verdict(study: Any, *data: Any, **options: Any) -> dict[str, Any]:
    """What a study says in words that always show, and in data; an error in its words."""
    try:
        result = study(*data, **options)
    except InputError as error:
        return {"error": str(error)}
    return {
        "answers": [str(note) for note in result.notes if note.weight is NoteWeight.ANSWER],
        "shown": str(replace(result.table(), notes=[])),
        "conditions": [getattr(result, name, None) for name in ("unjudged", "unjudged_losses", "missing_losses")],
        "data": result.to_frame().to_pylist(),
    }


STUDIES: list[tuple[Any, dict[str, Any]]] = [
    (compare, {}),
    (compare, {"baseline": "A"}),
    (compare, {"baseline": "best"}),
    (compare, {"topics": TOPICS[11:]}),
    (ranks, {}),
    (ranks, {"missing": "common"}),
    (equivalence, {"margin": 0.05}),
]


@pytest.mark.parametrize("case", CASES)
def test_a_verdict_is_the_same_on_files_on_scores_and_on_saved_scores(tmp_path: Path, case: str) -> None:
    qrels, runs = write(tmp_path, CASES[case])
    fresh = evaluate(qrels, runs, MEASURES)
    fresh.save(tmp_path / "scores.parquet")
    loaded = read_scores(tmp_path / "scores.parquet")
    loaded.save(tmp_path / "again.parquet")
    ways = [loaded, read_scores(tmp_path / "again.parquet"), scores_from_frame(fresh.to_frame())]
    for study, options in STUDIES:
        expected = verdict(study, qrels, runs, MEASURES, **options)
        for scores in (fresh, *ways):
            assert verdict(study, scores, **options) == expected


def test_these_cases_are_what_verdicts_turn_on(tmp_path: Path) -> None:
    said = {}
    for case, runs in CASES.items():
        (tmp_path / case).mkdir()
        scores = evaluate(*write(tmp_path / case, runs), MEASURES)
        said[case] = compare(scores).notes[0].text if len(runs) == 2 else ", ".join(find_unjudged_runs(scores))
    assert said["all well"].startswith("Ship B: ")
    assert said["unjudged run"].startswith("Not decided: no document of B is judged")
    assert said["other ids"].startswith("Not decided: the judgments seem to spell ids of B otherwise")
    assert "if unjudged documents of B are not relevant" in said["unjudged documents"]
    assert "12 topics are not in B, and count 0" in said["missing topics"]
    assert said["three runs"] == "C"


def gated(*data: Any, **options: Any) -> dict[str, Any]:
    """What a gate says of the verdict and its conditions."""
    try:
        decision = gate(*data, **options)
    except InputError as error:
        return {"error": [part for part in ("no document of", "judged documents of") if part in str(error)]}
    names = ("passed", "verdicts", "unjudged_losses", "missing_losses", "lacking", "reason", "told_apart")
    return {name: getattr(decision, name) for name in names}


@pytest.mark.parametrize("case", [case for case in CASES if case != "three runs"])
def test_a_gate_is_the_same_on_runs_and_on_scores_saved_one_by_one(tmp_path: Path, case: str) -> None:
    qrels, runs = write(tmp_path, CASES[case])
    places = []
    for run in runs:
        places.append(run.with_suffix(".parquet"))
        evaluate(qrels, run, MEASURES).save(places[-1])
    for way in (1, -1):
        for options in ({}, {"fail_if": "not-shown", "margin": 0.3}):
            expected = gated(qrels, *runs[::way], MEASURES, **options)
            assert gated(*places[::way], **options) == expected
            assert gated(qrels, places[::way][0], runs[::way][1], **options) == expected


def test_joined_topics_are_told_of_saved_scores_too(tmp_path: Path) -> None:
    qrels, runs = write(tmp_path, CASES["all well"], joined=True)
    joined = [f"columns:query=user+fold:{place}" for place in (qrels, *runs)]
    fresh = evaluate(joined[0], joined[1:], MEASURES)
    [told] = [str(note) for note in fresh.notes if "come from 12 values of user" in note.text]
    for number in range(2):
        fresh.save(tmp_path / f"{number}.parquet")
        fresh = read_scores(tmp_path / f"{number}.parquet")
        assert [str(note) for note in fresh.notes] == [told]


def test_parts_that_are_read_together_are_known_where_all_say_so(tmp_path: Path) -> None:
    qrels, runs = write(tmp_path, CASES["unjudged documents"])
    whole = evaluate(qrels, runs, MEASURES)
    for place, name in enumerate("AB"):
        whole.sel(runs=name).save(tmp_path / f"{place}.parquet")
    whole.sel(measures="AP").save(tmp_path / "ap.parquet")
    whole.sel(measures="nDCG@10").save(tmp_path / "ndcg.parquet")
    whole.sel(topics=TOPICS[:9]).save(tmp_path / "first.parquet")
    whole.sel(topics=TOPICS[9:]).save(tmp_path / "last.parquet")
    whole.sel(runs="B").save(tmp_path / "b.tsv", format="tsv")
    assert whole.judging is not None
    assert whole.as_often is not None
    for parts in (("0", "1"), ("ap", "ndcg"), ("first", "last")):
        read = read_scores(*(tmp_path / f"{part}.parquet" for part in parts))
        assert read.judging is not None
        assert read.judging.judged_top is not None
        for name in ("retrieved", "judged", "judged_top"):
            assert getattr(read.judging, name).tolist() == getattr(whole.judging, name).tolist()
        assert read.as_often is not None
        assert read.as_often.tolist() == whole.as_often.tolist()
    half = read_scores(tmp_path / "0.parquet", tmp_path / "b.tsv")
    assert half.judging is None
    assert half.as_often is None
    both = Scores.concat([read_scores(tmp_path / "0.parquet"), whole.sel(runs="B")])
    assert verdict(compare, both) == verdict(compare, whole)


def test_older_files_load_without_what_they_do_not_say(tmp_path: Path) -> None:
    qrels, runs = write(tmp_path, CASES["other ids"])
    table = evaluate(qrels, runs, MEASURES).to_frame()
    described = json.loads(table.schema.metadata[b"gradeval"])
    del described["questions"]
    older = table.drop_columns(["retrieved", "judged", "judged_top", "as_often"])
    pq.write_table(older.replace_schema_metadata({"gradeval": json.dumps(described)}), tmp_path / "old.parquet")
    old = read_scores(tmp_path / "old.parquet")
    assert old.judging is None
    assert old.notes == []
    assert find_unjudged_runs(old) == []


def change(table: pa.Table, name: str, row: int, value: float) -> pa.Table:
    column = table[name].to_pylist()
    column[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(column))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("judged", 99, "row 3: retrieved, judged, judged_top contradict each other; write it again with save()"),
        ("judged", -1, "row 3: retrieved, judged, judged_top contradict each other; write it again with save()"),
        ("judged_top", 11, "row 3: retrieved, judged, judged_top contradict each other; write it again with save()"),
        ("retrieved", 1e300, "row 3: retrieved, judged, judged_top contradict each other; write it again with save()"),
        ("retrieved", 8.5, "row 3: retrieved, judged, judged_top contradict each other; write it again with save()"),
        ("as_often", float("inf"), "'as_often' holds a value that is not a finite number; write it again"),
        ("as_often", float("nan"), "'as_often' holds a value that is not a finite number; write it again"),
        ("retrieved", None, "row 3: retrieved is missing"),
    ],
)
def test_damaged_facts_are_refused(tmp_path: Path, name: str, value: Any, said: str) -> None:
    table = evaluate(*write(tmp_path, CASES["unjudged documents"]), MEASURES).to_frame()
    with pytest.raises(InputError, match=re.escape(said)):
        scores_from_frame(change(table, name, 3, value))


@pytest.mark.parametrize("questions", [[], {"B": 3}, {"B": "x" * 5000}, "B"])
def test_damaged_questions_are_refused(tmp_path: Path, questions: Any) -> None:
    table = evaluate(*write(tmp_path, CASES["all well"]), MEASURES).to_frame()
    described = json.loads(table.schema.metadata[b"gradeval"]) | {"questions": questions}
    with pytest.raises(InputError, match="the questions on its runs are damaged; write it again with save"):
        scores_from_frame(table.replace_schema_metadata({"gradeval": json.dumps(described)}))


def test_rows_that_disagree_are_refused(tmp_path: Path) -> None:
    table = evaluate(*write(tmp_path, CASES["unjudged documents"]), MEASURES).to_frame()
    said = "frame: run 'A' has several numbers of judged documents for topic 'u0_1'; score one version of this run"
    with pytest.raises(InputError, match=said):
        scores_from_frame(change(table, "judged", 3, 15))


def test_tables_of_others_may_have_columns_of_these_names() -> None:
    rows = {"run": ["a", "b"], "topic": ["1", "1"], "measure": ["AP"] * 2, "value": [0.5, 0.25]}
    scores = scores_from_frame(rows | {"judged": ["yes", "no"], "retrieved": ["x", "y"], "as_often": [None, None]})
    assert scores.judging is None
    assert scores.mean().tolist() == [[0.5], [0.25]]


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_commands_decide_alike_on_files_and_on_saved_scores(tmp_path: Path) -> None:
    qrels, runs = write(tmp_path, CASES["other ids"])
    files, saved = [str(qrels), *map(str, runs)], tmp_path / "scores.parquet"
    assert CliRunner().invoke(main, ["evaluate", *files, "-m", MEASURES, "-o", str(saved)]).exit_code == 0
    for command in ("compare", "ranks"):
        fresh = CliRunner().invoke(main, [command, *files, "-m", MEASURES])
        loaded = CliRunner().invoke(main, [command, "--scores", str(saved)])
        assert loaded.stdout == fresh.stdout
        for text in ("Not decided: the judgments seem to spell ids of B otherwise", "are they the same?"):
            assert text in fresh.stderr
            assert text in loaded.stderr

"""What a study is asked for is done or said, whatever it is given: scores, judged runs, or judgments and runs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import (
    InputError,
    JudgedRuns,
    Scores,
    compare,
    correlate,
    correlate_collections,
    correlate_users,
    curve,
    discriminate,
    equivalence,
    evaluate,
    infer_curves,
    inform,
    judge,
    judges,
    leave_out,
    power_differences,
    ranks,
    read_qrels,
    read_run,
    read_scores,
    rms_differences,
    run_swaps,
    topic_set_size,
)
from gradeval.warning_categories import CoverageWarning, NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = sorted((EXAMPLES / "runs").glob("*.txt"))


@pytest.fixture(scope="module")
def judged() -> JudgedRuns:
    return judge(QRELS, RUNS)


def texts(result: object) -> str:
    return "\n".join(map(str, result.notes))


def test_policies_that_are_asked_for_hold_for_scores_too() -> None:
    scores, skipped = (evaluate(QRELS, RUNS, "AP(rel=3)", empty=empty) for empty in ("zero", "skip"))
    assert np.array_equal(ranks(scores, empty="skip", samples=20).mean, ranks(skipped, samples=20).mean)
    assert np.allclose(ranks(skipped, samples=20).mean[0], skipped.mean()[:, 0], rtol=1e-12)
    assert not np.array_equal(ranks(scores, samples=20).mean, ranks(skipped, samples=20).mean)


def table_of(result: Any) -> str:
    fields = result.table().to_dict()
    return str({name: fields[name] for name in fields if name != "selection"})


@pytest.mark.parametrize("study", [compare, leave_out, curve, correlate], ids=lambda one: one.name)
def test_only_topics_that_all_runs_have_are_studied_as_if_they_were_named(study: Any, judged: JudgedRuns) -> None:
    chosen = {"runs": ["elm", "oak", "beech"]}
    shared = judged.present[[judged.runs.index(run) for run in chosen["runs"]]].all(0)
    named = [topic for topic, there in zip(judged.topics, shared.tolist(), strict=True) if there]
    assert len(named) < len(judged.topics)
    with pytest.warns(CoverageWarning, match=rf"topics: {len(named)} of 30 count, as beech lacks 1 \(\d+\); leaving"):
        common = study(judged, missing="common", **chosen)
    assert table_of(common) == table_of(study(judged, topics=named, **chosen))


def test_only_topics_that_all_runs_have_are_taken_of_scores() -> None:
    scores = evaluate(QRELS, RUNS, "AP nDCG@10")
    named = [topic for topic, there in zip(scores.topics, scores.shared.tolist(), strict=True) if there]
    with pytest.warns(CoverageWarning, match="leaving hard topics out"):
        common = compare(scores, baseline="elm", missing="common")
    assert table_of(common) == table_of(compare(scores, baseline="elm", topics=named))


@pytest.mark.parametrize(
    ("study", "word", "hint"),
    [
        (compare, "exclude", "write compare(judge(qrels, runs, exclude=...))"),
        (ranks, "ties", "write ranks(judge(qrels, runs, ties=...))"),
        (ranks, "depth", "write ranks(judge(qrels, runs).top(DEPTH))"),
        (
            compare,
            "shift",
            "give judgments that read_qrels(FILE, shift=...), qrels_from_frame(FRAME).shifted(...) or "
            "Qrels.from_dict(QRELS).shifted(...) makes",
        ),
        (
            judges,
            "recode",
            "give judgments that read_qrels(FILE, recode=...), qrels_from_frame(FRAME).recoded(...) or "
            "Qrels.from_dict(QRELS).recoded(...) makes",
        ),
        (
            evaluate,
            "shift",
            "give judgments that read_qrels(FILE, shift=...), qrels_from_frame(FRAME).shifted(...) or "
            "Qrels.from_dict(QRELS).shifted(...) makes",
        ),
        (judge, "columns", "it is of read_qrels and read_run, which give judgments and runs"),
        (evaluate, "relevance", "it is of qrels_from_frame(frame, relevance=...)"),
    ],
)
def test_how_files_are_read_is_said_elsewhere(study: Any, word: str, hint: str) -> None:
    data = (QRELS, {"model": QRELS}) if study is judges else (QRELS, RUNS)
    with pytest.raises(InputError) as caught:
        study(*data, **{word: 1})
    assert f"there is no {word!r}: {hint}; it takes " in str(caught.value)


def test_a_preset_that_comes_too_late_is_not_claimed(judged: JudgedRuns) -> None:
    assert "ties order" in texts(ranks(QRELS, RUNS, "AP", preset="ntcir", samples=20))
    assert "ties order" not in texts(ranks(judged, "AP", preset="ntcir", samples=20))
    assert "ties docid, negative unjudged" in texts(ranks(QRELS, RUNS, "AP", preset="trec", samples=20))
    assert "negative" not in texts(ranks(judged, "AP", preset="trec", samples=20))
    assert "preset ntcir does nothing here" in texts(ranks(evaluate(QRELS, RUNS, "AP"), preset="ntcir", samples=20))


def test_notes_count_the_runs_and_topics_that_are_studied() -> None:
    said = texts(ranks(QRELS, RUNS, "AP(rel=3)", topics="few:3", runs="cedar,elm,oak", samples=20))
    assert "beech" not in said
    assert "nothing to be found" not in said
    assert "of 30 topics hold" in texts(ranks(QRELS, RUNS, "AP(rel=3)", samples=20))


@pytest.mark.parametrize("study", [compare, ranks, equivalence, discriminate, correlate])
@pytest.mark.parametrize(("runs", "number"), [("top:4", 4), ("above-q1:AP", 9), ("cedar,elm,oak", 3), (None, 12)])
def test_tests_of_runs_that_their_own_scores_selected_are_called_optimistic(
    study: Any, runs: str | None, number: int
) -> None:
    options: dict[str, Any] = {"margin": 0.1} if study is equivalence else {"samples": 40}
    made = study(evaluate(QRELS, RUNS, "AP nDCG@10"), runs=runs, **options)
    said = [note for note in made.notes if "optimistic" in note.text]
    selected = runs in ("top:4", "above-q1:AP") and study is not correlate
    assert [f"of the {number} selected runs alone" in note.text for note in said] == [True] * selected
    assert all(note.weight is NoteWeight.OMISSION for note in said)


@pytest.mark.parametrize("depth", [1, 3, 10])
def test_the_best_runs_are_those_down_to_the_depth(depth: int) -> None:
    cut = evaluate(QRELS, RUNS, "AP", depth=depth)
    best = {cut.runs[place] for place in np.argsort(-cut.mean()[:, 0], kind="stable")[:3]}
    assert set(evaluate(QRELS, RUNS, "AP", depth=depth, runs="top:3:AP").runs) == best


def test_a_share_of_tied_lines_is_not_told_of_cut_runs(judged: JudgedRuns) -> None:
    assert "tied" in texts(ranks(judged, "AP", samples=20))
    assert "tied" not in texts(ranks(judged.top(3), "AP", samples=20))


@pytest.mark.parametrize("study", [inform, infer_curves, rms_differences])
def test_rankings_that_are_not_studied_are_counted(study: Any, judged: JudgedRuns) -> None:
    qrels, beech = read_qrels(QRELS), read_run(next(path for path in RUNS if path.stem == "beech"))
    grades = [[qrels.of(topic).get(document) for document in beech.of(topic)] for topic in beech.topics]
    enough = sum(min(of.count(grade) for grade in (1, 2, 3)) >= 2 for of in grades)
    assert 0 < enough < len(grades) < len(qrels.topics)
    said = texts(study(judged, "AP nDCG", runs="beech", least=2, **({} if study is infer_curves else {"samples": 20})))
    assert f"{enough} of {len(grades)} rankings hold at least 2 documents" in said


def test_topics_that_are_empty_for_a_measure_that_a_study_adds_are_noted() -> None:
    qrels = read_qrels(QRELS)
    empty = sum(3 not in qrels.of(topic).values() for topic in qrels.topics)
    said = texts(correlate_users(qrels, RUNS, "AP", step=1, samples=0))
    assert f"{empty} of {len(qrels.topics)} topics hold nothing to be found for GAP(g=[0,0,1])" in said


NAMES = {
    **{"aaaaaaa": "topic-a", "bbbbbbb": "topics=", "ccccccc": "--alpha", "ddddddd": "tasks b"},
    **{"qqqqq": "topic", "zzzzz": "tasks"},
}
"""Names of runs and of measures that say nothing, and names of the same length that look like words of a message."""


def read_boards(folder: Path, names: list[str]) -> Scores:
    """The scores of four models on four tasks, by two measures, from two leaderboards."""
    for file, first in (("one.csv", 0.5), ("two.csv", 0.05)):
        values = [f"{first},.6,.7,.3", ".4,.5,.6,.2", ".3,.2,.2,.1", ".2,.25,.1,.1"]
        rows = [f"{name},{row}" for name, row in zip(names, values, strict=False)]
        (folder / file).write_text("\n".join(["model,t1,t2,t3,t4", *rows, ""]))
    return read_scores([f"{names[4]}={folder / 'one.csv'}", f"{names[5]}={folder / 'two.csv'}"])


@pytest.mark.parametrize(
    ("study", "options"),
    [
        (compare, {}),
        (compare, {"baseline": "topics="}),
        (correlate, {}),
        (correlate_collections, {}),
        (discriminate, {"samples": 20}),
        (equivalence, {"margin": 0.1}),
        (power_differences, {"resamples": 3, "samples": 20}),
        (ranks, {}),
        (run_swaps, {"reference": "topic"}),
        (topic_set_size, {}),
    ],
)
def test_names_are_never_edited(tmp_path: Path, study: Any, options: dict[str, Any]) -> None:
    said = []
    back = {new: old for old, new in NAMES.items()}
    for names, given in (([*NAMES], {key: back.get(one, one) for key, one in options.items()}), ([*back], options)):
        result = study.silently(read_boards(tmp_path, names), **given)
        latex = re.sub(r"\\label\{.*", "", result.to_latex())  # of names only letters and digits stand in labels
        said.append("\n".join([texts(result), str(result), str(result.to_dict()), latex]))
    nothing, words = said
    for old, new in NAMES.items():
        nothing = nothing.replace(old, new)
    assert words == nothing


def test_what_is_counted_is_called_by_its_name(tmp_path: Path) -> None:
    boards = read_boards(tmp_path, [*NAMES])
    assert boards.unit == "tasks"
    for scores, unit, other in ((boards, "task", "topic"), (replace(boards, unit="topics"), "topic", "task")):
        for study in (compare, correlate, discriminate, ranks, topic_set_size):
            said = texts(study.silently(scores, topics=["t1", "t2", "t3"]))
            assert unit in said
            assert other not in said

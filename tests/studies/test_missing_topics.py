"""Verdicts on runs that lack topics: cuts of one run, and a literal loop over the topics of both."""

from __future__ import annotations

import json
import random
import re
import warnings
from pathlib import Path
from statistics import mean, stdev

import pytest
from click.testing import CliRunner
from scipy.stats import t as student

from gradeval import compare, evaluate, ranks, report
from gradeval.cli import main
from gradeval.warning_categories import CoverageWarning

Ranked = dict[str, dict[str, float]]
TOPICS = [str(topic) for topic in range(401, 451)]
QRELS = {topic: {"a": 1, "b": 0} for topic in TOPICS}

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def run_of(values: dict[str, float]) -> Ranked:
    """A run whose P@1 of a topic is 1 where its value is above one half."""
    return {topic: {"a": value, "b": 0.5} for topic, value in values.items()}


def cut(run: Ranked, topics: list[str]) -> Ranked:
    return {topic: run[topic] for topic in topics}


WHOLE = run_of({topic: 0.1 if int(topic) % 5 == 0 else 1.0 for topic in TOPICS})
OLD, LATE = cut(WHOLE, TOPICS[:35]), cut(WHOLE, TOPICS[32:])
CONDITION = r"if (\w+'s missing topics|missing topics of \w+ and \w+) count 0"


@pytest.mark.parametrize("measures", ["P@1", "AP"])
@pytest.mark.parametrize("names", [["old", "late"], ["whole", "old", "late"], ["whole", "old"]])
def test_no_cut_of_a_run_is_beaten_without_the_condition(names: list[str], measures: str, tmp_path: Path) -> None:
    runs = {"whole": WHOLE, "old": OLD, "late": LATE}
    scores = evaluate(QRELS, {name: runs[name] for name in names}, measures)
    found = ranks(scores)
    assert len(found.best(measures)) == 1  # else nothing is said to be the best
    assert re.search(f"is the best of {len(names)} runs at alpha 0.05, {CONDITION}$", found.answer(measures))
    page = tmp_path / "page.md"
    report(QRELS, {name: runs[name] for name in names}, measures, studies="none").save(page)
    if len(names) > 2:
        assert re.search(rf"\*\*whole is the best of 3 runs by [\d.]+ over old, {CONDITION}\.\*\*", page.read_text())
    else:  # one sentence tells the topics that are in no run
        assert re.search(r"\d+ topics are not in \w+.* count 0", page.read_text())


@pytest.mark.parametrize("baseline", [None, "old", "best"])
def test_compare_of_more_runs_says_which_losses_rest_on_missing_topics(baseline: str | None) -> None:
    scores = evaluate(QRELS, {"whole": WHOLE, "old": OLD, "late": LATE}, "P@1")
    with pytest.warns(
        CoverageWarning, match=r"by P@1 these losses rest on missing topics, which count 0.*old \+0.0000"
    ):
        found = compare(scores, baseline=baseline)
    assert all(one["rests_on_missing"] == one["significant"] for one in found.to_frame().to_pylist())
    assert "missing topics count 0 (old 15, late 32)" in str(found)
    assert "missing topics count 0 (old 15, late 32)" in found.to_latex().replace("\\", "")


def test_the_condition_is_written_as_data(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 a 1\n{topic} 0 b 0\n" for topic in TOPICS))
    for name, run in {"old": OLD, "late": LATE, "whole": WHOLE}.items():
        lines = [f"{topic} Q0 {doc} 0 {score} {name}\n" for topic in run for doc, score in run[topic].items()]
        (tmp_path / name).write_text("".join(lines))
    places = [str(tmp_path / name) for name in ("qrels", "old", "late", "whole")]
    printed = CliRunner().invoke(main, ["ranks", *places, "-m", "P@1", "-o", str(tmp_path / "ranks.jsonl")])
    assert printed.exit_code == 0, printed.output
    rows = {row["run"]: row for row in map(json.loads, (tmp_path / "ranks.jsonl").read_text().splitlines())}
    assert {name: row["missing"] for name, row in rows.items()} == {"old": 15, "late": 32, "whole": 0}
    assert {name: row["rests_on_missing"] for name, row in rows.items()} == {"old": True, "late": True, "whole": False}


@pytest.mark.parametrize("seed", range(12))
def test_a_condition_is_said_where_common_topics_do_not_show_the_loss(seed: int) -> None:
    draw = random.Random(seed)
    sides = {"one": draw.uniform(0.3, 1), "two": draw.uniform(0.2, 0.7), "three": draw.uniform(0.0, 0.6)}
    lacking = {"one": 0, "two": draw.choice([3, 10, 25]), "three": draw.choice([0, 5, 20])}
    runs = {
        name: run_of({topic: float(draw.random() < side) for topic in draw.sample(TOPICS, 50 - lacking[name])})
        for name, side in sides.items()
    }
    values = {name: {topic: float(run[topic]["a"] > 0.5) for topic in run} for name, run in runs.items()}
    found = ranks(evaluate(QRELS, runs, "P@1"))
    (leader, *others) = found.leaders("P@1")
    resting = set()
    for name in [] if others else {*runs} - {leader}:
        gaps = [values[name][topic] - values[leader][topic] for topic in values[name] if topic in values[leader]]
        spread = stdev(gaps)
        t = abs(mean(gaps)) / spread * len(gaps) ** 0.5
        shown = mean(gaps) < 0 and 2 * student.sf(t, len(gaps) - 1) < 0.05 / 2
        out = name not in found.best("P@1")
        if lacking[name] and (mean(gaps) > 0 or (out and not shown)):
            resting.add(name)
    assert {one.run for one in found.missing_losses[0]} == resting
    assert ("missing" in found.answer("P@1")) == bool(resting)


def test_nothing_is_said_of_runs_that_lose_on_common_topics_anyway_or_lack_nothing() -> None:
    worse = run_of(dict.fromkeys(TOPICS[2:], 0.1))
    for missing in ("zero", "common"):
        scores = evaluate(QRELS, {"whole": WHOLE, "worse": worse}, "P@1", missing=missing)
        assert ranks(scores).answer("P@1") == "P@1: whole is the best of 2 runs at alpha 0.05"
    common = evaluate(QRELS, {"old": OLD, "whole": WHOLE, "old too": OLD}, "P@1", missing="common")
    with warnings.catch_warnings():
        warnings.simplefilter("error", CoverageWarning)
        found = compare(common)
    assert not any(one["rests_on_missing"] for one in found.to_frame().to_pylist())
    assert "count 0" not in str(found)


def test_both_conditions_stand_in_one_sentence() -> None:
    qrels = {topic: {"a": 1, "b": 0, "c": 1} for topic in TOPICS}
    best = {topic: {"a": 2.0, "c": 1.0} for topic in TOPICS}
    strange = {topic: {"x": 3.0, "y": 2.5, "a": 2.0, "c": 1.0} for topic in TOPICS}
    short = cut(best, TOPICS[:25])
    said = ranks(qrels, {"best": best, "strange": strange, "short": short}, "P@2").answer("P@2")
    assert said.endswith(
        "best is the best of 3 runs at alpha 0.05, if unjudged documents of strange are not relevant "
        "and short's missing topics count 0"
    )


@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
@pytest.mark.parametrize("without", [0, 2])
@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_topics_without_relevant_documents_are_said_to_count_as_they_do(
    empty: str, without: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    vacant, lacks = TOPICS[:8], TOPICS[: 8 + without]
    judged = {topic: {"a": int(topic not in vacant), "b": 0} for topic in TOPICS}
    places = {"qrels.json": judged, "old.json": WHOLE, "new.json": {t: WHOLE[t] for t in TOPICS if t not in lacks}}
    for name, table in places.items():
        Path(name).write_text(json.dumps(table))
    result = CliRunner().invoke(main, ["compare", *places, "-m", "P@1", "--empty", empty])
    number = len(lacks) if empty == "zero" else without
    said = " ".join(result.stderr.split())
    assert ("not in new, and count 0" in said) == ("returned nothing" in said) == (number > 0)
    assert (f"{number} topics are not in new, and count 0" in said) == (f"(new: {number};" in said) == (number > 0)
    policy = {"zero": "they count 0", "one": "they count 1", "skip": "they are left out"}[empty]
    assert f"8 of 50 topics hold nothing to be found for P@1; {policy}" in said
    decided = CliRunner().invoke(main, ["gate", *places, "-m", "P@1", "--empty", empty])
    assert (f"(after: {number};" in decided.output) == ("returned nothing" in decided.output) == (number > 0)

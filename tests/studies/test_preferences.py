"""Which of two runs users prefer, against the definitions taken literally."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from gradeval import InputError, evaluate, judge, preferences
from gradeval.studies.preferences import PreferenceRule

RULES: list[PreferenceRule] = ["rpp", "lexiprecision", "lexirecall"]
Rankings = dict[str, dict[str, dict[str, float]]]


def places(ranking: list[str], qrels: dict[str, int], threshold: int) -> list[float]:
    """The ranks of the documents that are relevant to a user, those that are not retrieved at infinity."""
    relevant = [document for document, grade in qrels.items() if grade >= threshold]
    return sorted(ranking.index(document) + 1 if document in ranking else math.inf for document in relevant)


def of_threshold(first: list[float], second: list[float], rule: PreferenceRule) -> float:
    signs = [(one < other) - (one > other) for one, other in zip(first, second, strict=True)]
    if rule == "rpp":
        return sum(signs) / len(signs)
    ordered = signs if rule == "lexiprecision" else signs[::-1]
    return next((sign for sign in ordered if sign), 0)


def of_topic(
    first: list[str], second: list[str], qrels: dict[str, int], rule: PreferenceRule, thresholds: list[int]
) -> float:
    """The definition: rpp counts every user alike, the others every threshold."""
    total, weights = 0.0, 0.0
    for threshold in thresholds:
        one, other = (places(ranking, qrels, threshold) for ranking in (first, second))
        if one:
            weight = len(one) if rule == "rpp" else 1
            total += weight * of_threshold(one, other, rule)
            weights += weight
    return total / weights if weights else 0.0


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Judgments of three topics or four, and rankings of three runs, some of which miss a topic."""
    topics = [f"{number}" for number in range(draw(st.integers(3, 4)))]
    documents = [f"d{number}" for number in range(7)]
    grades = st.dictionaries(st.sampled_from(documents), st.integers(0, 3), min_size=1)
    qrels = {topic: draw(grades) for topic in topics}
    qrels[topics[0]]["d0"] = 3  # so that the levels are 0, 1, 2, 3
    ranking = st.lists(st.sampled_from(documents), unique=True)
    return qrels, {run: {topic: draw(ranking) for topic in topics} for run in "xyz"}


def as_scores(ranked: dict[str, dict[str, list[str]]]) -> Rankings:
    return {
        run: {
            topic: {document: float(-place) for place, document in enumerate(ranking)}
            for topic, ranking in topics.items()
            if ranking
        }
        for run, topics in ranked.items()
    }


@settings(max_examples=60)
@given(collections(), st.sampled_from(RULES), st.sampled_from([None, 2]))
def test_a_preference_is_what_the_definition_says(
    given: tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]], rule: PreferenceRule, rel: int | None
) -> None:
    qrels, ranked = given
    runs = {run: topics for run, topics in as_scores(ranked).items() if topics}
    if len(runs) < 2:
        return
    found = preferences.silently(judge(qrels, runs), measures="AP", rule=rule, rel=rel, samples=20)
    thresholds = [1, 2, 3] if rel is None else [rel]
    for place, (first, second) in enumerate(found.pairs.tolist()):
        one, other = found.runs[first], found.runs[second]
        by_topic = [
            of_topic(ranked[one][topic], ranked[other][topic], qrels[topic], rule, thresholds) for topic in qrels
        ]
        assert found.of(one, other) == pytest.approx(np.mean(by_topic), abs=1e-12)
        assert found.of(other, one) == -found.of(one, other)
        assert found.wins[0, place] == sum(value > 1e-12 for value in by_topic)
        for number, threshold in enumerate(thresholds):
            alone = [
                of_topic(ranked[one][topic], ranked[other][topic], qrels[topic], rule, [threshold])
                for topic in qrels
                if max(qrels[topic].values()) >= threshold
            ]
            assert found.by_threshold[number, place] == pytest.approx(np.mean(alone) if alone else 0.0, abs=1e-12)


QRELS = {f"{topic}": {"a": 2, "b": 1, "c": 1} for topic in range(8)}


def run_of(*documents: str) -> dict[str, dict[str, float]]:
    return {topic: {name: float(-place) for place, name in enumerate(documents)} for topic in QRELS}


def test_runs_that_a_measure_gives_one_value_are_told_apart() -> None:
    """Both have RR 1 everywhere; the second relevant document of x stands higher."""
    runs = {"x": run_of("a", "b", "z", "c"), "y": run_of("a", "z", "b", "c")}
    found = preferences(QRELS, runs, measures="RR", rule="lexiprecision")
    assert found.values.tolist() == [[0.5], [0.0]]  # who takes grade 2 alone sees no difference
    assert found.significant.tolist() == [[True], [False]]
    assert found.preferred.tolist() == [0.5, -0.5]
    assert found.p[0, 0] == 2 / 2**8


def test_the_rules_weigh_users_who_disagree() -> None:
    """x has the first document earlier, y the last one."""
    runs = {"x": run_of("b", "a", "z", "y", "c"), "y": run_of("z", "b", "c", "a")}
    asked = {rule: preferences.silently(QRELS, runs, measures="AP", rule=rule, rel=1).of("x", "y") for rule in RULES}
    assert asked == {"rpp": pytest.approx(1 / 3), "lexiprecision": 1.0, "lexirecall": -1.0}


def test_pairs_are_tested_as_scipy_tests_them() -> None:
    rng = np.random.default_rng(2)
    documents = [f"d{number}" for number in range(9)]
    qrels = {f"{topic}": {name: int(rng.integers(0, 3)) for name in documents} for topic in range(7)}
    runs = {run: {topic: dict(zip(documents, rng.random(9).tolist(), strict=True)) for topic in qrels} for run in "xyz"}
    found = preferences.silently(judge(qrels, runs), measures="AP", correction="none")
    values = evaluate(qrels, runs, "AP").of("AP")
    for place, (first, second) in enumerate(found.pairs.tolist()):
        both = (values[first], values[second])
        p = permutation_test(both, lambda x, y: (x - y).mean(), permutation_type="samples", n_resamples=np.inf).pvalue
        assert found.p[1, place] == pytest.approx(p)


def test_an_empty_topic_counts_as_no_preference_or_not_at_all() -> None:
    qrels = {**QRELS, "empty": {"a": 0}}
    runs = {name: {**run, "empty": {"a": 1.0}} for name, run in {"x": run_of("a", "b"), "y": run_of("z", "a")}.items()}
    whole = preferences.silently(qrels, runs, measures="AP")
    assert whole.of("x", "y") == pytest.approx(8 / 9 * preferences.silently(QRELS, runs, measures="AP").of("x", "y"))
    skipped = preferences.silently(qrels, runs, measures="AP", empty="skip")
    assert (skipped.counted.tolist(), whole.counted.tolist()) == ([8, 8], [9, 9])


def test_a_threshold_above_all_grades_is_refused() -> None:
    with pytest.raises(InputError, match="rel=5 is above all grades; the levels here are 0,1,2"):
        preferences(QRELS, {"x": run_of("a"), "y": run_of("b")}, measures="AP", rel=5)


def test_too_few_draws_are_said() -> None:
    runs = {"x": run_of("a", "b"), "y": run_of("b", "a"), "z": run_of("c", "a")}
    found = preferences.silently(QRELS, runs, measures="AP", samples=30)
    assert any("or more: with 30 samples no pair can be told apart at 0.05" in str(note) for note in found.notes)
    with pytest.raises(InputError, match="'x' is compared with other runs"):
        found.of("x", "x")


def test_what_the_page_says_of_pairs_told_apart_is_in_its_table() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "studies" / "preferences.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    told = {name: (share, of_best) for name, share, _, _, of_best, *_ in (row for row in rows if len(row) == 7)}
    (rpp, few), (gap, gap_few), (ap, ap_few) = (told[name] for name in ("rpp", "GAP", "AP"))
    prose = " ".join(page.split())
    assert f"over all runs it tells apart {rpp}, GAP {gap} and AP {ap}" in prose
    assert f"of the best 15 it tells apart {few}, AP {ap_few} and GAP {gap_few}" in prose

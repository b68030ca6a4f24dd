"""What a score does not depend on: the other runs, the other topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from drawn_measures import configured
from hypothesis import given, settings
from hypothesis import strategies as st

from gradeval import Measure, Qrels, evaluate, judge_arrays, parse_measure
from gradeval.formula.definition import REGISTRY
from gradeval.formula.levels import Levels

grades = st.integers(-1, 3)
documents = st.sampled_from("abcdefgh")
for_a_topic = st.dictionaries(documents, grades, min_size=1)
judgments = st.builds(
    lambda here, there: {"1": here, **there}, for_a_topic, st.dictionaries(st.sampled_from("23"), for_a_topic)
)
of_a_topic = st.dictionaries(documents, st.floats(-2, 2), min_size=1)
# Topic 1 is in all of them: runs and judgments that have no topic in common are refused.
rankings = st.builds(
    lambda here, there: {"1": here, **there}, of_a_topic, st.dictionaries(st.sampled_from("234"), of_a_topic)
)


def measures() -> list[Measure]:
    return [parse_measure(text) for text in ("AP", "nDCG@3", "GAP", "Q@5", "ERR@20", "RBP", "Bpref", "Judged@3")]


@settings(max_examples=50)
@given(judgments, st.lists(rankings, min_size=1, max_size=4))
def test_a_run_scores_the_same_in_company_as_alone(qrels: Any, runs: list[Any]) -> None:
    together = evaluate(qrels, runs, measures())
    assert np.isfinite(together.values).all()
    for place, run in enumerate(runs):
        alone = evaluate(qrels, run, measures())
        np.testing.assert_array_equal(alone.values[0], together.values[place])
        np.testing.assert_allclose(alone.mean()[0], together.mean()[place], rtol=0, atol=1e-14)


@settings(max_examples=50)
@given(judgments, rankings)
def test_a_topic_scores_the_same_chosen_as_among_all(qrels: Any, run: Any) -> None:
    levels = Qrels.from_dict(qrels)
    everything = evaluate(levels, run, measures())
    for topic in set(levels.topics) & run.keys():
        chosen = evaluate(levels, run, measures(), topics=[topic])
        np.testing.assert_array_equal(chosen.values, everything.sel(topics=topic).values)


SCALES: list[Levels] = [
    (0.0, 1.0),
    (0.0, 1.0, 2.0, 3.0),
    (0.0, 0.1, 0.2, 0.3, 0.7, 1.1, 1.3, 1.7, 2.1, 2.3, 3.3),  # so many that NumPy would add them in another order
]


@pytest.mark.parametrize("levels", SCALES, ids=len)
def test_a_value_has_the_same_bits_however_it_is_asked_for(levels: Levels) -> None:
    """Of each registered measure: of many topics, of one, of two runs, from arrays of many queries and of one."""
    rng = np.random.default_rng(len(levels))
    sizes = rng.integers(1, 140, 12)
    lists = [(rng.choice(levels, size), rng.permutation(size).astype(float)) for size in sizes]
    measures = list(dict.fromkeys(configured(one, levels, rng) for one in REGISTRY.values() for _ in range(3)))
    grades, scores = (
        {
            f"t{number}": {f"d{place}": float(value) for place, value in enumerate(one[part])}
            for number, one in enumerate(lists)
        }
        for part in (0, 1)
    )
    qrels = Qrels.from_dict(grades).with_levels(levels)
    expected = evaluate(qrels, scores, measures).values[0]
    assert len(expected) == len(sizes)

    two = evaluate(qrels, {"one": scores, "shorter": {"t0": scores["t0"]}}, measures).values[0]
    one = [evaluate(qrels.select(name), {name: scores[name]}, measures).values[0, 0] for name in grades]
    flat = judge_arrays(*map(np.concatenate, zip(*lists, strict=True)), group=sizes, levels=levels)
    arrays = np.stack([measure(flat) for measure in measures], axis=-1)
    alone = [judge_arrays(*each, levels=levels) for each in lists]
    each = [[float(np.ravel(measure(judged))[0]) for measure in measures] for judged in alone]
    for what, values in {"two runs": two, "one topic": one, "arrays": arrays, "one array": each}.items():
        differ = (np.array(values) != expected).any(0)
        assert [str(measure) for measure, wrong in zip(measures, differ, strict=True) if wrong] == [], what


@pytest.mark.parametrize("levels", SCALES, ids=len)
def test_an_expected_value_has_the_same_bits_whatever_the_order_of_tied_documents(levels: Levels) -> None:
    """Of each registered measure with a closed form: of many topics, of one, with other ids, and from arrays."""
    rng = np.random.default_rng(len(levels))
    sizes = rng.integers(1, 60, 8)
    lists = [(rng.choice(levels, size), rng.integers(0, 1 + size // 3, size).astype(float)) for size in sizes]
    measures = list(dict.fromkeys(configured(one, levels, rng) for one in REGISTRY.values() for _ in range(2)))

    def evaluated(order: int) -> Any:
        """The documents bear their places as ids, or the reverse."""
        grades, scores = (
            {
                f"t{n}": {f"d{1000 + order * i}": float(v) for i, v in enumerate(one[part])}
                for n, one in enumerate(lists)
            }
            for part in (0, 1)
        )
        scored = evaluate(Qrels.from_dict(grades).with_levels(levels), scores, measures, ties="expected")
        return scored.values[0], scored.errors[0]

    expected, errors = evaluated(1)
    closed = ~(errors > 0).any(0)
    assert closed.sum() > 30
    arrays = [judge_arrays(*each, levels=levels, ties="expected") for each in lists]
    alone = [[float(np.ravel(measure(judged))[0]) for measure in measures] for judged in arrays]
    for what, values in {"other ids": evaluated(-1)[0], "arrays": np.array(alone)}.items():
        differ = (values != expected).any(0) & closed
        assert [str(measure) for measure, wrong in zip(measures, differ, strict=True) if wrong] == [], what

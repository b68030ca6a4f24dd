"""What a score does not depend on: the other runs, the other topics."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradeval import Measure, Qrels, evaluate, parse_measure

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


# Up to rounding: how wide the padding is decides in which order a row is added up.
same = partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-15)


@given(judgments, st.lists(rankings, min_size=1, max_size=4))
def test_a_run_scores_the_same_in_company_as_alone(qrels: Any, runs: list[Any]) -> None:
    together = evaluate(qrels, runs, measures())
    assert np.isfinite(together.values).all()
    for place, run in enumerate(runs):
        alone = evaluate(qrels, run, measures())
        # Padding may regroup the terms of a sum, so the last bits may differ.
        np.testing.assert_allclose(alone.values[0], together.values[place], rtol=0, atol=1e-14)
        np.testing.assert_allclose(alone.mean()[0], together.mean()[place], rtol=0, atol=1e-14)


@given(judgments, rankings)
def test_a_topic_scores_the_same_chosen_as_among_all(qrels: Any, run: Any) -> None:
    levels = Qrels.from_dict(qrels)
    everything = evaluate(levels, run, measures())
    for topic in set(levels.topics) & run.keys():
        chosen = evaluate(levels, run, measures(), topics=[topic])
        same(chosen.values, everything.sel(topics=topic).values)

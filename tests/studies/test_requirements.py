"""Settings that no study can work with are refused, in the same words by all of them."""

from __future__ import annotations

import pytest
from score_tables import drawn_scores

from gradeval import InputError, Qrels, Run, judge
from gradeval.studies.compare import compare
from gradeval.studies.correlate import correlate
from gradeval.studies.discriminate import discriminate
from gradeval.studies.simulate import simulate_collection

DRAWN = simulate_collection(topics=5, systems=4, levels=3, depth=20, documents=60, seed=1)
JUDGED = judge(Qrels.from_dict(DRAWN.qrels), [Run.from_dict(run, name) for name, run in DRAWN.runs.items()])


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(InputError, match="seed=-1 is not a whole number from 0"):
        simulate_collection(seed=-1)


@pytest.mark.parametrize("number", [0, 1])
def test_runs_that_cannot_be_compared_are_refused(number: int) -> None:
    for study in (correlate, discriminate, compare):
        with pytest.raises(InputError, match=f"{number} runs? cannot be compared; give at least 2 runs"):
            study(drawn_scores(runs=number))

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradeval import InputError
from gradeval.formula.spelling import parse_measures
from gradeval.studies.informativeness.inform import Informativeness
from gradeval.studies.informativeness.rms_differences import differences_of
from gradeval.tables.records import values_of

RUN, TOPIC = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2], [0, 1, 4, 0, 1, 2, 0, 1, 2, 4]  # no ranking of topic 3


def drawn_errors() -> Informativeness:
    """RMS errors of ten rankings by three measures at two thresholds; one ranking was not inferred by one measure."""
    errors = np.random.default_rng(5).uniform(0, 0.5, (3, 2, 10))
    converged = np.ones((3, 10), bool)
    converged[1, 8] = False
    return Informativeness(
        errors=errors,
        converged=converged,
        run=np.array(RUN),
        topic=np.array(TOPIC),
        measures=parse_measures("AP nDCG GAP"),
        thresholds=(1.0, 2.0),
        runs=["a", "b", "c"],
        topics=["1", "2", "3", "4", "5"],
        counts="retrieved",
        least=1,
        rankings=15,
    )


def literal_means(informativeness: Informativeness, runs: bool, samples: int, seed: int) -> list[list[list[float]]]:
    """The mean errors in each resample, ranking by ranking of the drawn topics (and runs)."""
    rng = np.random.default_rng(seed)
    topics, everyone = [0, 1, 2, 4], [0, 1, 2]
    of_topics = rng.multinomial(4, [1 / 4] * 4, size=samples)
    of_runs = rng.multinomial(3, [1 / 3] * 3, size=samples) if runs else np.ones((samples, 3), int)
    found = []
    for topic_weights, run_weights in zip(of_topics, of_runs, strict=True):
        drawn = [
            place
            for topic, times in zip(topics, topic_weights, strict=True)
            for run, again in zip(everyone, run_weights, strict=True)
            for place in range(10)
            if (RUN[place], TOPIC[place]) == (run, topic) and place != 8
            for _ in range(times * again)
        ]
        errors = informativeness.errors
        found.append([[sum(errors[m, k, drawn]) / len(drawn) if drawn else np.nan for k in (0, 1)] for m in (0, 1, 2)])
    return found


@pytest.mark.parametrize("runs", [False, True])
def test_intervals_are_those_of_a_literal_bootstrap(runs: bool) -> None:
    informativeness = drawn_errors()
    result = differences_of(informativeness, resample_runs=runs, samples=60, alpha=0.1, seed=4)
    drawn = np.array(literal_means(informativeness, runs, 60, 4))
    means = informativeness.mean()
    for pair, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        for threshold in (0, 1):
            at = pair, threshold
            assert result.difference[at] == pytest.approx(means[first, threshold] - means[second, threshold])
            expected = np.nanquantile(drawn[:, first, threshold] - drawn[:, second, threshold], [0.05, 0.95])
            assert result.interval[at] == pytest.approx(expected)
    assert result.undefined.max() == np.isnan(drawn[:, 0, 0]).sum()


def test_the_table_holds_every_threshold_and_the_records_each_by_itself() -> None:
    table = differences_of(drawn_errors(), samples=20).table()
    (grid,) = table.grids
    assert [column.title for column in grid.columns] == ["measure", "minus", "rms from grade 1", "rms from grade 2"]
    assert list(table.records.fields["threshold"]) == [1.0, 2.0] * 3
    assert values_of(table.records.fields["minus"]) == ["nDCG", "nDCG", "GAP", "GAP", "GAP", "GAP"]
    assert set(values_of(table.records.fields["statistic"])) == {"rms difference"}


def test_one_measure_or_one_topic_has_no_interval_of_a_difference() -> None:
    whole = drawn_errors()
    one = replace(whole, errors=whole.errors[:1], converged=whole.converged[:1], measures=whole.measures[:1])
    with pytest.raises(InputError, match="differences are between measures, and here is 1"):
        differences_of(one, samples=5)
    with pytest.raises(InputError, match="need rankings of at least 2 topics"):
        differences_of(replace(whole, topic=np.zeros(10, int)), samples=5)
    assert differences_of(replace(whole, topic=np.arange(10) % 2), samples=5).interval.shape[-1] == 2  # two will do
    with pytest.raises(InputError, match="need rankings of at least 2 runs"):
        differences_of(replace(whole, run=np.zeros(10, int)), resample_runs=True, samples=5)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval import InputError, Scores, evaluate
from gradeval.studies.changes import find_changes

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

QRELS = EXAMPLES / "qrels.txt"

RUNS = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("cedar", "aspen", "oak", "elm")}

LATER = {"cedar": RUNS["cedar"], "oak": RUNS["aspen"], "beech": EXAMPLES / "runs" / "beech.txt"}

MEASURES = "nDCG@10 AP"


@pytest.fixture(scope="module")
def before() -> Scores:
    return evaluate(QRELS, RUNS, MEASURES)


def test_changes_are_paired_tests_of_each_run_with_itself(before: Scores) -> None:
    now = evaluate(QRELS, LATER, MEASURES)
    found = find_changes(now, before)
    assert (found.runs, found.added, found.gone) == (["cedar", "oak"], ["beech"], ["aspen", "elm"])
    old, new = (one.credited[one.runs.index("oak")] for one in (before, now))
    for place in range(2):
        test = ttest_rel(new[:, place], old[:, place])
        assert found.p[1, place] == pytest.approx(test.pvalue, rel=1e-9)
        assert found.interval[1, place] == pytest.approx(np.array(test.confidence_interval()), rel=1e-9)
        assert found.corrected[1, place] == pytest.approx(min(1.0, 2 * test.pvalue), rel=1e-9)
    assert found.difference[0].tolist() == [0, 0]
    assert found.p[0].tolist() == [1, 1]
    assert found.significant.tolist() == [[False, False], [True, True]]


def test_changes_by_a_geometric_mean_are_of_logarithms_and_skipped_topics_are_out() -> None:
    old, new = (evaluate(QRELS, {"one": RUNS[name]}, "gmAP AP", empty="skip") for name in ("oak", "elm"))
    found = find_changes(new, old)
    logs = [np.log(np.maximum(one.values[0, :, 0], 1e-5))[~one.vacant[:, 0]] for one in (old, new)]
    assert found.p[0, 0] == pytest.approx(ttest_rel(logs[1], logs[0]).pvalue, rel=1e-9)
    assert found.now == pytest.approx(new.mean())
    with pytest.raises(InputError, match="treats missing or empty topics otherwise"):
        find_changes(evaluate(QRELS, {"one": RUNS["elm"]}, "AP"), old)

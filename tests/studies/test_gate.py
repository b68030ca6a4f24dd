"""The gate: its rule against SciPy's one-sided tests, what would fool it, and every form of BEFORE."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import nct, t, ttest_1samp
from score_tables import scores_of

from gradeval import CoverageWarning, InputError, Scores, evaluate, gate
from gradeval.studies.significance import infer_means
from gradeval.warning_categories import NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "cedar", "oak")}
MEASURES = "nDCG@10 R@100 AP"


def drawn(seed: int, loss: float, topics: int = 25) -> tuple[Scores, Scores]:
    """Scores of two runs by three measures, of which the first loses something."""
    rng = np.random.default_rng(seed)
    before = rng.random((1, topics, 3))
    moved = 0.1 * rng.normal(size=before.shape) - np.array([loss, 0.0, -0.01])
    return scores_of(before, "AP nDCG P@5"), scores_of(before + moved, "AP nDCG P@5")


def holm_by_hand(p: list[float]) -> list[float]:
    """The smallest times their number, the next times one less ..., never below one before."""
    corrected, last = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        last = max(last, min(1.0, (len(p) - rank) * p[place]))
        corrected[place] = last
    return corrected


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("loss", [0.0, 0.05, 0.1])
def test_worse_is_a_one_sided_test_corrected_over_the_measures(seed: int, loss: float) -> None:
    before, after = drawn(seed, loss)
    found = gate(before, after, alpha=0.1)
    moved = (after.values - before.values)[0].T
    tests = [ttest_1samp(one, 0, alternative="less") for one in moved]
    assert found.p == pytest.approx([test.pvalue for test in tests], rel=1e-9)
    assert found.corrected == pytest.approx(holm_by_hand([test.pvalue for test in tests]), rel=1e-9)
    lower = [ttest_1samp(one, 0, alternative="greater").confidence_interval(0.9).low for one in moved]
    assert found.bound == pytest.approx(lower, rel=1e-9)
    assert found.upper == pytest.approx([test.confidence_interval(0.9).high for test in tests], rel=1e-9)
    worse = [one < 0.1 for one in holm_by_hand([test.pvalue for test in tests])]
    assert list(found.verdicts.values()) == ["worse" if one else "passed" for one in worse]
    assert (found.passed, found.verdict) == (not any(worse), "worse" if any(worse) else "passed")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("margin", [0.05, "AP=.03 nDCG=.06,P@5=.1", {"P@5": 0.01, "AP": 0.2, "nDCG": 0.05}])
def test_not_shown_is_a_test_of_each_measure_against_its_margin(seed: int, margin: Any) -> None:
    before, after = drawn(seed, 0.02)
    found = gate(before, after, fail_if="not-shown", margin=margin)
    margins = {0: [0.05] * 3, 1: [0.03, 0.06, 0.1], 2: [0.2, 0.05, 0.01]}[
        0 if isinstance(margin, float) else 1 if isinstance(margin, str) else 2
    ]
    moved = (after.values - before.values)[0].T
    shown = [
        ttest_1samp(one, -most, alternative="greater").pvalue < 0.05 for one, most in zip(moved, margins, strict=True)
    ]
    assert list(found.verdicts.values()) == ["passed" if one else "not shown" for one in shown]
    assert found.passed == all(shown)
    for one, most, needed in zip(moved, margins, found.needed, strict=True):
        assert needed is not None
        power = [nct.sf(t.isf(0.05, n - 1), n - 1, most / one.std(ddof=1) * np.sqrt(n)) for n in (needed - 1, needed)]
        assert power[0] < 0.8 + 1e-6 <= power[1] + 2e-6  # SciPy's, by another way


def test_of_differences_that_are_all_the_same_only_the_signs_tell() -> None:
    before = scores_of(np.full((1, 12), 0.5))
    lower, higher = (scores_of(np.full((1, 12), value)) for value in (0.49, 0.51))
    assert gate(before, lower).verdict == "worse"
    assert gate(before, lower, fail_if="not-shown").passed
    assert gate(before, higher).p.tolist() == [1 - 2**-12]
    assert gate(before, lower).p.tolist() == [2**-12]
    assert infer_means(np.zeros((1, 5)), 0.05, "less").p.tolist() == [1.0]


@pytest.mark.parametrize("topics", range(2, 9))
def test_so_few_topics_that_lose_alike_do_not_show_that_little_is_lost(topics: int) -> None:
    """All losses are 0.01 of a margin of 0.02: heads on all of n coins, which is rare enough from 5 topics on."""
    before = scores_of(np.full((1, topics), 0.5))
    after = scores_of(np.full((1, topics), 0.49))
    shown = 0.5**topics < 0.05
    found = gate(before, after, fail_if="not-shown")
    assert found.passed == shown
    assert np.isnan(found.bound).tolist() == [not shown]
    assert found.needed == [5]
    assert gate(before, after).passed == (not shown)
    record = json.loads(found.to_json())["measures"][0]
    assert record["lower"] == (pytest.approx(-0.01) if shown else None)
    assert ("none" in str(found)) == (not shown)
    assert ("no interval" in str(found.notes)) == (not shown)


def test_runs_are_scored_as_evaluate_scores_them() -> None:
    found = gate(QRELS, RUNS["elm"], RUNS["cedar"], MEASURES)
    before, after = (evaluate(QRELS, RUNS[name], MEASURES) for name in ("elm", "cedar"))
    assert found.runs == ("elm", "cedar")
    assert (found.before.tolist(), found.after.tolist()) == (before.mean()[0].tolist(), after.mean()[0].tolist())
    moved = (after.values - before.values)[0]
    assert found.difference == pytest.approx(moved.mean(0))
    assert found.wins.tolist() == (moved > 0).sum(0).tolist()
    assert found.losses.tolist() == (moved < 0).sum(0).tolist()
    for place, measure in enumerate(map(str, found.measures)):
        changed = sorted(one for one in moved[:, place].tolist() if one)
        lost, won = [one for one in changed if one < 0], [one for one in changed[::-1] if one > 0]
        for named, most in ((found.moved, len(changed)), (found.most_moved, 3)):
            of_measure = [one for one in named if one.measure == measure]
            assert [one.difference for one in of_measure] == pytest.approx([*lost[:most], *won[:most]])
            for one in of_measure:
                assert one.difference == pytest.approx(moved[before.topics.index(one.topic), place])
    shown = min(3, found.losses[0]) + min(3, found.wins[0])
    assert [one["topic"] for one in json.loads(found.to_json())["moved"]] == [one.topic for one in found.moved]
    assert found.to_markdown().count("| nDCG@10 ") == 1 + shown


def test_options_of_reading_are_those_of_evaluate() -> None:
    how: dict[str, Any] = {"depth": 5, "topics": ["401", "402", "403", "404"], "preset": "dl", "empty": "skip"}
    found = gate(QRELS, RUNS["elm"], RUNS["cedar"], "P@10 AP", **how)
    assert found.after == pytest.approx(evaluate(QRELS, RUNS["cedar"], "P@10 AP", **how).mean()[0])
    assert list(map(str, found.measures)) == ["P(rel=2)@10", "AP(rel=2)"]
    assert gate(QRELS, RUNS["elm"], RUNS["cedar"], "P@10", fail_if="not-shown", margin="P@10=.9", preset="dl").passed
    without = gate(
        JUDGED, HERE, {topic: ranking("b", "a") for topic in JUDGED}, "P@1", exclude={"3": ["b"], "4": ["b"]}
    )
    assert without.after[0] == pytest.approx(2 / 12)


# What would fool it


def ranking(*documents: str) -> dict[str, float]:
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


JUDGED = {str(topic): {"a": 1, "b": 0} for topic in range(12)}
HERE = {topic: ranking("a", "x", "b", "y") for topic in JUDGED}


def test_rankings_that_are_identical_fail_unless_that_is_allowed() -> None:
    rescored = {topic: {document: 10 * score for document, score in one.items()} for topic, one in HERE.items()}
    for after in (HERE, rescored):
        found = gate(JUDGED, HERE, after, "AP P@1")
        assert (found.verdict, found.passed, found.identical) == ("identical", False, "rankings")
        assert found.description == (
            "identical: AFTER ranks as BEFORE does on all 12 topics: did it run? allow_equal=True passes it"
        )
        assert gate(JUDGED, HERE, after, "AP", allow_equal=True).passed
    assert gate(JUDGED, HERE, HERE, "AP", depth=1).verdict == "identical"
    assert "passed" not in str(gate(JUDGED, HERE, HERE, "AP"))


@pytest.mark.parametrize("changed", [ranking("a", "x", "b", "z"), ranking("a", "x", "b"), ranking("a", "y", "b", "x")])
def test_one_unjudged_document_at_the_end_of_one_topic_is_a_difference(changed: dict[str, float]) -> None:
    found = gate(JUDGED, HERE, HERE | {"7": changed}, "AP P@1")
    assert (found.verdict, found.identical, found.difference.tolist()) == ("passed", None, [0, 0])
    # an evaluation that saw the first rank only finds the same values: whole rankings decide
    assert gate(JUDGED, HERE, HERE | {"7": changed}, "P@1", depth=1).passed


def test_of_scores_equal_values_fail() -> None:
    before = evaluate(JUDGED, HERE, "AP P@1")
    found = gate(before, before)
    assert (found.verdict, found.identical) == ("identical", "scores")
    assert "has the values of BEFORE on all 12 topics" in found.reason
    assert gate(before, before, allow_equal=True, fail_if="not-shown").passed


def test_few_topics_are_noted() -> None:
    two = {topic: JUDGED[topic] for topic in ("0", "1")}
    found = gate(two, HERE, {topic: ranking("b", "a") for topic in two}, "P@1")
    assert any(str(note).startswith("2 topics show little") for note in found.notes)


@pytest.mark.parametrize("margin", [-0.01, "-.01", {"P@10": -0.01}])
def test_a_margin_below_0_is_told_as_a_loss_without_a_sign(margin: Any) -> None:
    with pytest.raises(InputError, match=r"-0\.01 is below 0; write the loss without a sign: 0\.01$"):
        gate(QRELS, RUNS["elm"], RUNS["cedar"], "P@10", fail_if="not-shown", margin=margin)


def test_a_margin_that_does_nothing_is_noted() -> None:
    found = gate(*drawn(0, 0.0), margin=0.01)
    (note,) = [one for one in found.notes if "margin" in one.text]
    assert note.text == "the margin does nothing here: only the rule not-shown goes by it"
    assert note.weight is NoteWeight.OMISSION  # always printed


SEVERAL = {name: RUNS[name] for name in ("elm", "oak")}
TWO_TOPICS = scores_of([[0.1, 0.2, 0.3]])
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "nothing": (lambda: gate(), "takes judgments and two runs.*got nothing"),
    "two runs": (lambda: gate(RUNS["elm"], RUNS["oak"]), "or two scores; got"),
    "judgments for scores": (lambda: gate(QRELS, TWO_TOPICS, TWO_TOPICS), "leave the judgments out"),
    "empty": (lambda: gate(JUDGED, HERE, {}, "AP"), "after: .*holds no document; did it run"),
    "empty topics": (lambda: gate(JUDGED, HERE, {"0": {}}, "AP"), "after: .*holds no document; did it run"),
    "one topic": (lambda: gate(JUDGED, HERE, {"0": ranking("a")}, "AP"), "1 topic in common; at least 2"),
    "other topics": (lambda: gate(JUDGED, HERE, {"q0": ranking("a")}, "AP"), "after: no run has a topic of"),
    "no topic in common": (
        lambda: gate(scores_of([[0.1, 0.2]]), Scores.sel(TWO_TOPICS, topics=["3"])),
        "0 topics in common",
    ),
    "several": (lambda: gate(QRELS, RUNS["oak"], SEVERAL, "AP"), "after has 2 runs .elm, oak.; choose one, as in run="),
    "no such run": (lambda: gate(QRELS, SEVERAL, RUNS["cedar"], "AP", run="ash"), "run='ash': no run is called so"),
    "none of its name": (lambda: gate(QRELS, SEVERAL, RUNS["cedar"], "AP"), "before has 2 runs.*called 'cedar'"),
    "no measure in common": (lambda: gate(scores_of([[1, 0]], "AP"), scores_of([[1, 0]], "GAP")), "no measure in comm"),
    "not in the scores": (lambda: gate(QRELS, evaluate(QRELS, RUNS["elm"], "AP"), RUNS["oak"], "P@5"), "before: no sc"),
    "policies": (
        lambda: gate(scores_of([[1, 0]]), scores_of([[1, 0]], empty="skip")),
        "before counts empty topics by zero, after by skip",
    ),
    "rule": (lambda: gate(*drawn(0, 0), fail_if="lower"), "fail_if='lower' is not 'worse' or 'not-shown'"),
    "alpha": (lambda: gate(*drawn(0, 0), alpha=0.5), "alpha=0.5 is not a number above 0 and below 0.5"),
    "margin": (lambda: gate(*drawn(0, 0), margin=0), "margin=0 is not a number above 0"),
    "margin of text": (lambda: gate(*drawn(0, 0), margin="little"), "margin=little: accepted: a number, or one a meas"),
    "margin of one": (lambda: gate(*drawn(0, 0), margin="AP=.1"), "margin=AP=.1: names none for nDCG, P@5"),
    "margin of another": (lambda: gate(*drawn(0, 0), margin={"GAP": 0.1}), "no measure of GAP"),
    "margin below 0": (
        lambda: gate(*drawn(0, 0), margin={"AP": -0.1}),
        "AP=-0.1 is below 0; write the loss without a sign: 0.1",
    ),
    "no score": (lambda: gate(QRELS, RUNS["elm"], RUNS["oak"], "Unjudged@5"), "Unjudged@5: a higher value"),
    "coverage": (lambda: gate(QRELS, RUNS["elm"], RUNS["oak"], "Judged@5"), "Judged@5: a higher value is no better"),
    "unknown": (lambda: gate(*drawn(0, 0), margins=0.1), "gate: there is no 'margins'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_input_is_one_line_that_says_what_to_do(case: str) -> None:
    call, said = REFUSED[case]
    with pytest.raises(InputError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("measure", "kind"), [("NumRelRet", "a sum over topics"), ("gmAP", "a geometric mean")])
def test_sums_and_geometric_means_have_no_margin(measure: str, kind: str) -> None:
    assert gate(QRELS, RUNS["elm"], RUNS["oak"], measure).verdict == "worse"
    with pytest.raises(InputError, match=f"{measure}: is {kind}, which has no margin"):
        gate(QRELS, RUNS["elm"], RUNS["oak"], measure, fail_if="not-shown")


GRADED = {str(topic): {"a": 2, "b": 0, "c": 1} for topic in range(12)}
RANKED = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in GRADED}
FOREIGN = {topic: {"A": 3.0, "B": 2.0} for topic in GRADED}


@pytest.mark.parametrize(
    ("qrels", "before", "after", "said"),
    [
        (GRADED, FOREIGN, RANKED, "before: no document of run is judged"),
        (GRADED, RANKED, FOREIGN, "after: no document of run is judged"),
        ({topic: dict.fromkeys("abc", 0) for topic in GRADED}, RANKED, RANKED, "no topic holds anything to be found"),
    ],
)
def test_what_can_decide_nothing_is_refused(qrels: Any, before: Any, after: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        gate(qrels, before, after, "nDCG@10")


def test_the_verdict_says_which_topics_a_run_lacks() -> None:
    shorter = {topic: documents for topic, documents in RANKED.items() if topic not in "01"}
    with pytest.warns(CoverageWarning):
        decision = gate(GRADED, RANKED, shorter, "P@1")
    assert decision.lacking == {"after": 2}
    assert "12 topics, 2 not in AFTER); " in decision.description

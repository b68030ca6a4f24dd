"""Measures as values: configured or applied, never both; what they refuse; the shapes that they give."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from gradeval import AP, GAP, InputError, JudgedRankings, Run, evaluate, measure, nDCG, parse_measure
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, restore, values_only

JUDGED = JudgedRankings.of([2, 0, 1, None, 2], pool=[3, 2, 3])


def test_a_call_configures_or_scores_but_not_both() -> None:
    assert AP(rel=2)(JUDGED) == pytest.approx((1 / 1 + 2 / 5) / 3)
    with pytest.raises(InputError, match=r"not both at once: write AP\(\.\.\.\)\(judged\)"):
        AP(JUDGED, rel=2)


def test_grades_beside_scores_are_refused_with_what_takes_them() -> None:
    with pytest.raises(InputError, match=r"AP takes rankings.*judge_arrays\(grades, scores\).*gradeval\.ltr\.feval"):
        AP([2, 0, 1], [0.5, 0.3, 0.9])


@pytest.mark.parametrize("given", [3, [2, 0, 1], "AP"])
def test_what_is_no_judged_ranking_is_refused(given: object) -> None:
    with pytest.raises(InputError, match=f"AP scores JudgedRankings or JudgedRuns, not {type(given).__name__}"):
        AP(given)


@pytest.mark.parametrize(
    "text", ["P@1e30", "nDCG@99999999999999999999", "nDCG(discount='jk',base=1e300)", "AP@0", "P@1.5"]
)
def test_numbers_that_no_rank_can_have_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a"):
        parse_measure(text)


@pytest.mark.parametrize("text", ["SCU(A=1e300)", "SetF(beta=1e150)", "RBP@2147483647", "P@2147483647"])
def test_the_largest_numbers_that_are_accepted_can_be_computed_with(text: str) -> None:
    assert np.isfinite(parse_measure(text)(JUDGED)).all()


def test_an_error_of_a_formula_names_the_measure() -> None:
    with pytest.raises(InputError, match=r"^GAP\(g=\[1\]\): g has 1 probabilities"):
        GAP(g=[1])(JUDGED)


def test_numbers_of_topics_and_documents_follow_a_sampled_pool() -> None:
    pool = np.array([[[3, 2, 3]], [[3, 1, 1]]])  # two samples of one topic
    thinned = JudgedRankings(
        JUDGED.grades, JUDGED.ranks, JUDGED.judged, JUDGED.document, pool, JUDGED.levels, JUDGED.retrieved
    )
    assert {np.shape(REGISTRY[name](thinned)) for name in ("NumQ", "NumRet", "NumRel", "AP")} == {(2, 1)}


def test_a_measure_is_restored_from_the_registry() -> None:
    for one in (AP, GAP(g=[0.25, 0.75]) @ 10, nDCG(dcg="exp-log2", judged_only=True)):
        assert pickle.loads(pickle.dumps(one)) == one
        assert copy.copy(one) is one
        assert copy.deepcopy([one])[0] is one


def test_a_measure_that_a_process_does_not_know_keeps_its_spelling_and_its_values() -> None:
    @measure
    def Elsewhere(judged: JudgedRankings, *, least: float = 1.0, cutoff: int | None = None) -> Array:
        """One of a user's."""
        return np.zeros(np.shape(judged.retrieved))

    pickled = pickle.dumps(Elsewhere(least=2) @ 10)
    del REGISTRY["Elsewhere"]  # another process
    restored = pickle.loads(pickled)
    assert str(restored) == "Elsewhere(least=2)@10"
    assert restored == values_only("Elsewhere(least=2)@10")
    assert pickle.loads(pickle.dumps(restored)) == restored
    with pytest.raises(InputError, match=r"^Elsewhere\(least=2\)@10: is known by its values only; define it"):
        restored(JUDGED)
    with pytest.raises(InputError, match="takes no @"):
        restored @ 5


def test_a_pickled_measure_whose_namesake_here_takes_other_parameters_has_values_only() -> None:
    changed = (("lost", 3),)
    assert restore("AP", changed, False, "AP(lost=3)") == values_only("AP(lost=3)")


def test_a_parameter_without_annotation_is_read_like_its_default() -> None:
    @measure
    def TopShare(judged: JudgedRankings, *, least=1.0, cutoff=None):
        """Share of the pooled documents with a grade of at least ``least``."""
        return (judged.grades >= least).mean(-1)

    try:
        assert TopShare(least=2)(JUDGED)[0] == 2 / 4
        with pytest.raises(InputError, match="least='x' is not a number"):
            TopShare(least="x")
    finally:
        del REGISTRY["TopShare"]


def test_a_name_that_is_taken_is_refused() -> None:
    def AP(judged: JudgedRankings) -> object:
        """Not average precision."""
        return judged.retrieved

    with pytest.raises(InputError, match="there is a measure AP already"):
        measure(AP)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (lambda judged: judged.grades.sum(-1) / (0 * judged.retrieved), "its formula gave nan for run bm25, topic 1"),
        (lambda judged: judged.grades, "its formula gave shape"),
        (lambda judged: judged.grades.sum(), "its formula gave shape"),
    ],
)
def test_a_formula_that_gives_no_number_for_each_ranking_is_refused(
    formula: Callable[[JudgedRankings], Array], said: str
) -> None:
    def Own(judged: JudgedRankings) -> Array:
        """One of a user's."""
        with np.errstate(invalid="ignore"):
            return formula(judged)

    own = measure(Own)
    try:
        with pytest.raises(InputError, match=said):
            evaluate({"1": {"a": 0, "b": 1}}, Run.from_dict({"1": {"a": 1.0}}, name="bm25"), [own])
    finally:
        del REGISTRY["Own"]

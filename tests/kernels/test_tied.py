"""Expected values over orders of tied documents are means over all orders, and best and worst are bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, permutations, product
from pathlib import Path

import numpy as np
import pytest

import gradeval
from gradeval import AP, RR, InputError, Measure, P, evaluate, judge, judge_arrays, nDCG, parse_measure
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, REQUIRED
from gradeval.kernels import tied as expectation

EXACT = 1e-12
Judgments = dict[str, int]
Groups = tuple[str, ...]
"""Documents that share their score, a letter each, best first."""

LISTS: dict[str, tuple[Judgments, Groups]] = {
    # letters that are not judged are outside the pool; -1 is in the pool without a judgment; z is never retrieved
    "few orders": ({"a": 2, "b": 0, "c": 1, "d": 3, "e": 0, "z": 1}, ("abxc", "d", "ey")),
    "many orders": ({"a": 0, "b": 2, "c": -1, "d": 1, "e": 3, "f": 1, "z": 3}, ("abcdxe", "f")),
    "all alike": ({"a": 1, "b": 0, "c": -1, "d": 0, "e": 1, "f": 3}, ("abcdef",)),
    "nothing relevant": ({"a": 0, "b": 0, "c": -1, "z": 0}, ("ax", "bcy")),
}


def configured(measure: Measure) -> Measure:
    needed = {name: 0.5 if name == "recall" else 3 for name, value in measure.parameters.items() if value is REQUIRED}
    return measure(**needed) if needed else measure


PLAIN = [configured(measure) for _, measure in sorted(REGISTRY.items())]
CUT = [measure @ 2 for measure in PLAIN if measure.parameters.get("cutoff", REQUIRED) is None]
MORE = [measure(judged_only=True) for measure in PLAIN]
GAINED = [measure(gains={0: 1, 2: 0.5}) for measure in PLAIN if "gains" in measure.parameters]
MEASURES = [*PLAIN, *CUT, *MORE, *GAINED]
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=str)

BOUNDLESS = {"BPM", "Q", "AWP", "G", "nDCGrel", "xGAP", "infAP", "RBPresidual"}
"""The measures of which the documentation says that the order by grade need not be the best one."""


def qrels_of(judgments: Judgments) -> gradeval.Qrels:
    return gradeval.Qrels.from_dict({"1": judgments}).with_levels((0, 1, 2, 3))


def orders(groups: Groups) -> Iterator[str]:
    for parts in product(*(permutations(group) for group in groups)):
        yield "".join(map("".join, parts))


def falling(documents: str) -> dict[str, dict[str, float]]:
    return {"1": {document: -float(place) for place, document in enumerate(documents)}}


def tied(groups: Groups) -> dict[str, dict[str, float]]:
    return {"1": {document: -float(place) for place, group in enumerate(groups) for document in group}}


def scored(name: str, depth: int | None = None, **options: str) -> gradeval.Scores:
    judgments, groups = LISTS[name]
    return evaluate(qrels_of(judgments), tied(groups), MEASURES, negative="unjudged", depth=depth, **options)


def every_order(name: str, depth: int | None) -> Array:
    """float64[order, measure]"""
    judgments, groups = LISTS[name]
    runs = {order: falling(order) for order in orders(groups)}
    assert len(runs) == math.prod(math.factorial(len(group)) for group in groups)
    return evaluate(qrels_of(judgments), runs, MEASURES, negative="unjudged", depth=depth).values[:, 0]


pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
CASES = [(name, depth) for name in LISTS for depth in (None, 3)]
ORDERS = {}
SCORES = {}


@pytest.fixture(scope="module", autouse=True)
def _score_all() -> None:
    for name, depth in CASES:
        ORDERS[name, depth] = every_order(name, depth)
        SCORES.update({(name, depth, ties): scored(name, depth, ties=ties) for ties in ("expected", "best", "worst")})


@every_measure
def test_expected_values_are_means_over_all_orders(measure: Measure) -> None:
    at = MEASURES.index(measure)
    for case in CASES:
        scores = SCORES[*case, "expected"]
        mean = ORDERS[case][:, at].mean()
        error = 0.0 if scores.errors is None else scores.errors[0, 0, at]
        # An estimate that is off by 5 standard errors is wrong: of all these, chance would make one in 10,000 such.
        assert scores.values[0, 0, at] == pytest.approx(mean, abs=EXACT + 5 * error, rel=0), (case, error)


@pytest.mark.parametrize("name", "AP GAP Q muAP nDCG ERR".split())
@pytest.mark.parametrize("scale", [40, 3000])
def test_so_they_are_on_many_levels(name: str, scale: int) -> None:
    """Among the levels of other topics, of which 3,000 are too many for tables of pairs of levels."""
    judgments, groups = {"a": 2.5, "b": 7.25, "c": 0.0, "d": 30.0}, ("abc", "d")
    others = {f"t{number}": {"x": number / 10 + 0.125} for number in range(scale)}
    qrels = gradeval.Qrels.from_dict({"1": judgments, **others})
    expected = evaluate(qrels, tied(groups), name, ties="expected", topics=["1"])
    every = evaluate(qrels, {order: falling(order) for order in orders(groups)}, name, topics=["1"]).mean()[:, 0]
    assert expected.errors is None
    assert expected.mean()[0, 0] == pytest.approx(np.mean(every), rel=1e-9)


SUMS = "AP AP(rel=2) GAP eGAP muAP Q AWP nDCG nDCG@2 DCG@2 P@3 R@3 RBP Rprec gP@3 NDCNG RR RR@2 ERR ERR@2 nERR SetAP"


@pytest.mark.parametrize("name", SUMS.split())
def test_sums_pairs_and_cascades_are_exact(name: str) -> None:
    judgments, groups = LISTS["many orders"]
    scores = evaluate(qrels_of(judgments), tied(groups), name, negative="unjudged", ties="expected")
    assert scores.errors is None


def test_drawn_orders_have_an_error_and_a_seed() -> None:
    at = MEASURES.index(parse_measure("Bpref"))
    first, second = (SCORES["many orders", None, "expected"], scored("many orders", ties="expected"))
    assert first.errors is not None
    assert first.errors[0, 0, at] > 0
    assert np.array_equal(first.values, second.values)
    assert first.standard_errors()[0, at] == first.errors[0, 0, at]  # of one topic
    assert f"Bpref {first.errors[0, 0, at]:.1g}" in str(first)
    judgments, groups = LISTS["many orders"]
    many = [
        evaluate(qrels_of(judgments), tied(groups), "Bpref", negative="unjudged", ties="expected", seed=seed).values[
            0, 0, 0
        ]
        for seed in range(100)
    ]
    assert np.std(many) == pytest.approx(first.errors[0, 0, at], rel=0.3)
    mean = ORDERS["many orders", None][:, at].mean()
    assert np.mean(many) == pytest.approx(mean, abs=5 * first.errors[0, 0, at] / 10)


@every_measure
def test_best_and_worst_are_bounds_of_measures_that_reward_every_rise(measure: Measure) -> None:
    if measure.name in (*BOUNDLESS, "Unjudged") or "gains" in dict(measure.changed):
        pytest.skip("another order may be better")
    at = MEASURES.index(measure)
    for name, depth in CASES:
        if depth is not None and (measure.name in ("AUC", "NumNonRelRet") or measure.judged_only):
            continue  # for these a document outside the pool is better above the depth than a non-relevant one
        best, worst = (SCORES[name, depth, ties].values[0, 0, at] for ties in ("best", "worst"))
        values = ORDERS[name, depth][:, at]
        assert (worst, best) == pytest.approx((values.min(), values.max()), abs=EXACT), (name, depth)


def test_the_documentation_names_the_measures_without_bounds() -> None:
    assert {measure.name for measure in PLAIN if "swap" in measure.definition.exempt} == BOUNDLESS


def test_a_ranking_without_ties_is_scored_as_ever() -> None:
    run = falling("dzaxbyce")
    plain = evaluate(qrels_of(LISTS["few orders"][0]), run, PLAIN)
    for ties in ("expected", "best", "worst"):
        scores = evaluate(qrels_of(LISTS["few orders"][0]), run, PLAIN, ties=ties)
        assert np.array_equal(scores.values, plain.values)
        assert scores.ties == ties


def test_a_value_depends_on_its_ranking_alone() -> None:
    rng = np.random.default_rng(0)
    names = [f"d{number}" for number in range(12)]
    qrels = {topic: {name: int(rng.integers(0, 4)) for name in names} for topic in "123456"}
    runs = {
        run: {topic: {name: float(rng.integers(0, 3)) for name in names} for topic in qrels} for run in ("a", "b", "c")
    }
    together = evaluate(qrels, runs, "AP Bpref RR", ties="expected")
    alone = evaluate(qrels, {"b": runs["b"]}, "AP Bpref RR", ties="expected", topics=["3", "5"])
    np.testing.assert_array_equal(together.sel(runs="b", topics=["3", "5"]).values, alone.values)


def test_a_constant_scorer_has_the_expected_reciprocal_rank_of_a_random_order() -> None:
    run = {"1": {f"d{number:03}": 1.0 for number in range(1000)}}
    for relevant in (1, 3):
        qrels = {"1": {f"d{number:03}": 1 for number in range(relevant)}}
        # The first of r relevant documents is at rank i or below with probability C(1000 - i + 1, r) / C(1000, r).
        beyond = [math.comb(1000 - rank + 1, relevant) / math.comb(1000, relevant) for rank in range(1, 1002)]
        expected = sum((now - after) / rank for rank, (now, after) in enumerate(pairwise(beyond), 1))
        assert evaluate(qrels, run, "RR", ties="expected").values[0, 0, 0] == pytest.approx(expected, rel=1e-10)


def test_ndcg_is_that_of_scikit_learn_which_averages_ties() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    grades, scores = rng.integers(0, 4, (20, 15)), rng.integers(0, 5, (20, 15)).astype(float)
    theirs = [metrics.ndcg_score([g], [s], k=7) for g, s in zip(grades, scores, strict=True)]
    rankings = judge_arrays(grades, scores, ties="expected")
    np.testing.assert_allclose((nDCG @ 7)(rankings), theirs, atol=1e-14)
    assert not rankings.errors(nDCG @ 7).any()


def test_arrays_have_the_values_of_dictionaries() -> None:
    rng = np.random.default_rng(2)
    grades, scores = rng.integers(0, 4, (5, 6)), rng.integers(0, 3, (2, 5, 6)).astype(float)
    mask = rng.random((5, 6)) < 0.8
    qrels = {str(t): {f"d{j}": int(grades[t, j]) for j in range(6) if mask[t, j]} for t in range(5)}
    for ties in ("expected", "best", "worst"):
        rankings = judge_arrays(grades, scores, mask=mask, levels=(0, 1, 2, 3), ties=ties)
        for model in range(2):
            run = {t: {d: scores[model, int(t), int(d[1])] for d in documents} for t, documents in qrels.items()}
            expected = evaluate(gradeval.Qrels.from_dict(qrels).with_levels((0, 1, 2, 3)), run, "AP RR P@2", ties=ties)
            for measure in (AP, RR, P @ 2):
                np.testing.assert_allclose(measure(rankings)[model], expected.of(measure)[0], atol=EXACT)


def test_what_needs_an_order_is_refused() -> None:
    judged = judge({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}, ties="expected")
    for use in (lambda: AP(judged), lambda: judged.rectangle, lambda: list(judged.blocks())):
        with pytest.raises(InputError, match="this needs an order of tied documents"):
            use()
    with pytest.raises(InputError, match="this needs an order of tied documents"):
        gradeval.robustness(judged)
    arrays = judge_arrays([[1, 0]], [[1.0, 1.0]], ties="expected")
    with pytest.raises(InputError, match="this needs an order of tied documents"):
        _ = arrays.rectangle


def test_scores_remember_how_ties_were_treated(tmp_path: Path) -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 1.0}}
    paths = []
    for ties in ("expected", "docid"):
        scores = evaluate(qrels, {"run": run}, "AP", ties=ties)
        assert scores.ties == ties
        paths.append(tmp_path / f"{ties}.parquet")
        scores.save(paths[-1])
        assert gradeval.read_scores(paths[-1]).ties == ties
    with pytest.raises(InputError, match=r"ties='expected', others ties='docid': they do not mix"):
        gradeval.read_scores(*paths)
    both = gradeval.read_scores(*(f"{path.stem}={path}" for path in paths))  # their names keep them apart
    assert both.ties is None


def test_a_closed_form_is_used_only_where_it_gives_the_value_of_the_order_at_hand() -> None:
    """Measures whose values differ from their kernel's in the third digit alone are averaged over orders."""
    tied = judge_arrays([[1, 0, 1, 0], [0, 1, 0, 1]], [[3.0, 2, 2, 1], [2.0, 2, 1, 1]], ties="expected")
    (rankings,) = [part for part in vars(tied).values() if hasattr(part, "judged")]
    values = AP(rankings.judged)
    assert np.isfinite(expectation._closed_form(AP, rankings, values)).all()
    assert np.isfinite(expectation._closed_form(AP, rankings, values * (1 + 1e-12))).all()
    for off in (1e-3, 1e-6, 1e-9):
        assert np.isnan(expectation._closed_form(AP, rankings, values + off)).all()


@pytest.mark.parametrize(("documents", "relevant"), [(3000, 1), (3000, 40), (3000, 2999), (1500, 1500)])
def test_long_ties_of_cascades_are_the_sums_over_all_sets(documents: int, relevant: int) -> None:
    # the first relevant document is at rank r in C(n - r, c - 1) of C(n, c) equally likely sets of ranks
    sets = math.comb(documents, relevant)
    first = [Fraction(math.comb(documents - rank, relevant - 1), sets) for rank in range(1, documents + 1)]
    expected = float(sum(share / rank for rank, share in enumerate(first, 1)))
    qrels = {"1": {f"d{number}": int(number < relevant) for number in range(documents)}}
    run = {"1": dict.fromkeys(qrels["1"], 1.0)}
    scores = evaluate(qrels, run, "RR RR@7", ties="expected")
    assert scores.values[0, 0, 0] == pytest.approx(expected, rel=1e-13)
    head = float(sum(share / rank for rank, share in enumerate(first[:7], 1)))
    assert scores.values[0, 0, 1] == pytest.approx(head, rel=1e-13)

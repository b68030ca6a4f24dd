"""judge_arrays(): arrays score as the same documents in dictionaries do, and as scikit-learn's nDCG."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

import gradeval
from gradeval import InputError, JudgedRankings, judge_arrays
from gradeval.array_checks import read_array

MEASURES = gradeval.formula.spelling.parse_measures(
    "AP AP(rel=2)@5 nDCG nDCG@3 P@4 RR R@5 ERR RBP GAP Q@6 Bpref NumRet infAP RBPresidual"
)


def random_batch(seed: int, shape: tuple[int, ...] = (6, 9)) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, shape), rng.permuted(np.arange(np.prod(shape)).reshape(shape) / 7.0, axis=-1)


def from_dictionaries(grades: np.ndarray, scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """[measure, topic]: the same documents, read as judgments and a run."""
    there = np.ones(grades.shape, bool) if mask is None else mask

    def table(values: np.ndarray) -> dict[str, dict[str, float]]:
        return {
            f"q{row}": {f"d{place:03}": float(values[row, place]) for place in np.flatnonzero(there[row])}
            for row in range(len(values))
        }

    qrels = gradeval.Qrels.from_dict(table(grades)).with_levels((0, 1, 2, 3))
    scored = gradeval.evaluate(qrels, table(scores), MEASURES, ties="order")
    return np.moveaxis(scored.values[0], -1, 0)


def test_arrays_score_as_dictionaries_do() -> None:
    grades, scores = random_batch(1)
    judged = judge_arrays(grades, scores, levels=(0, 1, 2, 3))
    np.testing.assert_allclose([measure(judged) for measure in MEASURES], from_dictionaries(grades, scores), atol=1e-15)


def test_padding_is_as_if_it_were_not_there() -> None:
    grades, scores = random_batch(2)
    mask = np.random.default_rng(3).random(grades.shape) < 0.7
    mask[0], mask[1] = True, False
    padded = np.where(mask, scores, np.nan)
    judged = judge_arrays(np.where(mask, grades, 99), padded, mask=mask, levels=(0, 1, 2, 3))
    values = np.array([measure(judged) for measure in MEASURES])
    rows = mask.any(-1)  # a topic without documents is none in a dictionary
    expected = from_dictionaries(grades[rows], scores[rows], mask[rows])
    np.testing.assert_allclose(values[:, rows], expected, atol=1e-15)
    assert judged.retrieved.tolist() == mask.sum(-1).tolist()


def test_equal_scores_stay_in_the_order_given() -> None:
    grades, scores = random_batch(4)
    coarse = np.floor(scores / 3)
    judged = judge_arrays(grades, coarse, levels=(0, 1, 2, 3))
    expected = from_dictionaries(grades, coarse)
    np.testing.assert_allclose([measure(judged) for measure in MEASURES], expected, atol=1e-15)


@pytest.mark.parametrize("as_sizes", [True, False])
def test_flat_arrays_are_split_by_sizes_or_by_queries(as_sizes: bool) -> None:
    grades, scores = random_batch(5, (1, 9))
    sizes = [2, 4, 3]
    queries = np.repeat(["q9", "q1", "q5"], sizes)
    order = np.arange(9) if as_sizes else np.array([0, 2, 3, 6, 1, 4, 7, 8, 5])  # queries need not be neighbours
    judged = judge_arrays(
        grades[0, order], scores[0, order], group=sizes if as_sizes else queries[order], levels=(0, 1, 2, 3)
    )
    ends = np.cumsum(sizes)
    for row, (begin, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        alone = judge_arrays(grades[:, begin:end], scores[:, begin:end], levels=(0, 1, 2, 3))
        for measure in MEASURES:
            assert measure(judged)[row] == pytest.approx(measure(alone)[0], abs=1e-15), measure


def test_sizes_that_may_be_queries_are_refused() -> None:
    with pytest.raises(InputError, match="may be sizes or one query"):
        judge_arrays([1, 0], [0.2, 0.1], group=[1, 1])


def test_leading_axes_broadcast() -> None:
    grades, _ = random_batch(6)
    scores = np.random.default_rng(7).random((3, 6, 9))
    together = gradeval.AP(judge_arrays(grades, scores))
    assert together.shape == (3, 6)
    for place in range(3):
        np.testing.assert_array_equal(together[place], gradeval.AP(judge_arrays(grades, scores[place])))


def expected_over_all_orders(measure: gradeval.Measure, grades: list[int], scores: list[float]) -> float:
    """The literal definition: the mean over all orders of the documents that the scores allow."""
    groups = [[g for g, s in zip(grades, scores, strict=True) if s == score] for score in sorted(set(scores))[::-1]]
    lists = [[grade for group in order for grade in group] for order in product(*map(permutations, groups))]
    rankings = [JudgedRankings.of(one, levels=(0, 1, 2)) for one in lists]
    return float(np.mean([measure(ranking)[0] for ranking in rankings]))


@pytest.mark.parametrize("name", ["nDCG", "DCG@3", "P@2", "R@4", "RBP", "nDCG@1"])
def test_averaged_ties_are_the_expectation_of_measures_that_add_up(name: str) -> None:
    grades, scores = [0, 2, 1, 0, 2, 1], [0.5, 0.5, 0.9, 0.1, 0.1, 0.1]
    measure = gradeval.parse_measure(name)
    judged = judge_arrays([grades], [scores], ties="average")
    assert measure(judged).mean(0)[0] == pytest.approx(expected_over_all_orders(measure, grades, scores), abs=1e-12)


def test_averaged_ties_of_other_measures_are_unbiased() -> None:
    grades, scores = [0, 2, 1, 0], [0.5, 0.5, 0.5, 0.5]
    estimates = [gradeval.AP(judge_arrays([grades], [scores], ties="average", seed=seed)).mean() for seed in range(400)]
    expected = expected_over_all_orders(gradeval.AP, grades, scores)
    assert np.mean(estimates) == pytest.approx(expected, abs=4 * np.std(estimates) / 400**0.5)


def test_averaged_ties_equal_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    grades, scores = random_batch(8, (5, 8))
    coarse = np.repeat(scores[:, :4], 2, axis=1)  # every score twice
    judged = judge_arrays(grades, coarse, ties="average")
    assert gradeval.nDCG(judged).mean() == pytest.approx(metrics.ndcg_score(grades, coarse), abs=1e-12)


def test_tensors_are_read_without_a_copy_and_gradients_left_alone() -> None:
    torch = pytest.importorskip("torch")
    grades, scores = random_batch(9)
    tensor = torch.tensor(scores, requires_grad=True)
    judged = judge_arrays(torch.tensor(grades), tensor, mask=torch.ones(grades.shape, dtype=torch.bool))
    np.testing.assert_array_equal(judged.grades, judge_arrays(grades, scores).grades)
    assert tensor.requires_grad
    assert np.shares_memory(read_array("scores", tensor), tensor.detach().numpy())
    half = judge_arrays(torch.tensor(grades), torch.tensor(scores, dtype=torch.bfloat16))
    assert half.grades.shape == grades.shape


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]], [[0.1, 0.2, 0.3]]), r"shapes \[1, 2\] and \[1, 3\]"),
        (([[1, 0]], [[0.1, float("nan")]]), r"scores\[0, 1\] is nan"),
        (([[1.0, float("inf")]], [[0.1, 0.2]]), r"grades\[0, 1\] is inf"),
        ((["a"], [0.1]), "not numbers"),
        (([[1, 2], [3]], [[0.1], [0.2]]), "grades"),
        ((1, 2), "axis of documents"),
    ],
)
def test_wrong_arrays_are_refused(arguments: tuple[object, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        judge_arrays(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": (0, 1)}, "grade 2 is not one of the levels 0,1"),
        ({"group": [1, 1]}, "group has 2 entries for 3 documents"),
        ({"mask": [True, 2, False]}, "mask is neither"),
        ({"mask": [True, False], "group": [3]}, "mask has the shape"),
        ({"ties": "docid"}, "ties='docid'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        judge_arrays([0, 1, 2], [0.1, 0.2, 0.3], **options)


def test_negative_grades_are_judged_non_relevant() -> None:
    judged = judge_arrays([[-2, 1]], [[0.2, 0.1]])
    assert judged.pool.tolist() == [[1, 1]]
    assert gradeval.AP(judged).tolist() == [1 / 2]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, np.int8])
@pytest.mark.parametrize("documents", [1, 7, 300, 5000])
def test_documents_are_ordered_as_by_a_stable_sort(kind: type, documents: int) -> None:
    draw = np.random.default_rng(documents)
    scores = draw.integers(-40, 40, (12, documents)).astype(kind)
    expected = [sorted(range(documents), key=lambda place, row=row: -row[place]) for row in scores.tolist()]
    assert judge_arrays(np.ones(scores.shape, int), scores).document.tolist() == expected


@pytest.mark.parametrize("documents", [3, 130, 1000])
def test_scores_that_differ_in_their_last_bits_are_told_apart(documents: int) -> None:
    draw = np.random.default_rng(documents)
    bits = draw.integers(0, 2 * documents, (30, documents)) * 2.0**-52
    for scores in (1 + bits, -1 - bits, bits * 2.0**-1022, np.where(draw.random(bits.shape) < 0.5, 0.0, -0.0)):
        expected = [sorted(range(documents), key=lambda place, row=row: -row[place]) for row in scores.tolist()]
        assert judge_arrays(np.ones(scores.shape, int), scores).document.tolist() == expected


@pytest.mark.parametrize("kind", ["f4", "f8", "i2", "u1", "?"])
def test_slices_of_arrays_are_judged_as_copies_of_them(kind: str) -> None:
    grades, scores = random_batch(10, (12, 18))
    grades = (grades > 1) if kind == "?" else grades.astype(kind)
    mask = np.random.default_rng(11).random(grades.shape) < 0.7
    every_other = (slice(None, None, 2), slice(None, None, -2))
    parts = [array[every_other] for array in (grades, scores, mask)]
    sliced = judge_arrays(*parts[:2], mask=parts[2])
    copied = judge_arrays(*(part.copy() for part in parts[:2]), mask=parts[2].copy())
    for name in ("grades", "ranks", "judged", "document", "pool", "retrieved"):
        np.testing.assert_array_equal(getattr(sliced, name), getattr(copied, name))
    assert sliced.levels == copied.levels == ((0, 1) if kind == "?" else (0, 1, 2, 3))


@pytest.mark.parametrize("scale", [1, 0.5, 30])
@pytest.mark.parametrize("masked", [False, True])
def test_pools_count_the_documents_of_each_level(scale: float, masked: bool) -> None:
    grades, scores = random_batch(12)
    grades = np.where(grades == 1, -1, grades) * scale
    mask = np.random.default_rng(13).random(grades.shape) < 0.7 if masked else np.ones(grades.shape, bool)
    levels = (
        np.arange(91) if scale == 30 else sorted({0, *grades[mask & (grades > 0)]} | ({1} if scale == 1 else set()))
    )
    judged = judge_arrays(grades, scores, mask=mask if masked else None)
    assert judged.levels == tuple(levels)
    clipped = np.maximum(grades, 0)
    expected = [[((row == level) & kept).sum() for level in levels] for row, kept in zip(clipped, mask, strict=True)]
    assert judged.pool.tolist() == expected
    declared = judge_arrays(grades, scores, mask=mask if masked else None, levels=judged.levels)
    assert declared.pool.tolist() == expected
    assert judged.grades.max() == clipped[mask].max()


@pytest.mark.parametrize("shape", [(0, 5), (2, 0), (0, 0)])
def test_there_may_be_nothing_to_judge(shape: tuple[int, int]) -> None:
    values = gradeval.nDCG(judge_arrays(np.zeros(shape), np.zeros(shape)))
    assert values.tolist() == [0.0] * shape[0]

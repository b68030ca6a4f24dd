"""Linear and neural rankers: what they learn, keep and save."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import AP, Features, InputError, evaluate, read_letor
from gradeval.features.folds import rotate

torch = pytest.importorskip("torch")

from gradeval.ltr import Epoch, LinearRanker, NeuralRanker, Objective, Ranker, load_ranker, soft_measure

GAP = "lambdarank:GAP(g=[0.5,0.5])"
OBJECTIVES = (GAP, "lambdarank:nDCG@5", "lambdarank:Bpref", "softrank:AP", "softrank:nDCG", "softrank:ERR")
RANKERS: dict[str, Any] = {
    "linear": lambda objective=GAP, **changes: LinearRanker(objective, **{"epochs": 30, **changes}),
    "neural": lambda objective=GAP, **changes: NeuralRanker(objective, **{"epochs": 30, "hidden": 3, **changes}),
    "relu": lambda objective=GAP, **changes: NeuralRanker(objective, **{"epochs": 30, "activation": "relu", **changes}),
}


@pytest.fixture(params=RANKERS)
def make(request: pytest.FixtureRequest) -> Any:
    return RANKERS[request.param]


def quality(ranker: Ranker, features: Features, measure: str = "GAP(g=[0.5,0.5])") -> float:
    return float(evaluate(features.qrels, features.run(ranker.score(features)), measure, ties="expected").mean()[0, 0])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_training_finds_what_the_grades_depend_on(make: Any, objective: str, train: Features) -> None:
    ranker = make(objective, epochs=60, learning_rate=0.05).fit(train)
    test = graded_features(30, seed=2)
    by_merit = evaluate(test.qrels, test.run(test.X[:, 0] - test.X[:, 1]), "GAP(g=[0.5,0.5])").mean()[0, 0]
    assert quality(ranker, test) > 0.9 * by_merit
    assert ranker.curve[-1].objective > ranker.curve[0].objective


def test_a_linear_ranker_weighs_the_features_that_count(train: Features) -> None:
    weights = LinearRanker(GAP, learning_rate=0.03).fit(train).coefficients
    assert weights[0] > 0 > weights[1]
    assert min(abs(weights[:2])) > max(abs(weights[2:]))


def test_the_best_epoch_on_validation_is_kept(make: Any, train: Features, valid: Features) -> None:
    ranker = make().fit(train, valid)
    measured = [epoch.valid for epoch in ranker.curve]
    assert ranker.best == 1 + measured.index(max(measured))
    assert quality(ranker, valid) == pytest.approx(max(measured), abs=1e-12)
    assert [epoch.number for epoch in ranker.curve] == [*range(1, len(ranker.curve) + 1)]


def test_validation_may_watch_another_measure(train: Features, valid: Features) -> None:
    ranker = LinearRanker(GAP, epochs=5).fit(train, valid, "P@3")
    assert ranker.curve[ranker.best - 1].valid == pytest.approx(quality(ranker, valid, "P@3"), abs=1e-12)
    assert ranker.card is not None
    assert ranker.card.measure == "P@3"


def test_the_first_of_the_best_epochs_is_kept(train: Features, valid: Features) -> None:
    ranker = LinearRanker(GAP, epochs=20).fit(train, valid, "P@1")
    measured = [epoch.valid for epoch in ranker.curve]
    assert measured.count(max(measured)) > 1
    assert ranker.best == 1 + measured.index(max(measured))


def test_the_curve_of_softrank_is_the_mean_over_queries(train: Features) -> None:
    topics = [topic for topic in train.topics if len({*train.select(topic).grades}) > 1]
    ranker = LinearRanker("softrank:AP", epochs=1, learning_rate=1e-20, queries=len(topics) - 1, scaling=None)
    curve = ranker.fit(train).curve  # two batches, one of them of a single query
    soft = []
    for topic in topics:
        part = train.select(topic)
        scores = torch.tensor(part.X.astype(float) @ ranker.coefficients.astype(float))[None]
        soft.append(soft_measure(scores, part.grades[None], "AP", 1.0, levels=train.levels).item())
    assert curve[0].objective == pytest.approx(sum(soft) / len(soft), abs=1e-6)


def test_training_stops_when_patience_ends(train: Features, valid: Features) -> None:
    ranker = LinearRanker(GAP, epochs=1000, patience=3).fit(train, valid)
    assert len(ranker.curve) == ranker.best + 3


def test_without_validation_data_the_last_epoch_is_kept(make: Any, train: Features) -> None:
    ranker = make(patience=1).fit(train)
    assert (ranker.best, len(ranker.curve)) == (30, 30)
    assert all(epoch.valid is None for epoch in ranker.curve)


def test_progress_is_told_of_each_epoch(train: Features, valid: Features) -> None:
    epochs: list[Epoch] = []
    ranker = LinearRanker(GAP, epochs=4).fit(train, valid, progress=epochs.append)
    assert tuple(epochs) == ranker.curve


def test_the_seed_makes_the_ranker(make: Any, train: Features) -> None:
    first, again, other = (make(seed=seed, queries=4).fit(train).score(train) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_training_again_begins_again(train: Features) -> None:
    ranker = LinearRanker(GAP, epochs=3)
    assert (ranker.fit(train).score(train) == ranker.fit(train).score(train)).all()


def test_scales_are_fitted_on_training_data_only(train: Features, valid: Features) -> None:
    shifted = Features.from_arrays(1000 * train.X + 5, train.grades, sizes=np.diff(train.offsets))
    shifted_valid = Features.from_arrays(1000 * valid.X + 5, valid.grades, sizes=np.diff(valid.offsets))
    for scaling in ("z-score", "min-max"):
        plain = LinearRanker(GAP, scaling=scaling, epochs=10).fit(train, valid)
        scaled = LinearRanker(GAP, scaling=scaling, epochs=10).fit(shifted, shifted_valid)
        np.testing.assert_allclose(scaled.score(shifted_valid), plain.score(valid), atol=1e-3)
    raw = LinearRanker(GAP, scaling=None, epochs=10).fit(train)
    np.testing.assert_allclose(raw.score(train), train.X.astype(float) @ raw.coefficients.astype(float), rtol=1e-12)


def test_parameters_may_be_numbers_of_numpy(tmp_path: Path, train: Features) -> None:
    objective = Objective("lambdarank", "AP", np.float32(0.5), np.int64(3))
    place = tmp_path / "checkpoint"
    parameters: Any = {"epochs": np.int64(2), "learning_rate": np.float32(0.5), "seed": np.uint8(1)}
    ranker = LinearRanker(objective, **parameters).fit(train, checkpoint=place)
    again = LinearRanker(objective, **parameters).fit(train, checkpoint=place, resume=True)
    again.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert (loaded.objective, loaded.parameters) == (ranker.objective, ranker.parameters)
    assert ranker.parameters["learning_rate"] == 0.5


def test_loading_and_scoring_need_no_torch(tmp_path: Path, train: Features) -> None:
    ranker = NeuralRanker(GAP, epochs=2).fit(train)
    ranker.save(tmp_path / "model")
    np.save(tmp_path / "X.npy", train.X)
    code = f"""
import sys
sys.modules["torch"] = None  # as if it were not installed
import numpy as np
from gradeval import Features
from gradeval.ltr import load_ranker
X = np.load(r"{tmp_path / "X.npy"}")
print(load_ranker(r"{tmp_path / "model"}").score(Features.from_arrays(X, np.zeros(len(X)), sizes=[len(X)]))[0])
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(done.stdout) == pytest.approx(ranker.score(train)[0], rel=1e-12)


def test_a_query_with_one_document_is_passed_over(train: Features) -> None:
    lonely = Features.from_arrays(np.ones((1, 4)), [2], topics=["lonely"])
    ranker = LinearRanker(GAP, epochs=3, scaling=None)
    assert (ranker.fit(Features.concat([train, lonely])).score(train) == ranker.fit(train).score(train)).all()


@pytest.mark.parametrize("objective", [GAP, "softrank:AP"])
def test_a_document_that_stands_twice_in_a_query_is_two(objective: str, train: Features, valid: Features) -> None:
    ranker = LinearRanker(objective, epochs=3)
    plain = ranker.fit(train, valid).curve
    assert ranker.fit(same_ids(train), same_ids(valid)).curve == plain


def same_ids(features: Features) -> Features:
    sizes = np.diff(features.offsets)
    return Features.from_arrays(features.X, features.grades, sizes=sizes, docs=["d"] * len(features))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_gpu_learns_the_same(make: Any, objective: str, train: Features) -> None:
    on_cpu, on_gpu = (make(objective, epochs=5, device=device).fit(train) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(on_gpu.score(train), on_cpu.score(train), atol=1e-2)


def test_training_leaves_the_threads_of_pytorch_as_they_were(train: Features) -> None:
    before = torch.get_num_threads()
    LinearRanker(GAP, epochs=1, threads=1).fit(train)
    assert torch.get_num_threads() == before


@pytest.fixture(scope="module")
def ohsumed(data: Callable[[str], Path]) -> list[Features]:
    """Its five parts."""
    return [read_letor(data("ohsumed-letor3") / f"S{part}.txt") for part in range(1, 6)]


@pytest.mark.realdata
@pytest.mark.slow
@pytest.mark.parametrize("objective", ["lambdarank:AP", "softrank:GAP(g=[0.5,0.5])"])
def test_linear_rankers_rank_ohsumed_as_well_as_published_ones(
    objective: str, ohsumed: list[Features], data: Callable[[str], Path]
) -> None:
    published = data("ltr-system-scores") / "OHSUMED" / "OHSUMED"
    ours, theirs = [], []
    for number, fold in enumerate(rotate(ohsumed), 1):
        scores = LinearRanker(objective).fit(fold.train, fold.valid).score(fold.test)
        known = np.loadtxt(published / f"svm_rank.Fold{number}.test.score", usecols=-1)
        runs = [fold.test.run(scores, name="ours"), fold.test.run(known, name="theirs")]
        values = evaluate(fold.test.qrels, runs, "AP", ties="expected").values[:, :, 0]
        ours.extend(values[0])
        theirs.extend(values[1])
    difference = np.subtract(ours, theirs)
    assert abs(difference.mean()) < 2 * difference.std() / np.sqrt(len(difference))


def test_the_objective_may_be_given_and_changed_by_its_spelling() -> None:
    ranker = LinearRanker("lambdarank:AP")
    assert ranker.objective == Objective("lambdarank", AP)
    assert ranker.objective is ranker.objective
    ranker.objective = "softrank:nDCG"
    assert ranker.objective.method == "softrank"
    with pytest.raises(InputError, match="unknown measure 'apx'"):
        ranker.objective = "apx"
    assert ranker.objective.method == "softrank"

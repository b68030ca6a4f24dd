"""Linear and neural rankers: what they learn, keep, save and refuse."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graded_features import graded_features
from gradeval import Features, InputError, evaluate, read_letor
from gradeval.features import rotate

torch = pytest.importorskip("torch")

from gradeval.ltr import Epoch, LinearRanker, NeuralRanker, Objective, Ranker, load_ranker  # noqa: E402
from gradeval.ltr.card import fingerprint  # noqa: E402

GAP = "lambdarank:GAP(g=[0.5,0.5])"
OBJECTIVES = (GAP, "lambdarank:nDCG@5", "lambdarank:Bpref", "softrank:AP", "softrank:nDCG", "softrank:ERR")
RANKERS: dict[str, Any] = {
    "linear": lambda objective=GAP, **changes: LinearRanker(objective, **{"epochs": 30, **changes}),
    "neural": lambda objective=GAP, **changes: NeuralRanker(objective, **{"epochs": 30, "hidden": 3, **changes}),
    "relu": lambda objective=GAP, **changes: NeuralRanker(objective, **{"epochs": 30, "activation": "relu", **changes}),
}


@pytest.fixture
def train() -> Features:
    return graded_features(20)


@pytest.fixture
def valid() -> Features:
    return graded_features(15, seed=1, prefix="v")


@pytest.fixture(params=RANKERS)
def make(request: pytest.FixtureRequest) -> Any:
    return RANKERS[request.param]


def quality(ranker: Ranker, features: Features, measure: str = "GAP(g=[0.5,0.5])") -> float:
    return float(evaluate(features.qrels, features.run(ranker.score(features)), measure, ties="order").mean()[0, 0])


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
    assert quality(ranker, valid) == max(measured)
    assert [epoch.number for epoch in ranker.curve] == [*range(1, len(ranker.curve) + 1)]


def test_validation_may_watch_another_measure(train: Features, valid: Features) -> None:
    ranker = LinearRanker(GAP, epochs=5).fit(train, valid, "P@3")
    assert ranker.curve[ranker.best - 1].valid == quality(ranker, valid, "P@3")
    assert ranker.card is not None
    assert ranker.card.measure == "P@3"


def test_training_stops_when_patience_ends(train: Features, valid: Features) -> None:
    ranker = LinearRanker(GAP, epochs=1000, patience=3).fit(train, valid)
    assert len(ranker.curve) == ranker.best + 3


def test_without_validation_data_the_last_epoch_is_kept(make: Any, train: Features) -> None:
    ranker = make(patience=1).fit(train)
    assert (ranker.best, len(ranker.curve)) == (30, 30)
    assert all(epoch.valid is None for epoch in ranker.curve)


def test_progress_is_told_of_each_epoch(train: Features, valid: Features) -> None:
    told: list[Epoch] = []
    ranker = LinearRanker(GAP, epochs=4).fit(train, valid, progress=told.append)
    assert tuple(told) == ranker.curve


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


def test_a_row_scores_the_same_whatever_it_is_scored_with(make: Any, train: Features, valid: Features) -> None:
    ranker = make(epochs=3).fit(train)
    alone = np.concatenate([ranker.score(valid.select(topic)) for topic in valid.topics])
    np.testing.assert_allclose(alone, ranker.score(valid), rtol=1e-12, atol=1e-15)


def test_a_saved_ranker_scores_as_before(make: Any, tmp_path: Path, train: Features, valid: Features) -> None:
    ranker = make(seed=3, scaling="min-max").fit(train, valid)
    ranker.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert type(loaded) is type(ranker)
    assert (loaded.score(valid) == ranker.score(valid)).all()
    assert (loaded.curve, loaded.best, loaded.card) == (ranker.curve, ranker.best, ranker.card)
    assert (loaded.parameters, loaded.aim) == (ranker.parameters, ranker.aim)


def test_a_ranker_travels_between_processes(make: Any, train: Features) -> None:
    ranker = make(epochs=2).fit(train)
    assert (pickle.loads(pickle.dumps(ranker)).score(train) == ranker.score(train)).all()


def test_the_card_tells_where_the_model_comes_from(tmp_path: Path, train: Features, valid: Features) -> None:
    objective = Objective("softrank", "AP", sigma=0.5)  # type: ignore[arg-type]
    ranker = LinearRanker(objective, seed=7, epochs=2).fit(train, valid)
    ranker.save(tmp_path / "model")
    card = json.loads((tmp_path / "model" / "card.json").read_text(encoding="utf-8"))
    assert card["ranker"] == "linear"
    assert card["objective"] == objective.parameters
    assert card["parameters"]["seed"] == 7
    assert card["train"] == {
        "name": "q of 20",
        "topics": 20,
        "rows": len(train),
        "fingerprint": fingerprint(train),
    }
    assert {"gradeval", "python", "numpy", "torch"} <= card["versions"].keys()
    assert card["curve"] == [list(epoch) for epoch in ranker.curve]


def test_parameters_may_be_numbers_of_numpy(tmp_path: Path, train: Features) -> None:
    objective = Objective("lambdarank", "AP", np.float32(0.5), np.int64(3))  # type: ignore[arg-type]
    place = tmp_path / "checkpoint"
    given: Any = {"epochs": np.int64(2), "learning_rate": np.float32(0.5), "seed": np.uint8(1)}
    ranker = LinearRanker(objective, **given).fit(train, checkpoint=place)
    again = LinearRanker(objective, **given).fit(train, checkpoint=place, resume=True)
    again.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert (loaded.aim, loaded.parameters) == (ranker.aim, ranker.parameters)
    assert ranker.parameters["learning_rate"] == 0.5


def test_loading_and_scoring_need_no_torch(tmp_path: Path, train: Features) -> None:
    ranker = NeuralRanker(GAP, epochs=2).fit(train)
    ranker.save(tmp_path / "model")
    np.save(tmp_path / "X.npy", train.X)
    code = f"""
import sys
from collections.abc import Callable
sys.modules["torch"] = None  # as if it were not installed
import numpy as np
from gradeval import Features
from gradeval.ltr import load_ranker
X = np.load(r"{tmp_path / "X.npy"}")
print(load_ranker(r"{tmp_path / "model"}").score(Features.from_arrays(X, np.zeros(len(X)), sizes=[len(X)]))[0])
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(done.stdout) == pytest.approx(ranker.score(train)[0], rel=1e-12)


def test_without_its_engine_a_ranker_says_what_to_install(tmp_path: Path, train: Features) -> None:
    LinearRanker(GAP, epochs=1).fit(train).save(tmp_path / "model")
    code = f"""
import sys
from collections.abc import Callable
sys.modules["torch"] = sys.modules["safetensors"] = None  # as if they were not installed
from gradeval import Features, InputError
from gradeval.ltr import LinearRanker, load_ranker
features = Features.from_arrays([[1], [2]], [0, 1], sizes=[2])
for do in (lambda: LinearRanker("lambdarank:AP").fit(features), lambda: load_ranker(r"{tmp_path / "model"}")):
    try:
        do()
    except InputError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "training a LinearRanker needs torch: pip install 'gradeval[ltr]'",
        "loading a LinearRanker needs safetensors: pip install 'gradeval[ltr]'",
    ]


def test_a_model_of_another_kind_is_refused(tmp_path: Path, train: Features) -> None:
    LinearRanker(GAP, epochs=1).fit(train).save(tmp_path / "model")
    with pytest.raises(InputError, match=r"card.json: a linear ranker, not a neural one; load it with LinearRanker"):
        NeuralRanker.load(tmp_path / "model")
    assert isinstance(LinearRanker.load(tmp_path / "model"), LinearRanker)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("ranker", "forest", "a ranker of kind 'forest'; this gradeval knows linear, neural, tree"),
        ("objective", {"method": "lambdarank"}, "does not describe a linear ranker"),
        ("objective", {"method": "guess", "measure": "AP"}, "unknown method 'guess'"),
        ("parameters", {"hidden": 3}, "does not describe a linear ranker"),
        ("parameters", {"epochs": "many"}, "epochs='many' is not a whole number from 1"),
        ("columns", ["1", "2", "3"], "scaling does not fit the columns"),
        ("best", 999, "best is 999, the curve has 2 epochs"),
    ],
)
def test_a_card_that_describes_no_ranker_is_refused(
    tmp_path: Path, train: Features, field: str, value: Any, message: str
) -> None:
    LinearRanker(GAP, epochs=2).fit(train).save(tmp_path / "model")
    place = tmp_path / "model" / "card.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), field: value}))
    with pytest.raises(InputError, match=message):
        load_ranker(tmp_path / "model")


def test_weights_that_do_not_fit_the_card_are_refused(tmp_path: Path, train: Features) -> None:
    ranker = LinearRanker(GAP, epochs=1, scaling=None).fit(train)
    for weights, message in (
        (b"no safetensors", "no safetensors file"),
        (NeuralRanker(GAP, epochs=1).fit(train)._weights(), "the card tells of"),
        (ranker._weights()[:-16] + np.full(4, np.nan, "<f4").tobytes(), "float32 and finite"),
    ):
        with pytest.raises(InputError, match=message):
            ranker._restore(weights, "weights.safetensors")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epochs": 0}, "epochs=0 is not a whole number from 1"),
        ({"queries": 2.5}, "queries=2.5 is not a whole number from 1"),
        ({"epochs": 2**40}, "epochs=1099511627776 is not a whole number from 1 to 2147483647"),
        ({"learning_rate": 0}, "learning_rate=0 is not a number above 0"),
        ({"learning_rate": "0.1"}, "learning_rate='0.1' is not a number above 0"),
        ({"learning_rate": True}, "learning_rate=True is not a number above 0"),
        ({"learning_rate": np.nan}, "learning_rate=nan is not a number above 0"),
        ({"seed": -1}, "seed=-1 is not a whole number"),
        ({"scaling": "log"}, "scaling='log' is not 'z-score', 'min-max' or None"),
        ({"objective": "AP"}, "cannot read the objective 'AP'"),
    ],
)
def test_parameters_that_make_no_ranker_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LinearRanker(**{"objective": GAP, **parameters})


def test_the_neural_ranker_refuses_layers_that_it_cannot_have() -> None:
    with pytest.raises(InputError, match="hidden=0 is not a whole number from 1 to 1000000"):
        NeuralRanker(GAP, hidden=0)
    with pytest.raises(InputError, match="activation='gelu' is not 'tanh' or 'relu'"):
        NeuralRanker(GAP, activation="gelu")  # type: ignore[arg-type]


def test_other_features_than_those_of_the_training_are_refused(make: Any, train: Features) -> None:
    narrow = graded_features(5, columns=3, prefix="n")
    with pytest.raises(InputError, match=r"n of 5: 3 features \(1 to 3\), q of 20 has 4 features \(1 to 4\)"):
        make().fit(train, narrow)
    ranker = make(epochs=1).fit(train)
    with pytest.raises(InputError, match=r"n of 5: 3 features \(1 to 3\), the ranker was trained on 4 \(1 to 4\)"):
        ranker.score(narrow)
    for scaling in (None, "z-score"):
        renamed = Features.from_arrays(train.X, train.grades, sizes=np.diff(train.offsets), columns=list("abcd"))
        with pytest.raises(InputError, match="give the same ones in the same order"):
            make(epochs=1, scaling=scaling).fit(train).score(renamed)


def test_what_is_not_trained_does_not_score_or_save(make: Any, tmp_path: Path, train: Features) -> None:
    with pytest.raises(InputError, match="is not trained: call fit"):
        make().score(train)
    with pytest.raises(InputError, match="is not trained: call fit"):
        make().save(tmp_path / "model")


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


def test_features_that_do_not_differ_teach_nothing() -> None:
    features = Features.from_arrays(np.ones((4, 2)), [0, 1, 1, 0], sizes=[2, 2], name="flat.txt")
    with pytest.raises(InputError, match=r"flat.txt: nothing to learn: no weight changes lambdarank:AP"):
        LinearRanker("lambdarank:AP").fit(features)


def test_grades_that_are_worth_the_same_teach_nothing(train: Features) -> None:
    with pytest.raises(InputError, match="nothing to learn"):
        LinearRanker("lambdarank:AP(rel=2)").fit(train.with_grades(np.minimum(train.grades, 1)))


@pytest.mark.parametrize("objective", ["lambdarank:AP", "softrank:AP"])
def test_training_that_diverges_says_so(objective: str, train: Features) -> None:
    with pytest.raises(InputError, match=r"training diverged in epoch \d+.*take a lower learning_rate than 1e\+25"):
        NeuralRanker(objective, learning_rate=1e25, activation="relu", queries=4).fit(train)


def test_a_device_that_is_not_there_is_refused(train: Features) -> None:
    with pytest.raises(InputError, match="device='tpu' is not 'cpu' or 'cuda'"):
        LinearRanker(GAP, device="tpu").fit(train)
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="device='cuda': PyTorch sees no GPU here; take device='cpu'"):
            LinearRanker(GAP, device="cuda").fit(train)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_gpu_learns_the_same(make: Any, objective: str, train: Features) -> None:
    on_cpu, on_gpu = (make(objective, epochs=5, device=device).fit(train) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(on_gpu.score(train), on_cpu.score(train), atol=1e-2)


def test_training_leaves_the_threads_of_pytorch_as_they_were(train: Features) -> None:
    before = torch.get_num_threads()
    LinearRanker(GAP, epochs=1, threads=1).fit(train)
    assert torch.get_num_threads() == before


@pytest.mark.realdata
@pytest.mark.slow
@pytest.mark.parametrize("objective", ["lambdarank:AP", "softrank:GAP(g=[0.5,0.5])"])
def test_linear_rankers_rank_ohsumed_as_well_as_published_ones(objective: str, data: Callable[[str], Path]) -> None:
    folder, published = data("ohsumed-letor3"), data("ltr-system-scores") / "OHSUMED" / "OHSUMED"
    ours, theirs = [], []
    for number, fold in enumerate(rotate([read_letor(folder / f"S{part}.txt") for part in range(1, 6)]), 1):
        scores = LinearRanker(objective).fit(fold.train, fold.valid).score(fold.test)
        known = np.loadtxt(published / f"svm_rank.Fold{number}.test.score", usecols=-1)
        runs = [fold.test.run(scores, name="ours"), fold.test.run(known, name="theirs")]
        values = evaluate(fold.test.qrels, runs, "AP", ties="order").values[:, :, 0]
        ours.extend(values[0])
        theirs.extend(values[1])
    difference = np.subtract(ours, theirs)
    assert abs(difference.mean()) < 2 * difference.std() / np.sqrt(len(difference))

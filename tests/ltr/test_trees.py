"""Trees: what they learn, what they keep, and that an interruption leaves no trace."""

from __future__ import annotations

import dataclasses
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import Features, InputError, evaluate
from gradeval.ltr import Epoch, LinearRanker, Objective, TreeRanker, load_ranker
from gradeval.ltr.forest import safe_forest
from gradeval.ltr.trees import _Growth

pytest.importorskip("lightgbm")

GAP = "lambdarank:GAP(g=[0.5,0.5])"


def drawn(seed: int, queries: int = 12, prefix: str = "q") -> Features:
    """Queries of 20 documents whose grades follow two of six features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20 * queries, 6))
    grades = np.clip(np.round(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=len(X))), 0, 2)
    return Features.from_arrays(X, grades, topics=np.repeat([f"{prefix}{n}" for n in range(queries)], 20))


TRAIN, VALID, TEST = drawn(1), drawn(2, prefix="v"), drawn(3, prefix="t")


def ranker(**changes: object) -> TreeRanker:
    settings = {"epochs": 30, "patience": 10, "min_rows": 5, "learning_rate": 0.2, "leaves": 5, **changes}
    objective = settings.pop("objective", GAP)
    return TreeRanker(objective, **settings)  # type: ignore[arg-type]


class Killed(Exception):
    pass


def killed_after(number: int) -> Callable[[Epoch], None]:
    def tell(epoch: Epoch) -> None:
        if epoch.number == number:
            raise Killed

    return tell


@pytest.fixture(scope="module")
def whole() -> TreeRanker:
    """A training that nobody interrupts."""
    return ranker().fit(TRAIN, VALID)


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "GAP(g=[0.5,0.5])", "xGAP", "eGAP", "Q", "ERR", "RBP"])
def test_trees_learn_any_measure(measure: str) -> None:
    trained = ranker(objective=f"lambdarank:{measure}").fit(TRAIN, VALID)
    runs = [TEST.run(trained.score(TEST), name="trained"), TEST.run(np.zeros(len(TEST)), name="file order")]
    trained_mean, random_mean = evaluate(TEST.qrels, runs, measure, ties="order").mean()[:, 0]
    assert trained_mean > random_mean + 0.1


def test_the_first_of_the_best_trees_on_validation_are_kept(whole: TreeRanker) -> None:
    values = [epoch.valid for epoch in whole.curve]
    assert [epoch.number for epoch in whole.curve] == list(range(1, len(values) + 1))
    assert whole.best == values.index(max(values)) + 1  # type: ignore[type-var]
    run = VALID.run(whole.score(VALID))
    assert evaluate(VALID.qrels, [run], "GAP(g=[0.5,0.5])", ties="order").mean()[0, 0] == values[whole.best - 1]


def test_training_stops_after_so_many_trees_in_vain() -> None:
    trained = ranker(epochs=500, patience=7).fit(TRAIN, VALID)
    assert len(trained.curve) == trained.best + 7


def test_without_validation_all_trees_are_kept() -> None:
    trained = ranker().fit(TRAIN)
    assert (trained.best, len(trained.curve)) == (30, 30)
    assert all(epoch.valid is None for epoch in trained.curve)


def test_the_curve_tells_the_measure_on_the_training_queries_before_each_tree() -> None:
    one = ranker(epochs=1).fit(TRAIN)
    run = TRAIN.run(one.score(TRAIN))
    after_one = evaluate(TRAIN.qrels, [run], "GAP(g=[0.5,0.5])", ties="order").mean()[0, 0]
    assert ranker(epochs=2).fit(TRAIN).curve[1].objective == after_one


def test_queries_that_cannot_teach_are_passed_over(whole: TreeRanker) -> None:
    rng = np.random.default_rng(7)
    X, grades = rng.normal(size=(41, 6)), np.repeat([0.0, 2.0, 1.0], [20, 20, 1])
    idle = Features.from_arrays(X, grades, topics=np.repeat(["none", "all", "alone"], [20, 20, 1]))
    more = ranker().fit(Features.concat([TRAIN, idle]), VALID)
    assert more.curve == whole.curve
    np.testing.assert_array_equal(more.score(TEST), whole.score(TEST))


def test_validation_may_watch_another_measure() -> None:
    trained = ranker().fit(TRAIN, VALID, "nDCG@3")
    run = VALID.run(trained.score(VALID))
    best = trained.curve[trained.best - 1].valid
    assert evaluate(VALID.qrels, [run], "nDCG@3", ties="order").mean()[0, 0] == best


def test_the_same_seed_grows_the_same_trees_whatever_the_threads(whole: TreeRanker) -> None:
    again = ranker(threads=2).fit(TRAIN, VALID)
    assert again.curve == whole.curve
    np.testing.assert_array_equal(again.score(TEST), whole.score(TEST))


def test_another_seed_draws_other_queries(whole: TreeRanker) -> None:
    assert not np.array_equal(ranker(seed=1).fit(TRAIN, VALID).score(TEST), whole.score(TEST))
    all_queries = [ranker(seed=seed, subsample=1.0).fit(TRAIN, VALID).score(TEST) for seed in (0, 1)]
    np.testing.assert_array_equal(*all_queries)


@pytest.mark.parametrize("epochs", [1, 4])
def test_every_tree_draws_its_own_queries(epochs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bool, ...]] = []
    given = _Growth._gradients

    def watched(growth: _Growth, scores: np.ndarray[Any, Any]) -> Any:
        gradient, hessian = given(growth, scores)
        looked_at = np.add.reduceat(np.abs(gradient), growth.train.offsets[:-1]) > 0
        assert (looked_at == (np.add.reduceat(hessian, growth.train.offsets[:-1]) > 0)).all()
        seen.append(tuple(looked_at.tolist()))
        return gradient, hessian

    monkeypatch.setattr(_Growth, "_gradients", watched)
    ranker(epochs=epochs).fit(TRAIN)
    assert len(set(seen)) == epochs
    assert {sum(looked_at) for looked_at in seen} == {round(0.6 * len(TRAIN.topics))}


@pytest.mark.parametrize(
    "changes", [{"leaves": 3}, {"min_rows": 40}, {"l2": 1.0}, {"norm": True}, {"learning_rate": 0.1}]
)
def test_every_parameter_acts(whole: TreeRanker, changes: dict[str, object]) -> None:
    assert not np.array_equal(ranker(**changes).fit(TRAIN, VALID).score(TEST), whole.score(TEST))


@pytest.mark.parametrize("number", [1, 5, 12])
def test_a_training_killed_after_some_tree_goes_on_to_the_very_same_trees(
    whole: TreeRanker, number: int, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        ranker().fit(TRAIN, VALID, checkpoint=checkpoint, progress=killed_after(number))
    told: list[Epoch] = []
    resumed = ranker().fit(TRAIN, VALID, checkpoint=checkpoint, resume=True, progress=told.append)
    assert told[0].number == number + 1
    assert (resumed.curve, resumed.best) == (whole.curve, whole.best)
    resumed.save(tmp_path / "resumed")
    whole.save(tmp_path / "whole")
    assert (tmp_path / "resumed/trees.txt").read_bytes() == (tmp_path / "whole/trees.txt").read_bytes()


def test_a_finished_training_is_not_repeated(whole: TreeRanker, tmp_path: Path) -> None:
    ranker().fit(TRAIN, VALID, checkpoint=tmp_path / "checkpoint")
    told: list[Epoch] = []
    again = ranker().fit(TRAIN, VALID, checkpoint=tmp_path / "checkpoint", resume=True, progress=told.append)
    assert told == []
    np.testing.assert_array_equal(again.score(TEST), whole.score(TEST))


def test_a_killed_process_loses_nothing(whole: TreeRanker, tmp_path: Path) -> None:
    code = """
import os, signal, sys
from test_trees import GAP, TRAIN, VALID, ranker
kill = lambda epoch: epoch.number == 9 and os.kill(os.getpid(), signal.SIGKILL)
ranker().fit(TRAIN, VALID, checkpoint=sys.argv[1], progress=kill)
"""
    checkpoint = tmp_path / "checkpoint"
    done = subprocess.run([sys.executable, "-c", code, checkpoint], cwd=Path(__file__).parent, check=False)
    assert done.returncode == -signal.SIGKILL
    resumed = ranker().fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)
    assert resumed.curve == whole.curve
    np.testing.assert_array_equal(resumed.score(TEST), whole.score(TEST))


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    ranker(epochs=2).fit(TRAIN, VALID, checkpoint=checkpoint)
    for other, train in ((ranker(leaves=4), TRAIN), (ranker(), drawn(9)), (ranker(seed=1), TRAIN)):
        with pytest.raises(InputError, match="checkpoint: of a training with other"):
            other.fit(train, VALID, checkpoint=checkpoint, resume=True)
    more = ranker(epochs=3).fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)
    assert len(more.curve) == 3
    with pytest.raises(InputError, match="3 trees are grown, epochs=1 wanted"):
        ranker(epochs=1).fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)


# Saved models


def test_a_saved_model_scores_as_before(whole: TreeRanker, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = TreeRanker.load(tmp_path / "model")
    assert (loaded.curve, loaded.best, loaded.card) == (whole.curve, whole.best, whole.card)
    np.testing.assert_array_equal(loaded.score(TEST), whole.score(TEST))
    assert isinstance(load_ranker(tmp_path / "model"), TreeRanker)
    with pytest.raises(InputError, match="a tree ranker, not a linear one"):
        LinearRanker.load(tmp_path / "model")


def test_the_folder_of_a_model_holds_text_only(whole: TreeRanker, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["card.json", "trees.txt"]
    assert (tmp_path / "model/trees.txt").read_text().startswith("tree\nversion=v4\n")


@pytest.mark.parametrize("text", ["", "tree\n", "GIF89a", None])
def test_truncated_and_foreign_trees_are_clear_errors(whole: TreeRanker, text: str | None, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    trees = tmp_path / "model/trees.txt"
    trees.write_text(trees.read_text()[:-50] if text is None else text)
    with pytest.raises(InputError, match=r"trees\.txt: not the weights"):
        load_ranker(tmp_path / "model")


FAULTS: dict[str, Callable[[str], str]] = {
    "cut short": lambda text: text[: len(text) // 2],
    "no text": lambda text: text.replace("split", "spli\0"),
    "another version": lambda text: text.replace("version=v4", "version=v9"),
    "another width": lambda text: text.replace("max_feature_idx=5", "max_feature_idx=50"),
    "several classes": lambda text: text.replace("num_class=1", "num_class=3"),
    "sizes that lie": lambda text: re.sub(r"tree_sizes=\d+", "tree_sizes=99999", text),
    "a tree less": lambda text: re.sub(r"(tree_sizes=.*) \d+\n", r"\1\n", text),
    "a feature that is not there": lambda text: re.sub(r"(split_feature=)\d", r"\g<1>7", text, count=1),
    "a child that is not there": lambda text: re.sub(r"(left_child=)\S", r"\g<1>9", text, count=1),
    "a circle": lambda text: re.sub(r"(right_child=)\S+", r"\g<1>0", text, count=1),
    "a category": lambda text: re.sub(r"(decision_type=)\d", r"\g<1>1", text, count=1),
    "a value that is no number": lambda text: re.sub(r"(leaf_value=)\S", r"\g<1>x", text, count=1),
    "other names": lambda text: text.replace("Column_0", "Column 0", 1),
    "a number with a blank": lambda text: re.sub(r"(leaf_count=\d)\d", r"\1 ", text, count=1),
    "an unknown field": lambda text: text.replace("num_cat=", "cat_num=", 1),
    "a linear tree": lambda text: text.replace("is_linear=0", "is_linear=1", 1),
    "a shrinkage beyond all numbers": lambda text: re.sub(r"shrinkage=\S+", "shrinkage=1e999", text, count=1),
    "a field twice": lambda text: text.replace("num_leaves=", "num_cat=0\nnum_leaves=", 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_text_that_would_mislead_lightgbm_never_reaches_it(whole: TreeRanker, fault: str, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    text = (tmp_path / "model/trees.txt").read_text()
    safe_forest(text, 6, "trees.txt")
    broken = FAULTS[fault](text)
    assert broken != text
    with pytest.raises(InputError, match=r"^trees\.txt: does not hold whole LightGBM trees \(.+\); train"):
        safe_forest(broken, 6, "trees.txt")


EDITS = """
import random, sys
import lightgbm, numpy
from gradeval import InputError
from gradeval.ltr.forest import safe_forest
text, draw, read = open(sys.argv[1]).read(), random.Random(5), 0
for _ in range(1500):
    edited = list(text)
    for _ in range(draw.choice([1, 1, 2])):
        place, kind = draw.randrange(len(edited)), draw.random()
        if kind < 0.6:
            edited[place] = draw.choice("0123456789-. \\n=e")
        elif kind < 0.8:
            del edited[place : place + draw.choice([1, 5, 50])]
        else:
            edited.insert(place, draw.choice("0123456789- ."))
    try:
        safe = safe_forest("".join(edited), 6, "edited")
    except InputError:
        continue
    lightgbm.Booster(model_str=safe).predict(numpy.zeros((9, 6)))
    read += 1
print(read)
"""


def test_no_edited_text_ends_the_process(whole: TreeRanker, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-c", EDITS, tmp_path / "model/trees.txt"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert 0 < int(done.stdout) < 1500  # some edits change a number only


# What does not fit


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objective": "softrank:AP"}, "trees learn by lambdarank only; write 'lambdarank:AP'"),
        ({"leaves": 1}, "leaves=1 is not a whole number from 2"),
        ({"leaves": 200_000}, "leaves=200000 is not a whole number from 2 to 131072"),
        ({"epochs": 0}, "epochs=0 is not a whole number from 1"),
        ({"epochs": 2**40}, "epochs=1099511627776 is not a whole number from 1 to 2147483647"),
        ({"learning_rate": 0}, "learning_rate=0 is not a number above 0"),
        ({"learning_rate": "0.1"}, "learning_rate='0.1' is not a number above 0"),
        ({"learning_rate": True}, "learning_rate=True is not a number above 0"),
        ({"l2": "0.1"}, "l2='0.1' is not a number from 0"),
        ({"norm": "yes"}, "norm='yes' is not True or False"),
        ({"subsample": 1.5}, "subsample=1.5 is not a number above 0, up to 1"),
        ({"l2": -1}, "l2=-1 is not a number from 0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ranker(**changes)


def test_nothing_to_learn_is_a_clear_error() -> None:
    for grades in (np.zeros(len(TRAIN)), np.full(len(TRAIN), 2)):
        with pytest.raises(InputError, match="nothing to learn"):
            ranker().fit(TRAIN.with_grades(grades), VALID)


def test_rows_too_few_for_a_split_are_a_clear_error() -> None:
    with pytest.raises(InputError, match=r"no split makes GAP.* that leaves 200 rows on either side.*; lower min_rows"):
        ranker(min_rows=200).fit(TRAIN, VALID)


def few_tell() -> Features:
    """Ten queries; the one feature differs only in the first two."""
    X = np.zeros((200, 1))
    X[:40, 0] = np.random.default_rng(0).normal(size=40)
    grades = np.where(np.arange(200) < 40, X[:, 0] > 0.5, np.arange(200) % 4 == 0)
    return Features.from_arrays(X, grades, sizes=[20] * 10)


@pytest.mark.parametrize("seed", range(8))
def test_queries_without_a_split_end_nothing_while_others_have_one(seed: int, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"objective": "lambdarank:AP", "seed": seed, "min_rows": 3, "learning_rate": 0.05}
    whole = ranker(**settings).fit(few_tell())
    assert len(whole.curve) == 30
    for number in (1, 7):
        place = tmp_path / str(number)
        with pytest.raises(Killed):
            ranker(**settings).fit(few_tell(), checkpoint=place, progress=killed_after(number))
        resumed = ranker(**settings).fit(few_tell(), checkpoint=place, resume=True)
        assert (resumed.curve, resumed._weights()) == (whole.curve, whole._weights())


def test_growing_is_over_when_all_queries_together_give_no_split(tmp_path: Path) -> None:
    steep: dict[str, Any] = {"objective": "lambdarank:AP", "min_rows": 3, "learning_rate": 10, "epochs": 50}
    trained = ranker(**steep).fit(few_tell(), checkpoint=tmp_path / "checkpoint")
    assert 1 <= len(trained.curve) < 50  # the pairs are so far apart that nothing pulls any more
    again = ranker(**steep).fit(few_tell(), checkpoint=tmp_path / "checkpoint", resume=True)
    assert again.curve == trained.curve


@pytest.mark.parametrize("sigma", [2.0**-10, 2.0**5])
def test_the_steepness_is_the_scale_of_the_scores(whole: TreeRanker, sigma: float) -> None:
    scaled = ranker(objective=Objective.parse(GAP, sigma=sigma)).fit(TRAIN, VALID)
    np.testing.assert_allclose(sigma * scaled.score(TEST), whole.score(TEST), rtol=1e-6)


def test_features_of_one_value_are_a_clear_error() -> None:
    constant = dataclasses.replace(TRAIN, X=np.ones_like(TRAIN.X))
    with pytest.raises(InputError, match="every feature has one value"):
        ranker().fit(constant)


def test_a_handful_of_rows_is_learnt() -> None:
    few = Features.from_arrays([[1.0], [2.0], [3.0]], [0, 2, 1], sizes=[3])
    scores = ranker(min_rows=1, subsample=1.0).fit(few).score(few)
    assert np.argsort(scores).tolist() == [0, 2, 1]


def test_a_document_that_stands_twice_in_a_query_is_two(whole: TreeRanker) -> None:
    twice = [
        Features.from_arrays(part.X, part.grades, sizes=np.diff(part.offsets), docs=["d"] * len(part))
        for part in (TRAIN, VALID)
    ]
    assert ranker().fit(*twice).curve == whole.curve


def test_other_features_than_those_of_the_training_are_refused(whole: TreeRanker) -> None:
    narrow = dataclasses.replace(TEST, X=TEST.X[:, :5], columns=TEST.columns[:5])
    with pytest.raises(InputError, match="5 features"):
        whole.score(narrow)


def test_without_lightgbm_the_error_says_what_to_install() -> None:
    code = """
import sys
sys.modules["lightgbm"] = None  # as if it were not installed
from gradeval import Features
from gradeval.ltr import TreeRanker
try:
    TreeRanker("lambdarank:AP").fit(Features.from_arrays([[1.0], [2.0]], [0, 1], sizes=[2]))
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "TreeRanker needs lightgbm: pip install 'gradeval[ltr]'\n"

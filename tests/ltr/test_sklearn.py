"""Rankers as estimators of scikit-learn: parameters, arrays, frames, sparse matrices, grid search, routed metadata."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from graded_features import graded_features

from gradeval import Features, FeaturesWarning, InputError, evaluate
from gradeval.ltr import LinearRanker, NeuralRanker, Ranker, TreeRanker, make_scorer

sklearn = pytest.importorskip("sklearn")

TRAIN, VALID = graded_features(20), graded_features(15, seed=1, prefix="v")
NAMES = ["bm25", "tf", "idf", "length"]
OBJECTIVE = "lambdarank:GAP"
RANKERS: dict[str, Ranker] = {
    "linear": LinearRanker(OBJECTIVE, epochs=4, queries=4),
    "neural": NeuralRanker(OBJECTIVE, epochs=3, hidden=3),
    "tree": TreeRanker(OBJECTIVE, epochs=4, min_rows=5),
}


def queries(features: Features) -> list[str]:
    return np.repeat(features.topics, np.diff(features.offsets)).tolist()


def sizes(features: Features) -> list[int]:
    return np.diff(features.offsets).tolist()


def frame(features: Features) -> pd.DataFrame:
    return pd.DataFrame(features.X, columns=NAMES)


@pytest.fixture(params=RANKERS)
def ranker(request: pytest.FixtureRequest) -> Ranker:
    clone: Ranker = sklearn.clone(RANKERS[request.param])
    return clone


def test_parameters_are_those_of_the_constructor(ranker: Ranker) -> None:
    assert type(ranker)(**ranker.get_params()).get_params() == ranker.get_params()
    assert ranker.set_params(epochs=2, objective="lambdarank:AP") is ranker
    assert (ranker.get_params()["epochs"], str(ranker.objective)) == (2, "lambdarank:AP")
    before = ranker.get_params()
    with pytest.raises(InputError, match="epochs=0"):
        ranker.set_params(seed=3, epochs=0)
    with pytest.raises(InputError, match=r"no parameter 'epoch' \(did you mean epochs\?\)"):
        ranker.set_params(epoch=3)
    assert ranker.get_params() == before


def test_a_clone_is_untrained_and_trains_to_the_same(ranker: Ranker) -> None:
    ranker.fit(TRAIN)
    clone = sklearn.clone(ranker)
    assert clone.get_params() == ranker.get_params()
    assert clone.card is None
    np.testing.assert_array_equal(clone.fit(TRAIN).score(VALID), ranker.score(VALID))


TABLES = {
    "array": lambda features: features.X,
    "list": lambda features: features.X.tolist(),
    "sparse": lambda features: scipy.sparse.csr_matrix(features.X),
    "pandas": frame,
    "polars": lambda features: pl.DataFrame(features.X, schema=NAMES),
    "arrow": lambda features: pa.Table.from_pandas(frame(features)),
    "numbered": lambda features: pd.DataFrame(features.X),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("by", ["qid", "group", "column"])
def test_every_table_trains_the_ranker_that_features_train(kind: str, by: str) -> None:
    table, valid = TABLES[kind](TRAIN), TABLES[kind](VALID)
    named: dict[str, Any] = {"qid": queries(TRAIN), "eval_qid": [queries(VALID)]}
    if by == "group":
        named = {"group": sizes(TRAIN), "eval_group": [sizes(VALID)]}
    if by == "column":
        if kind != "pandas":
            pytest.skip("one frame is enough")
        table, valid, named = table.assign(qid=queries(TRAIN)), valid.assign(qid=queries(VALID)), {}
    expected = LinearRanker(OBJECTIVE, epochs=4, patience=1).fit(TRAIN, VALID)
    ranker = LinearRanker(OBJECTIVE, epochs=4, patience=1).fit(
        table, TRAIN.grades, eval_set=[(valid, VALID.grades)], **named
    )
    assert ranker.curve == expected.curve
    np.testing.assert_array_equal(ranker.predict(valid), expected.score(VALID))
    assert ranker.n_features_in_ == 4
    assert ranker.feature_names_in_.tolist() == (NAMES if kind in ("pandas", "polars", "arrow") else list("1234"))


def test_features_are_predicted_as_they_are_scored(ranker: Ranker) -> None:
    ranker.fit(TRAIN, VALID)
    np.testing.assert_array_equal(ranker.predict(VALID), ranker.score(VALID))
    np.testing.assert_array_equal(ranker.predict(VALID.X), ranker.score(VALID))
    np.testing.assert_array_equal(ranker.predict(VALID.X[:1]), ranker.score(VALID)[:1])
    assert ranker.predict(VALID.X[:0]).shape == (0,)


def test_features_are_taken_by_their_names(ranker: Ranker) -> None:
    ranker.fit(frame(TRAIN), TRAIN.grades, qid=queries(TRAIN))
    expected = ranker.predict(VALID.X)
    np.testing.assert_array_equal(ranker.predict(frame(VALID)[["tf", "bm25", "idf", "length"]]), expected)
    more = frame(VALID).assign(more=1.0, title="text")[["title", "tf", "more", "bm25", "idf", "length"]]
    with pytest.warns(FeaturesWarning, match="X: title, more: left out, as the ranker is trained on"):
        np.testing.assert_array_equal(ranker.predict(more), expected)
    with pytest.raises(InputError, match="lacks 'bm25'"):
        ranker.predict(more.drop(columns="bm25"))


def test_names_of_columns_are_checked(ranker: Ranker) -> None:
    ranker.fit(frame(TRAIN), TRAIN.grades, qid=queries(TRAIN))
    with pytest.raises(InputError, match=r"X lacks 'bm25' \(did you mean bm52\?\) among its features"):
        ranker.predict(frame(VALID).rename(columns={"bm25": "bm52"}))
    with pytest.raises(InputError, match="X lacks 'bm25' among its features; give the features of the training"):
        ranker.predict(frame(VALID).drop(columns="bm25").assign(title="a", price=1.0))
    with pytest.raises(InputError, match="X has 3 features, the ranker was trained on 4"):
        ranker.predict(VALID.X[:, :3])
    np.testing.assert_array_equal(ranker.predict(frame(VALID).assign(qid=1)), ranker.predict(VALID.X))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no queries; give one of group="),
        ({"qid": queries(TRAIN), "group": sizes(TRAIN)}, "group= and qid=; give one of"),
        ({"qid": queries(TRAIN)[:-1]}, "topics for"),
        ({"group": [3]}, "add up"),
        ({"y": None, "qid": queries(TRAIN)}, "y is missing, .* of frames give fit.frame, query="),
        ({"y": frame(VALID), "qid": queries(TRAIN)}, "y is a frame, not the grade of each row; of frames give fit"),
        ({"y": -TRAIN.grades, "qid": queries(TRAIN)}, "negative"),
        (
            {"qid": queries(TRAIN), "eval_set": [(VALID.X, VALID.grades)] * 2, "eval_qid": [queries(VALID)]},
            "eval_qid has 1 parts for 2 validation sets",
        ),
        ({"qid": queries(TRAIN), "eval_set": (VALID.X,)}, "eval_set is a pair"),
        ({"qid": queries(TRAIN), "eval_set": (VALID.X, VALID.grades)}, "validation data: no queries"),
        ({"X": TRAIN.X[0], "qid": queries(TRAIN)}, "X has 1 axes, not two"),
        (
            {"X": frame(TRAIN).assign(tf="x"), "qid": queries(TRAIN)},
            r"column 'tf' \(row 0: 'x'\) of X holds something other",
        ),
        ({"X": TRAIN, "y": None, "qid": queries(TRAIN)}, "know their queries"),
        ({"X": TRAIN, "y": TRAIN.grades}, "if the training data are Features, so are the validation data"),
        ({"qid": queries(TRAIN), "sample_weight": [1.0]}, "sample_weight"),
    ],
)
def test_data_that_do_not_fit_are_refused(given: dict[str, Any], said: str) -> None:
    data = {"X": TRAIN.X, "y": TRAIN.grades, **given}
    with pytest.raises(InputError, match=said):
        LinearRanker(OBJECTIVE, epochs=1).fit(data.pop("X"), data.pop("y"), **data)


def test_what_is_not_trained_says_so_as_scikit_learn_expects(ranker: Ranker) -> None:
    from sklearn.utils.validation import check_is_fitted

    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(ranker)
    assert not hasattr(ranker, "feature_names_in_")
    with pytest.raises(InputError, match="not trained"):
        ranker.score(VALID)
    check_is_fitted(ranker.fit(TRAIN))
    with pytest.raises(InputError, match=r"scoring=gradeval\.ltr\.make_scorer"):
        ranker.score(VALID.X, VALID.grades)


def test_a_grid_search_chooses_by_a_measure_over_folds_of_whole_queries(ranker: Ranker) -> None:
    from sklearn.model_selection import GridSearchCV, GroupKFold

    table, folds = frame(TRAIN).assign(qid=queries(TRAIN)), GroupKFold(3)
    search = GridSearchCV(
        ranker,
        {"objective": ["lambdarank:GAP", "lambdarank:nDCG"], "epochs": [1, 3]},
        scoring={"GAP": make_scorer("GAP", levels=(0, 1, 2)), "AP": make_scorer("AP", levels=(0, 1, 2))},
        cv=folds,
        refit="GAP",
        error_score="raise",
    )
    search.fit(table, TRAIN.grades, groups=queries(TRAIN))
    train, test = next(folds.split(table, TRAIN.grades, queries(TRAIN)))
    parameters = {**ranker.get_params(), **search.cv_results_["params"][2]}
    one = type(ranker)(**parameters).fit(table.iloc[train], TRAIN.grades[train])
    tested = Features.from_arrays(TRAIN.X[test], TRAIN.grades[test], topics=np.array(queries(TRAIN))[test].tolist())
    run, qrels = tested.run(one.predict(tested.X)), tested.qrels.with_levels((0, 1, 2))
    for measure in ("GAP", "AP"):
        expected = evaluate(qrels, run, measure, ties="expected").mean()[0, 0]
        assert search.cv_results_[f"split0_test_{measure}"][2] == expected
    assert search.best_estimator_.predict(table).shape == (len(TRAIN),)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_queries_and_weights_are_routed() -> None:
    from sklearn.model_selection import GroupKFold, cross_validate

    ids = np.array(queries(TRAIN))
    weights = 1 + (ids < "q2")
    ranker = sklearn.clone(LinearRanker(OBJECTIVE, epochs=2).set_fit_request(qid=True, sample_weight=True))
    scorer = make_scorer("GAP", levels=(0, 1, 2)).set_score_request(qid=True)
    folds = GroupKFold(3)
    result = cross_validate(
        ranker,
        TRAIN.X,
        TRAIN.grades,
        scoring=scorer,
        cv=folds,
        params={"qid": ids, "sample_weight": weights, "groups": ids},
        error_score="raise",
    )
    train, test = next(folds.split(TRAIN.X, TRAIN.grades, ids))
    one = LinearRanker(OBJECTIVE, epochs=2).fit(
        TRAIN.X[train], TRAIN.grades[train], qid=ids[train], sample_weight=weights[train]
    )
    assert result["test_score"][0] == scorer(one, TRAIN.X[test], TRAIN.grades[test], qid=ids[test])
    with pytest.raises(InputError, match="fit takes no 'weight'"):
        ranker.set_fit_request(weight=True)
    with pytest.raises(InputError, match="a scorer takes no 'groups'"):
        scorer.set_score_request(groups=True)


def test_a_scorer_that_is_not_told_the_queries_says_how() -> None:
    ranker = LinearRanker(OBJECTIVE, epochs=1).fit(TRAIN)
    with pytest.raises(InputError, match="is not told the queries: give X as a frame with a column 'qid'"):
        make_scorer("GAP")(ranker, VALID.X, VALID.grades)
    assert make_scorer("GAP")(ranker, VALID) == pytest.approx(
        evaluate(VALID.qrels, VALID.run(ranker.score(VALID)), "GAP", ties="expected").mean()[0, 0], abs=0
    )


def test_rankers_work_without_scikit_learn() -> None:
    code = """
import sys
sys.modules["sklearn"] = None  # as if it were not installed
import numpy as np
from gradeval.ltr import LinearRanker, make_scorer
X, y, ids = np.eye(4), [0, 1, 0, 1], ["a", "a", "b", "b"]
ranker = LinearRanker("lambdarank:GAP", epochs=1).fit(X, y, qid=ids)
ranker.set_params(**ranker.get_params())
print(len(ranker.predict(X)), make_scorer("GAP")(ranker, X, y, qid=ids) >= 0)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["4", "True"]


def test_a_pipeline_and_pickles_carry_a_ranker(ranker: Ranker) -> None:
    import pickle

    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    step = type(ranker).__name__.lower()
    pipeline = make_pipeline(StandardScaler(), ranker).fit(TRAIN.X, TRAIN.grades, **{f"{step}__qid": queries(TRAIN)})
    assert pipeline.predict(VALID.X).shape == (len(VALID),)
    copied = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(copied.predict(VALID.X), ranker.predict(VALID.X))


def test_the_rows_of_queries_in_third_place_are_no_measures(ranker: Ranker) -> None:
    sizes = np.diff(TRAIN.offsets)
    for given in (sizes, sizes.tolist()):
        with pytest.raises(
            InputError, match=r"holds numbers, not measures; for the rows of each query write group=\.\.\."
        ):
            ranker.fit(TRAIN.X, TRAIN.grades, given)

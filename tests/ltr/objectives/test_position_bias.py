"""The estimated position bias: its formula, its truth, and where it can be read."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import InputError, clicks
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, TreeRanker, load_ranker
from gradeval.ltr.objectives import positions
from gradeval.ltr.objectives.position_bias import PositionBias
from gradeval.warning_categories import ObjectiveWarning

lightgbm = pytest.importorskip("lightgbm")
THETA = np.arange(1, 7) ** -1.0
SETTINGS = {"verbosity": -1, "num_threads": 1, "deterministic": True}


def logged(queries: int, seed: int) -> tuple[Array, Array, Array]:
    """Features, clicks and positions of pages of six, ordered by a feature and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6 * queries, 2))
    shown = (X[:, 0] + rng.normal(size=len(X))).reshape(queries, 6)
    position = np.argsort(np.argsort(-shown, axis=1), axis=1).ravel() + 1
    attraction = 0.5 / (1 + np.exp(-1.5 * X.sum(1)))
    return X, (rng.random(len(X)) < attraction * THETA[position - 1]).astype(float), position


def trained(seed: int, queries: int = 1500, **how: Any) -> TreeRanker:
    X, clicked, position = logged(queries, seed)
    ranker = TreeRanker("lambdarank:AP", epochs=25, learning_rate=0.1, seed=seed)
    return ranker.fit(X, clicked, group=np.full(queries, 6), position=position, **how)


def test_the_variance_is_the_sum_over_queries_of_the_squared_influence() -> None:
    rng = np.random.default_rng(4)
    sizes = [3, 1, 4, 2]
    place = np.array([0, 1, 2, 1, 2, 0, 1, 0, 2, 1])
    gradient, hessian = rng.normal(size=10), rng.random(10)
    offset, sigma = np.array([0.3, -0.2, -0.9]), 0.7
    found = PositionBias.estimate(
        np.array([1, 4, 7]), place, offset, (gradient, hessian), np.append(0, np.cumsum(sizes)), sigma
    )
    query = np.repeat(np.arange(4), sizes)
    for at in range(3):
        influence = []
        for each in range(4):
            terms = [
                sum(gradient[(query == each) & (place == where)]) / sum(hessian[place == where]) for where in (at, 0)
            ]
            influence.append(terms[0] - terms[1])
        error = np.sqrt(sum((one - np.mean(influence)) ** 2 for one in influence))
        distance = offset[at] - offset[0]
        expected = np.exp(sigma * np.array([distance, distance - 1.959964 * error, distance + 1.959964 * error]))
        np.testing.assert_allclose([found.value[at], found.low[at], found.high[at]], expected, rtol=1e-6)
    assert found.rank.tolist() == [1, 4, 7]


def test_intervals_hold_how_often_users_look() -> None:
    held = 0
    for seed in range(4):
        bias = trained(seed).position_bias
        assert bias is not None
        assert (bias.low[1:] < bias.value[1:]).all()
        assert (bias.value[1:] < bias.high[1:]).all()
        held += int(((bias.low <= THETA) & (bias.high >= THETA))[1:].sum())
    assert held >= 17  # of 20


def test_it_is_a_table_that_is_saved_and_comes_to_the_same_after_an_interruption(tmp_path: Path) -> None:
    how = {"checkpoint": tmp_path / "checkpoint"}
    ranker = trained(1, 200, **how)
    bias = ranker.position_bias
    assert bias is not None
    frame = bias.to_frame().to_pandas()
    assert list(frame.columns) == ["rank", "value", "low", "high"]
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    ranker.save(tmp_path / "model")
    loaded: Any = load_ranker(tmp_path / "model")
    resumed = trained(1, 200, **how, resume=True)
    for other in (loaded, resumed):
        assert other.position_bias.rows() == bias.rows()
    X, clicked, _ = logged(200, 1)
    assert TreeRanker("lambdarank:AP", epochs=2).fit(X, clicked, group=np.full(200, 6)).position_bias is None


@pytest.mark.parametrize("way", ["train", "LGBMRanker", "Dataset"])
def test_lightgbm_trains_with_a_copy_and_the_objective_tells_all_the_same(way: str) -> None:
    X, clicked, position = logged(300, 2)
    sizes = np.full(300, 6)
    objective = LambdaObjective("AP", (0, 1), position=None if way == "Dataset" else position)
    plain = LambdaObjective("AP", (0, 1), position=position)
    assert objective.position_bias is None
    lightgbm.train(
        {**SETTINGS, "objective": lambda scores, data: plain(scores, data)},  # which LightGBM does not copy
        lightgbm.Dataset(X, clicked, group=sizes),
        5,
    )
    if way == "LGBMRanker":
        pytest.importorskip("sklearn")
        lightgbm.LGBMRanker(objective=objective.ranker, n_estimators=5, **SETTINGS).fit(X, clicked, group=sizes)
    else:
        shown = {"position": position} if way == "Dataset" else {}
        lightgbm.train({**SETTINGS, "objective": objective}, lightgbm.Dataset(X, clicked, group=sizes, **shown), 5)
    bias = objective.position_bias
    assert bias is not None
    learnt = plain.learnt.offset
    assert learnt is not None
    order = np.arange(6) if way != "Dataset" else position[np.sort(np.unique(position, return_index=True)[1])] - 1
    np.testing.assert_allclose(bias.value, np.exp(learnt[order] - learnt[order[0]]), rtol=1e-6)


def click_log(folder: Path, ranks: tuple[int, ...] = (1, 2, 3)) -> tuple[str, str]:
    rng = np.random.default_rng(0)
    (folder / "qrels.txt").write_text("".join(f"t{t} 0 d{d} {d % 3}\n" for t in range(20) for d in range(6)))
    lines = ["session\ttopic\tdocument\trank\tclick"]
    for session in range(600):
        for rank, document in zip(ranks, rng.permutation(6), strict=False):
            click = int(rng.random() < THETA[rank - 1] * (0.1, 0.5, 0.9)[document % 3])
            lines.append(f"s{session}\tt{session % 20}\td{document}\t{rank}\t{click}")
    (folder / "clicks.tsv").write_text("\n".join(lines) + "\n")
    return str(folder / "clicks.tsv"), str(folder / "qrels.txt")


def test_propensities_are_those_that_clicks_estimates(tmp_path: Path) -> None:
    users = clicks(*click_log(tmp_path), samples=50)
    assert users.examined is not None
    X, clicked, position = logged(50, 3)
    position = (position + 1) // 2
    offsets = np.arange(0, 301, 6)
    found, expected = (
        LambdaObjective("AP", (0, 1), position=position, propensities=each).gradients(X[:, 0], clicked, offsets)
        for each in (users, users.examined.tolist())
    )
    np.testing.assert_array_equal(found, expected)


def test_clicks_that_tell_no_propensity_are_refused(tmp_path: Path) -> None:
    place = click_log(tmp_path, (1, 2, 4))
    with pytest.raises(InputError, match="judged documents at rank 4, and none at rank 3: give the numbers yourself"):
        LambdaObjective("AP", (0, 1), propensities=clicks(*place, samples=50))
    shares = clicks(*place, samples=50, estimator="click-share")
    with pytest.raises(InputError, match='take estimator="position-model"'):
        LambdaObjective("AP", (0, 1), propensities=shares)


def test_weights_are_warned_of_and_offsets_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "_WARNED", {})
    with pytest.warns(ObjectiveWarning, match=r'correction="weights" ranks worse than "offsets"'):
        LambdaObjective("AP", (0, 1), correction="weights")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ObjectiveWarning)
        LambdaObjective("AP", (0, 1), correction="offsets")


def test_the_chart_shows_each_position_with_its_interval() -> None:
    pytest.importorskip("altair")
    bias = PositionBias.of_rows([[1, 1, 1, 1], [2, 0.5, 0.3, 0.8], [3, 0.2, 0.1, None]])
    area, line = bias.plot().altair.to_dict()["layer"]
    assert area["data"]["values"] == [
        {"rank": 1, "value": 1, "low": 1, "high": 1},
        {"rank": 2, "value": 0.5, "low": 0.3, "high": 0.8},
        {"rank": 3, "value": 0.2, "low": 0.1, "high": 0.2},
    ]
    assert line["encoding"]["y"]["field"] == "value"

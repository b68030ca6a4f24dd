"""Trees that an engine grew, LightGBM, XGBoost or CatBoost, behind one face: what they score by, how they are saved and
read."""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Self

import numpy as np

from gradeval._core import InputError
from gradeval.features.single_precision import ALL_IN_SINGLE
from gradeval.formula.arithmetic import Array
from gradeval.ltr.rankers.kinds import require_engine


@dataclass(frozen=True, eq=False)
class Forest(ABC):
    """Trees of one engine.

    Attributes
    ----------
    booster : the engine's own Booster.
    engine, title : the package of the engine, and its name.
    file : the file of a model's folder that holds the trees, in the engine's own format.
    """

    booster: Any

    engine: ClassVar[str]
    title: ClassVar[str]
    file: ClassVar[str]

    @classmethod
    @abstractmethod
    def parse(cls, data: bytes, place: str) -> Self:
        """Read what ``serialize`` wrote. The engine trusts it: a model's folder is compared with its digest before."""

    @abstractmethod
    def serialize(self) -> bytes:
        """The trees in the engine's own format."""

    @property
    @abstractmethod
    def trees(self) -> int:
        """How many there are."""

    @property
    @abstractmethod
    def has_split(self) -> bool:
        """Whether the first tree is more than a leaf."""

    @abstractmethod
    def score(self, X: Array, threads: int) -> Array:
        """float64[row]: the scores of rows float32[row, feature]."""

    @abstractmethod
    def contributions(self, X: Array, threads: int) -> Array:
        """float64[row, feature + 1]: the engine's SHAP values, and in the last column the mean score."""

    @abstractmethod
    def importances(self, features: int) -> dict[str, Array]:
        """float64[feature] by kind: "gain", by how much the splits by each of ``features`` features improved the loss
        in all, or "change", by how much they change scores; and "split", how many there are."""


class LightGBMForest(Forest):
    """Trees of LightGBM, saved as its text."""

    engine: ClassVar[str] = "lightgbm"
    title: ClassVar[str] = "LightGBM"
    file: ClassVar[str] = "trees.txt"

    @classmethod
    def of(cls, booster: Any, trees: int | None = None) -> Self:
        """The first trees of a Booster that was trained on numbers as tables keep them, by default all. They score
        numbers that are not rounded yet as if they were."""
        text = _move_limits(text_of(booster, trees))
        if "\nobjective=" not in text:  # it was a function of Python; readers such as onnxmltools want the name of one
            text = text.replace("\nfeature_names=", "\nobjective=lambdarank\nfeature_names=", 1)
        return cls(lightgbm_engine().Booster(model_str=text))

    @classmethod
    def parse(cls, data: bytes, place: str) -> Self:
        engine = lightgbm_engine()
        try:
            return cls(engine.Booster(model_str=data.decode()))
        except (ValueError, engine.basic.LightGBMError) as error:
            raise _unread(place, cls.title, error) from None

    def serialize(self) -> bytes:
        return self.text.encode()

    @cached_property
    def text(self) -> str:
        """The trees in LightGBM's text format."""
        return text_of(self.booster)

    @property
    def trees(self) -> int:
        return int(self.booster.num_trees())

    @property
    def has_split(self) -> bool:
        return not has_no_split(self.booster)

    def score(self, X: Array, threads: int) -> Array:
        scores: Array = self.booster.predict(X, raw_score=True, num_threads=threads)
        return scores

    def contributions(self, X: Array, threads: int) -> Array:
        values: Array = self.booster.predict(X, pred_contrib=True, num_threads=threads)
        return values

    def importances(self, features: int) -> dict[str, Array]:  # noqa: ARG002 - LightGBM knows how many
        return {kind: self.booster.feature_importance(kind).astype(float) for kind in ("gain", "split")}


class XGBoostForest(Forest):
    """Trees of XGBoost, saved in its JSON."""

    engine: ClassVar[str] = "xgboost"
    title: ClassVar[str] = "XGBoost"
    file: ClassVar[str] = "trees.json"

    @classmethod
    def of(cls, booster: Any) -> Self:
        """The trees of a Booster before the first without a split, which is kept only where it is the first."""
        useful = len([*takewhile(_has_split, _xgboost_trees(booster))]) or 1
        return cls(booster[:useful])

    @classmethod
    def parse(cls, data: bytes, place: str) -> Self:
        with require_engine("reading trees of XGBoost"):
            import xgboost
        booster = xgboost.Booster()
        try:
            booster.load_model(bytearray(data))
        except (ValueError, xgboost.core.XGBoostError) as error:
            raise _unread(place, cls.title, error) from None
        return cls(booster)

    def serialize(self) -> bytes:
        return bytes(self.booster.save_raw("json"))

    @property
    def trees(self) -> int:
        return int(self.booster.num_boosted_rounds())

    @property
    def has_split(self) -> bool:
        return _has_split(_xgboost_trees(self.booster)[0])

    def score(self, X: Array, threads: int) -> Array:
        self.booster.set_param({"nthread": threads})
        return np.asarray(self.booster.inplace_predict(X, predict_type="margin"), float)

    def contributions(self, X: Array, threads: int) -> Array:
        import xgboost

        self.booster.set_param({"nthread": threads})
        rows = xgboost.DMatrix(X, nthread=threads)
        return np.asarray(self.booster.predict(rows, pred_contribs=True), float)

    def importances(self, features: int) -> dict[str, Array]:
        named = {"gain": "total_gain", "split": "weight"}
        by_kind = {kind: self.booster.get_score(importance_type=name) for kind, name in named.items()}
        return {
            kind: np.array([float(by_feature.get(f"f{place}", 0)) for place in range(features)])
            for kind, by_feature in by_kind.items()
        }


class CatBoostForest(Forest):
    """Symmetric trees of CatBoost, saved in its binary format."""

    engine: ClassVar[str] = "catboost"
    title: ClassVar[str] = "CatBoost"
    file: ClassVar[str] = "trees.cbm"

    @classmethod
    def of(cls, model: Any, trees: int | None = None) -> Self:
        """The first trees of a model, by default all, without what it says of their training: times, random names and
        settings."""
        if trees is not None and trees < model.tree_count_:
            model.shrink(trees)
        said = model.get_metadata()
        for name in list(said.keys()):
            del said[name]
        return cls(model)

    @classmethod
    def parse(cls, data: bytes, place: str) -> Self:
        engine = catboost_engine("reading trees of CatBoost")
        try:
            return cls(engine.CatBoost().load_model(blob=data))
        except engine.CatBoostError as error:
            raise _unread(place, cls.title, error) from None

    def serialize(self) -> bytes:
        return bytes(self.booster._serialize_model())

    @property
    def trees(self) -> int:
        return int(self.booster.tree_count_)

    @property
    def has_split(self) -> bool:
        return bool(self._trees[0]["splits"])

    def score(self, X: Array, threads: int) -> Array:
        return np.asarray(self.booster.predict(X, thread_count=threads or -1), float)

    def contributions(self, X: Array, threads: int) -> Array:
        rows = catboost_engine().Pool(X)
        return np.asarray(self.booster.get_feature_importance(rows, "ShapValues", thread_count=threads or -1), float)

    def importances(self, features: int) -> dict[str, Array]:
        places = [split["float_feature_index"] for tree in self._trees for split in tree["splits"]]
        change = self.booster.get_feature_importance(type="PredictionValuesChange")
        return {"change": np.asarray(change, float), "split": np.bincount(places, minlength=features).astype(float)}

    @cached_property
    def _trees(self) -> list[Mapping[str, Sequence[Any]]]:
        """The trees of CatBoost's JSON format."""
        with TemporaryDirectory() as folder:
            place = os.path.join(folder, "trees.json")
            self.booster.save_model(place, format="json")
            with open(place, encoding="utf-8") as file:
                trees: list[Mapping[str, Sequence[Any]]] = json.load(file)["oblivious_trees"]
        return trees


FORESTS: dict[str, type[Forest]] = {kind.file: kind for kind in (LightGBMForest, XGBoostForest, CatBoostForest)}
"""The kinds of trees by the name of their file."""


def lightgbm_engine() -> Any:
    """LightGBM, or an InputError that says how to install it."""
    with require_engine("TreeRanker"):
        import lightgbm

    return lightgbm


def catboost_engine(what: str = "TreeRanker(shape='symmetric')") -> Any:
    """CatBoost, or an InputError that says how to install it."""
    with require_engine(what):
        import catboost

    return catboost


def text_of(booster: Any, trees: int | None = None) -> str:
    """LightGBM's text of the first trees of a Booster, by default all, without its settings and the categories of
    pandas, which differ after an interruption."""
    whole = str(booster.model_to_string(num_iteration=trees))
    return whole.partition("\npandas_categorical:")[0].partition("\nparameters:\n")[0]


def has_no_split(booster: Any) -> bool:
    """Whether the first tree of LightGBM's Booster is a single leaf."""
    return bool(booster.dump_model()["tree_info"][0]["num_leaves"] == 1)


COMPARED = re.compile(r"^threshold=(.*)\ndecision_type=(.*)$", re.MULTILINE)
"""Of each tree in LightGBM's text: the limits of its splits, and their kinds, odd for splits by categories."""


def _move_limits(text: str) -> str:
    """LightGBM's text with each limit below 2^24, where numbers are rounded to single precision, moved to where they
    begin to be rounded to the next one beyond it.

    LightGBM puts a limit in the middle between two numbers of the training. There a number as it stands in a file, and
    the one that it is rounded to, may lie on two sides.
    """

    def move(tree: re.Match[str]) -> str:
        limits, kinds = np.array(tree[1].split(), float), np.array(tree[2].split(), int)
        with np.errstate(over="ignore"):
            low = limits.astype(np.float32)
        low = np.where(low > limits, np.nextafter(low, np.float32(-np.inf)), low)
        high = np.nextafter(low, np.float32(np.inf))
        moves = (kinds % 2 == 0) & (np.abs(low) < ALL_IN_SINGLE) & (np.abs(high) <= ALL_IN_SINGLE)
        middle = (low[moves].astype(float) + high[moves]) / 2
        limits[moves] = np.where(middle.astype(np.float32) == low[moves], middle, np.nextafter(middle, -np.inf))
        return f"threshold={' '.join(f'{limit:.17g}' for limit in limits)}\ndecision_type={tree[2]}"

    return re.sub(r"^tree_sizes=.*\n", "", COMPARED.sub(move, text), flags=re.MULTILINE)  # the sizes are others now


def _unread(place: str, engine: str, error: Exception) -> InputError:
    said = read_first_line(error)[:200]
    return InputError(f"{place}: {engine} cannot read these trees ({said}); read them with the version that wrote them")


def _xgboost_trees(booster: Any) -> list[Mapping[str, Sequence[Any]]]:
    """The trees of XGBoost's JSON format."""
    model = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]
    trees: list[Mapping[str, Sequence[Any]]] = model["trees"]
    return trees


def _has_split(tree: Mapping[str, Sequence[Any]]) -> bool:
    return len(tree["left_children"]) > 1


def read_first_line(error: Exception) -> str:
    """The first line of an error of an engine, which may append where in its code it was raised."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]

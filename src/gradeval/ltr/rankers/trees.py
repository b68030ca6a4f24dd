"""Gradient-boosted trees for any measure: LambdaMART, grown by LightGBM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar, Self

from gradeval import arguments as checked
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.features.features import Features
from gradeval.features.scaling import Scaling
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.rows import Categories
from gradeval.ltr.data.task import Task
from gradeval.ltr.objectives.methods import METHODS
from gradeval.ltr.rankers.growing import TreeTraining, lightgbm_engine, read_forest, require_codes
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.saving import Card

LEAVES = 131_072  # LightGBM's limit


@known_arguments()
@dataclass(eq=False)
class TreeRanker(Ranker):
    """Boosted regression trees with LambdaRank's gradients of any measure: ``TreeRanker("lambdarank:Q@10")``.

    An epoch is a tree. Each tree is trained on a random sample of the queries, which depends only on its number and the
    seed: any number of threads gives the same trees, and so does a resumed training. Where the sample gives no split,
    the tree is trained on all queries; where these give none either, training ends with fewer trees than ``epochs``.

    Source: Burges (2010), "From RankNet to LambdaRank to LambdaMART".

    Attributes
    ----------
    epochs : the largest number of trees.
    patience : stop after so many trees without an improvement on the validation data.
    learning_rate : the factor by which each tree is scaled.
    leaves, min_rows, l2 : for each tree the largest number of leaves, the smallest number of documents in a leaf, and a
        constant that is added to the hessian of each leaf.
    subsample : the share of the queries that each tree is trained on.
    norm : normalise the gradients of each query, see ``LambdaObjective``.
    threads : how many threads to use; 0 uses all cores.
    categorical : names of features that are categories: their values are codes, whole numbers from 0, and splits are by
        sets of them. Columns of a frame that are categories need not be named. NaN is a missing value, in any feature.
    """

    _: KW_ONLY
    scaling: Scaling | None = None  # trees only compare values
    epochs: int = 500
    patience: int = 50
    learning_rate: float = 0.05
    leaves: int = 7
    min_rows: int = 50
    l2: float = 0.0
    subsample: float = 0.6
    norm: bool = False
    threads: int = 1
    categorical: Sequence[str] = ()
    _text: str = field(default="", init=False, repr=False)
    _forest: Any = field(default=None, init=False, repr=False)

    kind: ClassVar[str] = "tree"
    engine: ClassVar[str] = "lightgbm"
    takes_missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        objective = self.objective
        method = METHODS[objective.method]
        if method.trees is None:
            raise InputError(
                f"{objective}: trees do not learn by {objective.method}, as {method.no_trees}; write "
                f"'lambdarank:{objective.measure}'"
            )
        for name, least in {"epochs": 1, "patience": 1, "min_rows": 1, "threads": 0}.items():
            setattr(self, name, checked.whole(name, getattr(self, name), least))
        self.leaves = checked.whole("leaves", self.leaves, 2, LEAVES)
        for name, most in {"learning_rate": 10.0, "subsample": 1.0}.items():
            setattr(self, name, checked.number(name, getattr(self, name), above=0, most=most))
        self.l2 = checked.number("l2", self.l2, least=0, most=1e30)
        self.norm = checked.flag("norm", self.norm)
        if self.norm and method.mu is None:
            raise InputError(f"norm is a choice of losses over pairs of documents; {objective} has none: leave it out")
        self.categorical = _names_of(self.categorical)

    def importances(self) -> dict[str, Array]:
        """By how much the splits by each feature improved the loss in all, and how many there are."""
        self.require_trained()
        return {kind: self._forest.feature_importance(kind).astype(float) for kind in ("gain", "split")}

    @property
    def text(self) -> str:
        """The trees in LightGBM's text format; an InputError before training."""
        self.require_trained()
        return self._text

    def contributions(self, features: Any) -> Array:
        """float64[row, feature + 1]: LightGBM's SHAP values: what each feature adds to the score of a document, and in
        the last column the mean score; a row sums to the score. Takes what ``predict`` takes."""
        rows = features if isinstance(features, Features) else self.features_of(features)
        self.require_columns(rows)
        X = (rows if self.scaler is None else self.scaler.apply(rows)).X[:]
        values: Array = self._forest.predict(X, pred_contrib=True, num_threads=self.threads)
        return values

    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        for features in (task.train, None if task.valid is None else task.valid.features):
            if features is not None:
                require_codes(features, task.categories)
        training = TreeTraining(self, task)
        training.train_trees()
        self._text = training.text(training.best)
        self._forest = lightgbm_engine().Booster(model_str=self._text)
        return tuple(training.curve), training.best

    def with_trees(self, text: str, curve: tuple[Epoch, ...], best: int, card: Card) -> Self:
        """This ranker with trees that were trained elsewhere, as LightGBM's text."""
        self.curve, self.best, self._text = curve, best, text
        self.card = replace(card, best=best, curve=[list(epoch) for epoch in curve])
        self._forest = read_forest(text, len(card.columns), "the text of the trees")
        return self

    def _score(self, X: Array) -> Array:
        scores: Array = self._forest.predict(X, raw_score=True, num_threads=self.threads)
        return scores

    def _serialize_weights(self) -> bytes:
        return self._text.encode()

    def _load_weights(self, weights: bytes, place: str) -> None:
        self._text = weights.decode("utf-8", "replace")
        self._forest = read_forest(self._text, len(self.require_trained().columns), place)

    def _declared_categories(self) -> Categories:
        return {name: [] for name in self.categorical}


def _names_of(value: Any) -> tuple[str, ...]:
    """Names of features, each once, or an InputError."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(name, str) for name in value):
        raise InputError(f"categorical={checked.shown(value)} is not a list of names of features, as in ['7', '9']")
    if len(set(value)) < len(value):
        raise InputError(f"categorical={checked.shown(value)} names a feature twice")
    return tuple(value)

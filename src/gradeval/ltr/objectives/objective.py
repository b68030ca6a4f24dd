"""What a ranker is trained for: a measure, and the method that makes it a loss. New methods are registered here."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, overload

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Kind, Number, Whole, known_arguments, parse_whole, read_fields
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import parse_measure
from gradeval.kernels.derived import example_rankings
from gradeval.kernels.lookup import kernel_of
from gradeval.kernels.pairs import PairKernel
from gradeval.ltr.objectives.draws import DRAWN, SPREAD, Draws, NoiseKind
from gradeval.messages import nearest
from gradeval.warning_categories import ObjectiveWarning

Estimator: TypeAlias = Literal["plugin", "expected"]
Balance: TypeAlias = Literal["gradients", "none"]

OWN = "gradeval.ltr.objectives"
EXPONENTIAL_GAINS = "nDCG(dcg='exp-log2')"  # gain 2^grade - 1, as in the papers of the baselines
OF_PAIRS = ("sigma", "truncation", "draws", "noise", "spread")
BY_ALL_ROWS = "its measures are balanced by the gradients of all rows, and they learn from some queries at a time"
NO_CURVATURE = "its second derivatives by the scores are of either sign, and trees need them positive"


@dataclass(frozen=True)
class Method:
    """How an objective is trained for.

    Attributes
    ----------
    module : where its loss is: ``prepare(objective, batch, like)`` there gives the loss by query, float[query], and
        ``prepare_rows(objective, queries)`` the same by the compiled core, or None.
    parameters : the parameters of Objective that it takes.
    sigma : the default of sigma.
    measure : the only measure that it is for, which is not spelled then; None: any, spelled METHOD:MEASURE.
    approaches : whether minus the loss approaches the measure, and is what the learning curve shows.
    mu : of a loss over pairs of documents, the parameter of LambdaObjective; None for a loss of another kind.
    norm : whether trees may normalise its gradients by query.
    trees : the module whose ``boost(objective, levels, norm, threads, seed)`` has ``gradients`` as LambdaObjective; or
        None.
    no_trees : why there is none.
    no_descent : why linear and neural rankers do not learn by it; empty: they do.
    """

    module: str
    parameters: tuple[str, ...] = ("sigma",)
    sigma: float = 1.0
    measure: str | None = None
    approaches: bool = False
    mu: float | None = None
    norm: bool = False
    trees: str | None = None
    no_trees: str = ""
    no_descent: str = ""


METHODS = {
    "lambdarank": Method(f"{OWN}.lambdarank", OF_PAIRS, mu=0.0, norm=True, trees=f"{OWN}.boosting"),
    "mixture": Method(
        f"{OWN}.mixture", (*OF_PAIRS, "balance"), norm=True, trees=f"{OWN}.mixture", no_descent=BY_ALL_ROWS
    ),
    "softrank": Method(f"{OWN}.softrank", ("sigma", "estimator"), approaches=True, no_trees=NO_CURVATURE),
    "listnet": Method(f"{OWN}.listnet", (), measure=EXPONENTIAL_GAINS, trees=f"{OWN}.listnet"),
    "queryrmse": Method(f"{OWN}.queryrmse", (), measure=EXPONENTIAL_GAINS, trees=f"{OWN}.queryrmse"),
    "approxndcg": Method(
        f"{OWN}.approxndcg", sigma=10.0, measure=EXPONENTIAL_GAINS, approaches=True, no_trees=NO_CURVATURE
    ),
    "lambdaloss": Method(f"{OWN}.lambdarank", measure=EXPONENTIAL_GAINS, mu=10.0, norm=True, trees=f"{OWN}.boosting"),
}
"""Every method by its name."""

AUTO = 5  # draws that "auto" tries besides none
STEEPNESS = Number(least=1e-6, most=1e6)  # beyond, scores or their squares overflow or underflow in single precision
TRUNCATION = Whole(1)
MIXTURE = "mixture"
ENGINES = ("lightgbm", "xgboost", "catboost")
"""Engines with objectives of their own, spelled ENGINE:NAME."""
BASELINES = [name for name, method in METHODS.items() if method.measure is not None]
SPELLING = (
    "write METHOD:MEASURE, as in 'lambdarank:GAP(g=[0.5,0.5])' or 'softrank:nDCG'; a measure, for which lambdarank is "
    f"taken; a sum, as in 'GAP + 0.5*ERR' or 'GAP + queryrmse'; or a baseline: {', '.join(BASELINES)}"
)


@dataclass(eq=False, repr=False)
class DrawsOrAuto(Kind):
    """A number of draws, or "auto"."""

    metavar: str = "N|auto"

    def check(self, name: str, value: Any) -> Any:
        return value if value == "auto" else DRAWN.check(name, value)

    def parse(self, text: str) -> Any:
        return parse_whole(text)


@known_arguments()
@dataclass(frozen=True)
class Objective:
    """A measure to train for, and the method that makes it a loss; or a baseline, which has its own measure.

        Objective("lambdarank", AP)
        Objective.parse("softrank:GAP(g=[0.5,0.5])")
        Objective.parse("GAP + nDCG + 0.5*ERR")
        Objective.parse("listnet")

    ``str(objective)`` is METHOD:MEASURE, or the name of the baseline; ``parse`` reads it, and takes the other
    parameters as keywords.

    Parameters
    ----------
    method : "lambdarank", for any measure: see ``lambda_loss`` (for ERR take draws, or train for nDCG: training says so
        by an ObjectiveWarning); "softrank", for those with a soft form: see
        ``soft_measure``; "mixture", lambdarank for a sum of measures, of trees: see ``MixedObjective``; or a baseline:
        "listnet", "queryrmse", "approxndcg" or "lambdaloss".
    measure : as in ``AP`` or its spelling. Baselines have their own, by which they are also validated. A mixture takes
        the text of the sum, is validated by its first measure, and keeps the text in ``mixture``.
    sigma : steepness for losses over pairs, uncertainty of the scores for softrank. Default: 1; approxndcg: 10.
    truncation : only pairs with a document in so many first ranks (lambdarank). Default: all.
    estimator : how the expected measure is estimated (softrank): plugin, as in the papers, or expected.
    draws : the number of rankings, drawn around the scores, that weigh a pair. For lambdarank; trees draw one for each,
        see ``LambdaObjective``; auto: a ranker is trained without draws and with 5, and the better one by validation is
        kept.
    noise : the noise of the scores in drawn rankings.
    spread : what the noise of drawn rankings is multiplied by.
    balance : whether each measure of a mixture is divided by the size of its gradients. gradients: it is; none: it is
        not.
    """

    method: str
    measure: Measure = None  # type: ignore[assignment]  # until made
    sigma: Annotated[float, STEEPNESS] = None  # type: ignore[assignment]  # until made
    truncation: Annotated[int, TRUNCATION] | None = None
    estimator: Estimator = "plugin"
    draws: Annotated[int | Literal["auto"], DrawsOrAuto()] = 0
    noise: NoiseKind = "gumbel"
    spread: Annotated[float, SPREAD] = 1.0
    balance: Balance = "gradients"
    mixture: str | None = None

    def __post_init__(self) -> None:
        _require_method(self.method, str(self.method))
        method = METHODS[self.method]
        if self.method == MIXTURE:
            terms = read_terms(self.measure if self.mixture is None else self.mixture)
            object.__setattr__(self, "mixture", show_terms(terms))
            object.__setattr__(self, "measure", next(one for _, one in terms if isinstance(one, Measure)))
        elif self.mixture is not None:
            raise InputError(f"mixture is of the method {MIXTURE}; {self.method} has a measure: leave it out")
        object.__setattr__(self, "measure", _measure_for(self.method, self.measure))
        for name, one in PARAMETERS.items():
            value, default = one.check(getattr(self, name)), method.sigma if name == "sigma" else one.default
            object.__setattr__(self, name, default if value is None else value)
            if name not in method.parameters and value not in (None, default):
                raise InputError(f"{name} is a choice of {' and '.join(owners(name))}; {self.method} has none")
        if "estimator" in method.parameters:
            self._require_soft_form()

    @classmethod
    def parse(cls, text: str | Objective, **parameters: Any) -> Objective:
        """Read METHOD:MEASURE, the name of a baseline, or a measure or a sum of measures alone, for which LambdaRank is
        taken; an Objective is returned with ``parameters`` changed."""
        if isinstance(text, Objective):
            return replace(text, **parameters)
        _refuse_others(str(text))
        method, colon, measure = (part.strip() for part in str(text).partition(":"))
        if not colon or "(" in method:
            method, measure = "", str(text).strip()
        if method == MIXTURE or (method in ("", "lambdarank") and is_sum(measure)):
            return cls(MIXTURE, mixture=measure, **parameters)
        if is_sum(measure) and method in METHODS:
            raise InputError(f"{method} is for a single measure; a sum is learnt by lambdarank: write {measure!r}")
        if method:
            _require_method(method, str(text))
            return cls(method, parse_measure(measure), **parameters)
        method = measure
        if method in BASELINES:
            return cls(method, **parameters)
        try:
            alone = parse_measure(str(text))
        except InputError as error:
            raise InputError(f"{error}; as an objective, {SPELLING}") from error
        return cls("lambdarank", alone, **parameters)

    def __str__(self) -> str:
        return self.method if self.method in BASELINES else f"{self.method}:{self.mixture or self.measure}"

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters as JSON values: ``Objective(**objective.parameters)`` is an equal objective."""
        return {**vars(self), "measure": str(self.measure)}

    @property
    def measures(self) -> list[Measure]:
        """The measures to learn from: of a mixture all, and of its squared error the one by which it is validated."""
        if self.mixture is None:
            return [self.measure]
        return [
            parse_measure(METHODS[term].measure or "") if isinstance(term, str) else term
            for _, term in read_terms(self.mixture)
        ]

    @property
    def ranking_draws(self) -> Draws:
        """The rankings to draw; an InputError where their number is left to validation."""
        return Draws.of(self.draws, self.noise, self.spread)

    @property
    def candidates(self) -> list[Objective]:
        """The objectives among which validation chooses: this one, unless its draws are "auto"."""
        return [replace(self, draws=draws) for draws in ((0, AUTO) if self.draws == "auto" else (self.draws,))]

    def _require_soft_form(self) -> None:
        """Refuse a measure that has no soft form whatever the data."""
        measure = self.measure
        scale = _fitting_levels(measure)
        if scale is None:
            return  # training names the levels that the measure's parameters need
        _, pool, lengths = example_rankings(scale)
        kernel = kernel_of(measure, pool, scale, lengths)
        if kernel is None:
            raise InputError(f"softrank: {measure} has no soft form; train for it with 'lambdarank:{measure}'")
        is_gain_measure = isinstance(kernel, PairKernel) and kernel.pairs is None
        if measure.cutoff is not None and not is_gain_measure:
            raise InputError(
                f"softrank: {measure} has no soft form with a cutoff; leave @{measure.cutoff} away, or train for it "
                f"with 'lambdarank:{measure}'"
            )
        by_rank = 1 / np.arange(1.0, kernel.weights.shape[1] + 1)
        if self.estimator == "expected" and not is_gain_measure and not np.allclose(kernel.weights, by_rank):
            raise InputError(
                f"softrank: {measure} has a soft form for estimator='plugin' only, since what a rank is worth to it "
                f"differs between topics; take that, or train for it with 'lambdarank:{measure}'"
            )


PARAMETERS = {name: one for name, one in read_fields(Objective).items() if name not in ("method", "measure", MIXTURE)}
"""What an objective has besides its method and its measure."""


TERMS = "write WEIGHT*TERM + WEIGHT*TERM; a TERM is a measure or queryrmse"
TERM = re.compile(r"\s*(?:(?P<weight>\d*\.?\d+(?:e-?\d+)?)\s*\*)?\s*(?P<measure>[^\s*].*?)\s*", re.DOTALL)


def split_terms(text: str) -> list[str]:
    """The terms of a sum: what stands between the ``+`` outside of brackets."""
    terms, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "+" and not depth:
            terms.append("")
        else:
            terms[-1] += letter
    return terms


def is_sum(text: str) -> bool:
    """Whether this is a sum of measures, or a measure with a weight, and no measure alone."""
    terms = split_terms(text)
    match = TERM.fullmatch(terms[0])
    return len(terms) > 1 or (match is not None and match["weight"] is not None)


def read_terms(text: object) -> list[tuple[float, Measure | Literal["queryrmse"]]]:
    """The weights and the terms of a sum: measures, and the squared error of grades, "queryrmse"; an InputError where
    it is none, has no measure, or has a term twice."""
    read: list[tuple[float, Measure | Literal["queryrmse"]]] = []
    for term in split_terms(str(text)):
        match = TERM.fullmatch(term)
        weight = float(match["weight"] or 1) if match else 0.0
        if match is None or not 0 < weight < math.inf:
            raise InputError(f"cannot read {term.strip()!r} in {str(text)!r}: {TERMS}")
        read.append((weight, _read_term(match["measure"])))
    if all(term == "queryrmse" for _, term in read):
        raise InputError(f"{text}: a sum needs a measure, which validates: write 'queryrmse' alone, or add one")
    merged: dict[Measure | Literal["queryrmse"], float] = {}
    for weight, one in read:
        merged[one] = merged.get(one, 0.0) + weight
    if len(merged) < len(read):
        twice = next(one for place, (_, one) in enumerate(read) if one in [other for _, other in read[:place]])
        together = show_terms([(weight, one) for one, weight in merged.items()])
        raise InputError(f"{text}: {twice} stands there twice; write {together!r}, where it has one weight")
    return read


def _read_term(text: str) -> Measure | Literal["queryrmse"]:
    if text == "queryrmse":
        return "queryrmse"
    try:
        return parse_measure(text)
    except InputError as error:
        raise InputError(f"{error}; in a sum, {TERMS}") from error


def show_terms(terms: Sequence[tuple[float, Measure | str]]) -> str:
    """The text of a sum, which ``read_terms`` reads."""
    return " + ".join(f"{'' if weight == 1 else f'{show_weight(weight)}*'}{measure}" for weight, measure in terms)


def show_weight(weight: float) -> str:
    """The shortest text that reads back, without a plus sign."""
    return repr(weight).removesuffix(".0").replace("e+", "e")


def _refuse_others(text: str) -> None:
    """An InputError that names the objective which other tools call so."""
    from gradeval.synonyms import OBJECTIVES  # here, as it is seldom needed

    word = text.strip()
    by_word = {other: ours for ours, words in OBJECTIVES.items() for other in words.split()}
    by_word |= dict(zip(BASELINES, BASELINES, strict=True))
    if word not in BASELINES and (nearest_one := by_word.get(word.lower())):
        raise InputError(f"{text!r} is no objective here; the nearest is {nearest_one!r}; {SPELLING}")


def _require_method(method: str, text: str) -> None:
    """An InputError for an unknown method; engines' own objectives, which METHOD:MEASURE looks like, are named."""
    if method in ENGINES:
        raise InputError(
            f"{text}: engines' own objectives are for crossval, which compares ours with them; for a ranker {SPELLING}"
        )
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}{nearest(method, list(METHODS))}; {SPELLING}")


def _measure_for(method: str, measure: Measure | str | None) -> Measure:
    """The measure of an objective: the baseline's own, or else the one that is given."""
    own = METHODS[method].measure
    given = own if measure is None else measure
    if given is None:
        raise InputError(f"{method} needs a measure: {SPELLING}")
    parsed = parse_measure(given)
    if own is not None and parsed != parse_measure(own):
        raise InputError(
            f"{method} trains for {own} only: write {method!r}, or train for {parsed} with 'lambdarank:{parsed}'"
        )
    return parsed


def warn_of_cascade(measure: Measure, draws: int | str) -> None:
    """An ObjectiveWarning, once in a process, where lambdarank is to train for ERR by the present ranking alone.

    The gradient is right, but short-sighted: the user of a cascade stops at the first good document, so that exchanges
    below it weigh next to nothing, and nothing is learnt from them. Draws that are "auto" are no reason to warn, as
    validation chooses.
    """
    if measure.name != "ERR" or draws or CASCADE_ASKED.get():
        return
    warnings.warn_explicit(
        f"lambdarank:{measure} gives worse rankers than nDCG, also by ERR: below a good document no exchange weighs "
        "much; take draws=5, or train for \"nDCG(dcg='exp-log2')\", and validate by ERR (validate_by, feval)",
        ObjectiveWarning,
        filename="gradeval.ltr",
        lineno=1,
        registry=_WARNED,
    )


CASCADE_ASKED: ContextVar[bool] = ContextVar("CASCADE_ASKED", default=False)
"""Has what trains been asked about ERR already, or does it learn from other gradients, too?"""
_WARNED: dict[str | tuple[str, type[Warning], int], int] = {}
"""What has been warned of, as Python keeps it: one place for objectives however they are made."""


class ParsedObjective:
    """An attribute that holds an Objective and may be set from its text METHOD:MEASURE."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> NoReturn: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Objective: ...
    def __get__(self, instance: object | None, owner: type) -> Objective:
        if instance is None:
            raise AttributeError(self.name)  # so that a dataclass sees no default
        objective: Objective = instance.__dict__[self.name]
        return objective

    def __set__(self, instance: object, value: Objective | str) -> None:
        instance.__dict__[self.name] = Objective.parse(value)


def owners(parameter: str) -> list[str]:
    """The methods that have a parameter."""
    return [name for name, method in METHODS.items() if parameter in method.parameters]


def require_descent(objective: Objective) -> None:
    """An InputError for an objective that has no loss for gradient descent."""
    why = METHODS[objective.method].no_descent
    if why:
        raise InputError(
            f"{objective}: linear and neural rankers do not learn by a {objective.method}, as {why}; train trees, or "
            f"write 'lambdarank:{objective.measure}'"
        )


def check_sigma(value: object) -> float:
    """The steepness of lambdarank's logistic function, or the uncertainty of softrank's scores; else an InputError."""
    return STEEPNESS.check("sigma", value)


def check_truncation(value: object) -> int | None:
    """How many first ranks lambdarank's pairs must touch, or None for all pairs; else an InputError."""
    return None if value is None else TRUNCATION.check("truncation", value)


def _fitting_levels(measure: Measure) -> Levels | None:
    """The shortest scale of grades 0, 1, 2 ... that the measure's parameters fit; None where none of up to 13 does."""
    for top in range(1, 13):
        levels = tuple(float(grade) for grade in range(top + 1))
        with suppress(InputError):
            measure(JudgedRankings.empty(np.ones((1, top + 1), np.int64), levels))
            return levels
    return None

"""Our measures in ir_measures and PyTerrier: ``import gradeval.compat.ir_measures as g`` registers what they lack.

    ir_measures.calc_aggregate([nDCG @ 10, g.GAP(g=[0.2, 0.3, 0.5])], qrels, run)
    ir_measures.parse_measure("GAP@10")
    pt.Experiment(systems, topics, qrels, [nDCG @ 10, g.GAP, g.Q @ 10], baseline=0, correction="holm")

Names that ir_measures has, too (AP, nDCG ...), stay its own: it takes measures of one spelling for the same. Equal
scores are ordered as by its own provider, so that all measures of a call see one ranking: by document id, descending,
scores compared in single precision.
``python -m gradeval.compat.ir_measures QRELS RUN MEASURE...`` is its command line with all measures.
"""

from __future__ import annotations

import ast
import math
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns, meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.extras import install_hint
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, REQUIRED, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import write
from gradeval.messages import nearest
from gradeval.scores.scoring import measure_each, require_finite

try:
    import ir_measures
except ImportError:
    raise ImportError(
        f"gradeval.compat.ir_measures needs the package ir_measures: {install_hint('ir')}", name="ir_measures"
    ) from None

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 and 3.13 warn of the question
    if not hasattr(ast, "Num"):  # Python 3.14, where ir_measures up to 0.4.3 reads no parameter of a spelled measure
        ir_measures.util._ast_to_value = ast.literal_eval

__all__ = ["GradedMeasure", "register"]

LEAST = 1e-5  # what a topic counts at least in a geometric mean

CONVENTIONS = {
    "missing": ir_measures.ParamInfo(
        dtype=str, choices=["zero", "skip"], default="zero", desc="topics that a run misses count 0, or not at all"
    ),
    "empty": ir_measures.ParamInfo(
        dtype=str,
        choices=["zero", "skip", "one"],
        default="zero",
        desc="topics with nothing relevant count 0, 1, or not at all",
    ),
}
"""Conventions that are options of ``gradeval.evaluate``, here parameters of every measure."""


class Aggregator:
    """Puts the values of topics together as the measure does; NaN stands for a topic that does not count."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Take the value of one more topic."""
        if not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        """The mean, the sum or the geometric mean; NaN where no topic counts."""
        geometric = self.kind == "geometric"
        total = math.fsum((math.log(max(value, LEAST)) for value in self.values) if geometric else self.values)
        if self.kind == "sum":
            return total
        if not self.values:
            return math.nan
        return math.exp(total / len(self.values)) if geometric else total / len(self.values)


class GradedMeasure(ir_measures.Measure):  # type: ignore[misc]  # untyped base class
    """A measure of gradeval as ir_measures has measures; its subclasses are made by ``register``."""

    RUN_INPUTS = ("query_id", "doc_id", "score")
    QREL_INPUTS = ("query_id", "doc_id", "relevance")

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.DEFAULT = math.nan if self.params.get("missing", "zero") == "skip" else 0.0
        for name in parameters:
            if name not in self.SUPPORTED_PARAMS:
                near = nearest(name, self.SUPPORTED_PARAMS)
                raise InputError(
                    f"{self.NAME} has no parameter {name!r}{near}; it takes {', '.join(self.SUPPORTED_PARAMS)}"
                )

    @property
    def gradeval(self) -> Measure:
        """The measure of gradeval with these parameters."""
        named = {name: _literal(value) for name, value in self.params.items() if name not in CONVENTIONS}
        return REGISTRY[self.NAME].configured(named)

    def validate_params(self) -> None:
        """Refuse parameters that the measure lacks, and values that it does not accept."""
        measure = self.gradeval
        for name, accepted in CONVENTIONS.items():
            if not accepted.validate(self[name]):
                raise InputError(f"{measure}: {name}={self[name]!r} is not one of {', '.join(accepted.choices)}")
        _ = measure.arguments  # complains where a parameter that is required is absent
        self.validated = True

    def runtime_impl(self, qrels: Any, run: Any) -> Iterator[Any]:
        """The values of all topics of the qrels, as the provider ``runtime`` asks for them."""
        measure = self.gradeval
        met = _MEETINGS.meet(qrels, run)
        values = met.score(measure)
        base = measure.base(met.judged.grading.pools)
        vacant = np.zeros(len(values), bool) if base is None else base == 0
        if self["empty"] != "zero":
            values = np.where(vacant, 1.0 if self["empty"] == "one" else math.nan, values)
        if self["missing"] == "skip":
            values = np.where(met.judged.present[0], values, math.nan)
        for topic, value in zip(met.judged.topics, values.tolist(), strict=True):
            yield ir_measures.Metric(query_id=topic, measure=self, value=value)

    def aggregator(self) -> Aggregator:
        """How the values of topics become one."""
        return Aggregator(REGISTRY[self.NAME].definition.aggregate)

    def _param_repr(self, value: Any) -> str:
        """A value so that ir_measures reads it back: it knows no lists."""
        return repr(write(value)) if isinstance(value, list | tuple) else super()._param_repr(value)


class _Meeting:
    """One run and its judgments."""

    def __init__(self, judged: JudgedRuns) -> None:
        self.judged = judged
        self.blocks: list[tuple[Array, JudgedRankings]] = list(judged.blocks())

    def score(self, measure: Measure) -> Array:
        """float64[topic]: the values of a measure."""
        values = np.zeros(len(self.judged))
        for rows, block in self.blocks:
            values[rows] = measure_each(measure, block)
        require_finite(values[None], self.judged.runs, self.judged.topics, [measure])
        return values


class _Meetings:
    """The last meeting: all measures of one call are handed the same two frames, which then meet once."""

    def __init__(self) -> None:
        self._judgments: tuple[weakref.ref[Any], Qrels] | None = None
        self._meeting: tuple[weakref.ref[Any], weakref.ref[Any], _Meeting] | None = None

    def meet(self, qrels: Any, run: Any) -> _Meeting:
        known = self._meeting
        if known is not None and known[0]() is qrels and known[1]() is run:
            return known[2]
        judgments = self._judgments
        if judgments is None or judgments[0]() is not qrels:
            judgments = weakref.ref(qrels), Qrels.from_dict(_by_topic(qrels, "relevance", "qrels"))
            self._judgments = judgments
        ranking = Run.from_dict(_by_topic(run, "score", "run"))
        judged = meet(judgments[1], [ranking], ties="docid-float32")  # as pytrec_eval, which ranks for their measures
        self._meeting = known = weakref.ref(qrels), weakref.ref(run), _Meeting(judged)
        return known[2]


_MEETINGS = _Meetings()


def _by_topic(frame: Any, value: str, place: str) -> dict[str, dict[str, float]]:
    """``{topic: {document: value}}`` from the columns query_id, doc_id and the one of the values."""
    for column in ("query_id", "doc_id", value):
        if column not in frame.columns:
            raise InputError(f"{place}: has no column {column!r}; it has {', '.join(map(str, frame.columns))}")
    topics, documents, values = (frame[column].tolist() for column in ("query_id", "doc_id", value))
    table: dict[str, dict[str, float]] = {}
    for topic, document, number in zip(topics, documents, values, strict=True):
        inside = table.setdefault(str(topic), {})
        if document in inside:
            raise InputError(f"{place}: document {document!r} of topic {topic!r} occurs twice; keep one row")
        inside[str(document)] = number
    return table


def _literal(value: Any) -> Any:
    """A list that was written as text, as in ``GAP(g='[0.2,0.8]')``; other values as they are."""
    if not (isinstance(value, str) and value.startswith(("[", "{"))):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def register(measure: Measure) -> Any:
    """Make a measure of gradeval, also one of your own, known to ir_measures by its name; returns it as theirs is."""
    known = ir_measures.measures.registry.get(measure.name)
    if known is not None and not isinstance(known, GradedMeasure):
        raise InputError(f"ir_measures has a measure {measure.name} of its own; give yours another name")
    definition = REGISTRY[measure.name].definition
    parameters = {
        name: ir_measures.ParamInfo(required=True)
        if default is REQUIRED
        else ir_measures.ParamInfo(required=False, default=default)
        for name, default in {**definition.parameters, "judged_only": False}.items()
    }
    kind = type(
        measure.name,
        (GradedMeasure,),
        {
            "__name__": measure.name,  # ir_measures writes the name of an instance by this
            "__module__": __name__,
            "__doc__": definition.formula.__doc__,
            "NAME": measure.name,
            "AT_PARAM": definition.at or "cutoff",
            "SUPPORTED_PARAMS": {**parameters, **CONVENTIONS},
        },
    )
    ir_measures.measures.registry.pop(measure.name, None)
    made = kind()
    ir_measures.measures.register(made, name=measure.name)
    return made


def __getattr__(name: str) -> Any:
    known = ir_measures.measures.registry.get(name)
    if isinstance(known, GradedMeasure):
        return known
    if known is not None:
        raise AttributeError(f"{name} is a measure of ir_measures itself: write ir_measures.{name}")
    if name in REGISTRY:
        return register(REGISTRY[name])
    raise AttributeError(f"no measure {name!r}{nearest(name, REGISTRY)}; 'gradeval measures' lists them all")


def __dir__() -> list[str]:
    registry = ir_measures.measures.registry  # what completion offers:
    return sorted([*__all__, *(name for name, known in registry.items() if isinstance(known, GradedMeasure))])


for _name in [name for name in REGISTRY if name not in ir_measures.measures.registry]:
    register(REGISTRY[_name])

if __name__ == "__main__":
    import sys

    from ir_measures.__main__ import main_cli

    try:
        main_cli()
    except InputError as error:
        sys.exit(f"gradeval: error: {error}")

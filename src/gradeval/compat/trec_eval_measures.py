"""trec_eval's measures: their names, order, default cutoffs and averages, each translated into a measure of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.aliases import CUT_ALIASES, is_number
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.measures.counts import NumRel
from gradeval.measures.incomplete import Unjudged
from gradeval.messages import nearest
from gradeval.scores.scoring import score_orders

Places: TypeAlias = tuple[str, ...]
WhenPrinted: TypeAlias = Literal["always", "over topics", "by topic"]

RANKS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
RECALLS = tuple(f"{tenth / 10:.2f}" for tenth in range(11))
MULTIPLES = tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11))
LEAST = 1e-5
"""What a topic counts at least in a geometric mean."""


@dataclass(frozen=True)
class TrecMeasure:
    """A measure of trec_eval.

    Attributes
    ----------
    name : as it stands behind -m.
    places : its default cutoffs, recall levels or multiples, where it has some.
    printed : for single topics and over all, or only one of the two.
    text : its value is text, not a number.
    ours : our spelling, where ``parse_measure`` reads another measure by that name, or none.
    """

    name: str
    places: Places = ()
    printed: WhenPrinted = "always"
    text: bool = False
    ours: str = ""

    @property
    def whole(self) -> bool:
        """Is its value a number of documents or topics?"""
        return self.name.startswith("num_")


MEASURES = {
    measure.name: measure
    for measure in (
        TrecMeasure("runid", printed="over topics", text=True),
        TrecMeasure("num_q", printed="over topics"),
        TrecMeasure("num_ret"),
        TrecMeasure("num_rel"),
        TrecMeasure("num_rel_ret"),
        TrecMeasure("map"),
        TrecMeasure("gm_map", printed="over topics"),
        TrecMeasure("Rprec"),
        TrecMeasure("bpref"),
        TrecMeasure("recip_rank"),
        TrecMeasure("iprec_at_recall", RECALLS),
        TrecMeasure("P", RANKS),
        TrecMeasure("relstring", printed="by topic", text=True),
        TrecMeasure("recall", RANKS),
        TrecMeasure("infAP"),
        TrecMeasure("gm_bpref", printed="over topics"),
        TrecMeasure("Rprec_mult", MULTIPLES),
        TrecMeasure("utility"),
        TrecMeasure("11pt_avg"),
        TrecMeasure("binG"),
        TrecMeasure("G"),
        TrecMeasure("ndcg"),
        TrecMeasure("ndcg_rel"),
        TrecMeasure("Rndcg"),
        TrecMeasure("ndcg_cut", RANKS),
        TrecMeasure("map_cut", RANKS),
        TrecMeasure("relative_P", RANKS),
        TrecMeasure("success", ("1", "5", "10")),
        TrecMeasure("set_P"),
        TrecMeasure("set_relative_P"),
        TrecMeasure("set_recall"),
        TrecMeasure("set_map"),
        TrecMeasure("set_F"),
        TrecMeasure("num_nonrel_judged_ret"),
        TrecMeasure("yaap", ours="YAAP"),
        TrecMeasure("rbp", ours="RBP(p=0.9)"),
        TrecMeasure("rbp_resid", ours="RBPresidual(p=0.9)"),
        TrecMeasure("unj", ("5", "10", "20"), ours="Unjudged@{}"),
    )
}
"""Every measure, in the order in which trec_eval prints them."""

OFFICIAL = tuple(list(MEASURES)[:12])
SETS = "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F".split()
ALL_OF_9 = [name for name in MEASURES if name not in ("yaap", "rbp", "rbp_resid", "unj")]
NICKNAMES: Mapping[str, Sequence[str]] = {"official": OFFICIAL, "set": SETS, "all_trec": ALL_OF_9}
NICKNAMES_OF_10: Mapping[str, Sequence[str]] = {**NICKNAMES, "all_trec": [*ALL_OF_9, "rbp", "rbp_resid", "unj"]}


@dataclass(frozen=True)
class PrintedValue:
    """One value a topic.

    Attributes
    ----------
    source, name : the measure of trec_eval, and what it calls the value.
    measures : the measures of ours of which the value is the mean; none where the value is text.
    needs : where this is 0, trec_eval has 0: for Rndcg, which knows no lowest relevant grade, the relevant documents;
        for rbp_resid, which leaves out what lies beyond the ranking, the unjudged ones.
    best_of_topic : the value is a share of the best grade of the topic, ours of the best of the collection.
    length : the number of documents that relstring shows.
    """

    source: TrecMeasure
    name: str
    measures: tuple[Measure, ...] = ()
    needs: Measure | None = None
    best_of_topic: bool = False
    length: int = 0

    @property
    def plain(self) -> bool:
        """Is the value one measure's, unchanged?"""
        adapted = self.needs is not None or self.best_of_topic or self.name.startswith("gm_")
        return len(self.measures) == 1 and not adapted


def columns_of(source: TrecMeasure, values: Sequence[str], *, level: int, judged_only: bool) -> list[PrintedValue]:
    """A measure of trec_eval with the values behind the dot (none: its defaults) as measures of ours, in its order."""
    if source.text:
        return [PrintedValue(source, source.name)]
    if source.places:
        return [
            PrintedValue(source, name, (_configure(_spell(source, place), level, judged_only),))
            for name, place in _name_places(source, values or source.places)
        ]
    text = ".".join([source.name, ",".join(values)]) if values and source.name in EXAMPLES else source.name
    try:
        measures = tuple(_configure(one, level, judged_only) for one in _spell_all(source, text, values))
    except InputError:
        raise InputError(f"cannot read {text!r}; accepted: {source.name}, or as in {EXAMPLES[source.name]}") from None
    return [PrintedValue(source, source.name, measures, _needs(source, level, judged_only), source.name == "rbp")]


def _spell(source: TrecMeasure, place: str) -> str:
    """Our spelling of a measure at a cutoff, recall level or multiple."""
    return source.ours.format(place) if source.ours else f"{source.name}.{place}"


def _spell_all(source: TrecMeasure, text: str, values: Sequence[str]) -> list[str]:
    """Our spellings of a measure without cutoffs, whose mean the value is."""
    if not values or source.name not in EXAMPLES:
        return [source.ours or text]
    if source.name == "11pt_avg":
        return [f"iprec_at_recall.{value}" for value in values]
    if source.name == "rbp":
        return [f"RBP({','.join(values)})"]
    return [f"{source.name}.{values[0]}" if source.name == "set_F" else text]


def _needs(source: TrecMeasure, level: int, judged_only: bool) -> Measure | None:
    if source.name == "rbp_resid":
        return Unjudged(judged_only=judged_only)
    return NumRel(rel=level) if source.name == "Rndcg" and level > 1 else None


GAINS = ".1=3,2=9 with the gains of grades"
EXAMPLES = {
    "set_F": "set_F.0.5 with the weight of precision",
    "utility": "utility.1,-1,0,0 with four weights",
    "11pt_avg": "11pt_avg.0.25,0.5 with recall levels",
    "rbp": "rbp.p=0.95 with the persistence",
    "ndcg": f"ndcg{GAINS}, ndcg_cut.10 with a cutoff",
    "ndcg_rel": f"ndcg_rel{GAINS}",
    "Rndcg": f"Rndcg{GAINS}",
    "G": f"G{GAINS}",
}
"""Measures without cutoffs that take values behind a dot; of the others trec_eval ignores them."""


def unknown(name: str) -> InputError:
    """The error for a name that trec_eval does not have."""
    near = nearest(name, [*MEASURES, *NICKNAMES])
    return InputError(
        f"trec_eval has no measure {name!r}{near}; accepted: official, set, all_trec, or as in map, ndcg_cut, P.5,10; "
        "gradeval evaluate --format trec_eval has all others"
    )


def _name_places(source: TrecMeasure, values: Sequence[str]) -> list[tuple[str, str]]:
    """trec_eval's name of each cutoff, ascending, and the cutoff as we read it."""
    ours = source.ours or CUT_ALIASES[source.name]
    whole = ours.endswith("@{}") and "Prec(" not in ours
    numbers = []
    for value in values:
        if not is_number(value) or float(value) < (1 if whole else 0):
            raise InputError(f"{source.name}.{value}: {value!r} is no {'cutoff from 1' if whole else 'number from 0'}")
        numbers.append(int(float(value)) if whole else float(value))
    if len(set(numbers)) < len(numbers):
        raise InputError(f"{source.name}.{','.join(values)}: gives a place twice")
    spelled = sorted(zip(numbers, values, strict=True))
    if whole:
        return [(f"{source.name}_{number}", str(number)) for number, _ in spelled]
    return [(f"{source.name}_{number:.2f}", value) for number, value in spelled]


def _configure(text: str, level: int, judged_only: bool) -> Measure:
    measure = parse_measure(text)
    parameters: dict[str, object] = {"rel": level} if measure.parameters.get("rel") is not None and level != 1 else {}
    if judged_only:
        parameters["judged_only"] = True
    return measure.configured(parameters) if parameters else measure


def plain_measures(columns: Sequence[PrintedValue]) -> tuple[Measure, ...] | None:
    """The measures of columns that hold their values as they are; None where another one is among them."""
    measures = tuple(column.measures[0] for column in columns if column.plain)
    return measures if len(measures) == len(columns) else None


def values_of(judged: JudgedRuns, columns: Sequence[PrintedValue]) -> Array:
    """float64[column, topic]: the values of one run as trec_eval has them for single topics: logarithms for a geometric
    mean; text counts 0."""
    parts = [(*column.measures, *([column.needs] if column.needs is not None else ())) for column in columns]
    scored, _ = score_orders(judged, tuple(measure for part in parts for measure in part))
    values = np.zeros((len(columns), len(judged)))
    first = 0
    for place, (column, part) in enumerate(zip(columns, parts, strict=True)):
        if column.measures:
            values[place] = scored[first : first + len(column.measures)].mean(0)
        if column.needs is not None:
            values[place, scored[first + len(part) - 1] == 0] = 0
        first += len(part)
    for place, column in enumerate(columns):
        if column.best_of_topic:
            values[place] *= judged.levels[-1] / np.maximum(_best_grades(judged), 1)
        if column.name.startswith("gm_"):
            values[place] = np.log(np.maximum(values[place], LEAST))
    return values


def _best_grades(judged: JudgedRuns) -> Array:
    """float64[topic]: the best grade in the pool of each topic; 0 where it is empty."""
    best: Array = np.where(judged.pool > 0, np.asarray(judged.levels), 0.0).max(-1)
    return best

"""Presets: the conventions of a community, by one name.

A preset sets options of reading and parameters of measures. The user's own settings take precedence.

trec
    trec_eval 10 as TREC tracks call it (``trec_eval -c``, so that missing topics count 0): ties by document
    id, a negative grade is "in the pool, not judged". Interpolated precision rounds the number of relevant
    documents that a recall level asks for (m_iprec_at_recall.c), RBP has p = 0.9 (m_rbp.c, where gains are
    shares of the topic's best grade; ours stay shares of the collection's); its nDCG, bpref and infAP are our
    defaults.
trec9
    trec_eval 9, with which most official results were computed: as trec, but scores are compared in single precision
    and a recall level x asks for floor(x RB + 0.9) of the RB relevant documents.
dl
    The passage task of the TREC Deep Learning tracks: as trec9, and a passage is relevant for binary measures from
    grade 2 on, as grade 1 is "related" only (Craswell et al., Overview of the TREC 2021 Deep Learning Track; the
    organisers' ``trec_eval -l 2``). nDCG keeps all grades.
covid
    TREC-COVID: as trec9, and RBP has p = 0.5 (Voorhees et al., TREC-COVID: Constructing a Pandemic Information
    Retrieval Test Collection, SIGIR Forum 2020; its measures are nDCG@20, P@20, RBP, Bpref and AP).
ntcir
    NTCIREVAL and Sakai's papers: a run is the list it is (equal scores stay in file order), at a cutoff AP
    and Q divide by the best that the cutoff allows, nDCG follows Järvelin & Kekäläinen (2002) with base 2
    (``discount='ms'`` is Microsoft's, NTCIREVAL's MSnDCG), RBP has p = 0.95. ERR keeps its gain 2^grade - 1. AP is a
    pair, Relaxed (every positive grade is relevant) and Rigid (from grade 2 on), where its ``rel`` is not spelled out.
matters
    MATTERS, the library that Ferrante, Ferro & Maistro (2014) name as their source, by the defaults of its public
    copies: nDCG follows Järvelin & Kekäläinen (2002) with base 10, which does not discount ranks 1 to 10; RBP has p
    = 0.8, and every positive grade is relevant to it. Its gains 0, 5, 10 ... are five times the grades, which no nDCG
    sees. Which parameters the paper's own calls had is not known.
letor
    The evaluation scripts of LETOR 2 and 3: equal scores stay in file order, gain 2^grade - 1, no discount at
    ranks 1 and 2, then log2(rank), a query without relevant documents counts 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar, cast

from gradeval._core import InputError
from gradeval.arguments import one_of
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import SPELLING, parse_measure, parse_measures, split_measures
from gradeval.warning_categories import Note


class Preset(NamedTuple):
    """Options of ``evaluate`` by name, and parameters of measures by measure.

    Attributes
    ----------
    options, parameters : these.
    pairs : by measure the threshold of a second one that stands with it, where several measures are chosen.
    """

    options: Mapping[str, str]
    parameters: Mapping[str, Mapping[str, Any]]
    pairs: Mapping[str, float] = MappingProxyType({})

    @property
    def of_judge(self) -> dict[str, Any]:
        """The options of ``judge`` among them."""
        return {name: word for name, word in self.options.items() if name in ("ties", "negative")}


BINARY = (
    "AP YAAP gmAP AUC P RelP R F Rprec RR Success Hits IPrec IPrec11 Bpref gmBpref infAP binG SetP SetR SetF SetAP "
    "SetRelP SCU Utility NumRel NumRelRet NumNonRelRet"
).split()
"""Measures for which a document is relevant or not, from a grade on that is 1 unless somebody says so."""
TREC = {"missing": "zero", "empty": "zero", "ties": "docid", "negative": "unjudged"}
TREC_9 = {**TREC, "ties": "docid-float32"}
RBP_9, RBP_5, RBP_95 = ({name: {"p": p} for name in ("RBP", "RBPresidual")} for p in (0.9, 0.5, 0.95))
RECALL_LEVELS_OF_TREC_9 = {"IPrec": {"mode": "trec9"}, "IPrec11": {"mode": "trec9"}}

PRESETS = {
    "trec": Preset(TREC, {"IPrec": {"mode": "trec10"}, "IPrec11": {"mode": "trec10"}, **RBP_9}),
    "trec9": Preset(TREC_9, {**RECALL_LEVELS_OF_TREC_9, **RBP_9}),
    "dl": Preset(TREC_9, {**{name: {"rel": 2, **RECALL_LEVELS_OF_TREC_9.get(name, {})} for name in BINARY}, **RBP_9}),
    "covid": Preset(TREC_9, {**RECALL_LEVELS_OF_TREC_9, **RBP_5}),
    "ntcir": Preset(
        {"missing": "zero", "empty": "zero", "ties": "order", "negative": "nonrelevant"},
        {
            "AP": {"norm": "min"},
            "Q": {"norm": "min"},
            **{name: {"discount": "jk", "base": 2} for name in ("DCG", "nDCG", "MeannDCG")},
            **RBP_95,
        },
        pairs={"AP": 2},
    ),
    "matters": Preset(
        {}, {"nDCG": {"discount": "jk", "base": 10}, "DCG": {"discount": "jk", "base": 10}, "RBP": {"p": 0.8, "rel": 1}}
    ),
    "letor": Preset(
        {"missing": "zero", "empty": "zero", "ties": "order"},
        {name: {"dcg": "exp-log2", "discount": "letor"} for name in ("DCG", "nDCG", "MeannDCG")},
    ),
}
"""Every preset by its name."""

PresetName: TypeAlias = Literal["trec", "trec9", "dl", "covid", "ntcir", "matters", "letor"]
"""The names of the presets."""


def find_preset(name: str | None) -> Preset | None:
    """The preset of a name; an InputError where there is none."""
    if name is None:
        return None
    one_of("preset", name, (*PRESETS, None))
    return PRESETS[name]


P = ParamSpec("P")
R = TypeVar("R")


def with_preset(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function take ``preset``, which sets the options that a call does not give by keyword."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        preset = find_preset(cast("str | None", options.get("preset")))
        if preset is not None:
            taken = signature(function).parameters
            options.update(
                {name: word for name, word in preset.options.items() if name in taken and name not in options}
            )
        return function(*args, **options)

    return call


def configure_measures(
    name: str | None,
    measures: str | Measure | Iterable[str | Measure],
    settings: Mapping[str, Any] | None = None,
    *,
    pairs: bool = True,
) -> tuple[list[Measure], list[Note]]:
    """Measures as a preset defines them, and what it changes of these and of the ``settings`` of a function.

    Measure objects stay as they are. ``pairs``: may the preset add a second threshold to the named ones?
    """
    preset = find_preset(name)
    if preset is None:
        return parse_measures(measures), []
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    parts = [part for one in given for part in (split_measures(one) if isinstance(one, str) else [one])]
    made = [configure(preset, part) if isinstance(part, str) else part for part in parts]
    parts, made = _with_pairs(preset, parts, made) if pairs else (parts, made)
    changed = [
        str(one) for part, one in zip(parts, made, strict=True) if isinstance(part, str) and one != parse_measure(part)
    ]
    options = [f"{one} {word}" for one, word in preset.options.items() if settings and settings.get(one) == word]
    texts = [", ".join(options), " ".join(dict.fromkeys(changed))]
    return parse_measures(made), [Note.method(f"preset {name}: {text}") for text in texts if text]


def configure_one(
    name: str | None, measure: str | Measure, settings: Mapping[str, Any] | None = None
) -> tuple[Measure, list[Note]]:
    """The same of what names one measure; an InputError where it names several."""
    measures, notes = configure_measures(name, measure, settings, pairs=False)
    if len(measures) > 1:
        raise InputError(f"{measure!r} names {len(measures)} measures; name one")
    return measures[0], notes


def _with_pairs(
    preset: Preset, parts: Sequence[str | Measure], made: Sequence[Measure]
) -> tuple[list[str | Measure], list[Measure]]:
    """The measures; behind each without a spelled threshold, the preset's second one."""
    paired: list[tuple[str | Measure, Measure]] = []
    for part, one in zip(parts, made, strict=True):
        paired.append((part, one))
        if isinstance(part, str) and one.name in preset.pairs and "rel" not in _spelled(part) | _fixed(one):
            second = one.configured({"rel": preset.pairs[one.name]})
            if second not in made:
                paired.append((part, second))
    return [part for part, _ in paired], [one for _, one in paired]


def configure(preset: Preset | None, text: str) -> Measure:
    """A measure from its spelling, with the preset's value for every parameter that is not spelled out."""
    measure = parse_measure(text)
    defaults = preset.parameters.get(measure.name, {}) if preset is not None else {}
    spelled = _spelled(text) | _fixed(measure)
    if "gains" in spelled:  # the user's gains take the place of a formula for them
        spelled |= {"dcg"}
    return measure.configured({name: value for name, value in defaults.items() if name not in spelled})


def _fixed(measure: Measure) -> set[str]:
    """The parameters that a name stands for, as rbp.95 does for p; trec_eval's names leave it to the preset how recall
    levels are counted."""
    return {name for name, _ in measure.changed if name != "mode"}


def _spelled(text: str) -> set[str]:
    """The names of the parameters that a spelling sets, also of those it sets to their defaults."""
    spelled = SPELLING.fullmatch(text)
    return set(re.findall(r"(\w+)\s*=", (spelled and spelled["inside"]) or ""))

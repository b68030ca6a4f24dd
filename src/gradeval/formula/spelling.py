"""The spelling of measures: text to Measure and back, with the names of trec_eval and ir_measures read as aliases."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.formula.definition import REGISTRY, Measure, values_only

SPELLING = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<at>[^@()\s]+))?\s*", re.DOTALL)

ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "BPref": "Bpref",
    "RPrec": "Rprec",
    "Precision": "P",
    "Recall": "R",
    "map": "AP",
    "gm_map": "gmAP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "11pt_avg": "IPrec11(mode='trec9')",
}
"""Names of other tools and ours; trec_eval's eleven points count relevant documents as trec_eval does."""

CUT_ALIASES = {
    "map_cut": "AP@{}",
    "ndcg_cut": "nDCG@{}",
    "P": "P@{}",
    "recall": "R@{}",
    "success": "Success@{}",
    "iprec_at_recall": "IPrec(mode='trec9')@{}",
}
"""trec_eval's names with a cutoff behind the last underscore."""


def parse_measure(text: str | Measure) -> Measure:
    """The measure that a text spells: ``AP``, ``nDCG(dcg='exp-log2')@10``, ``GAP(g=[0.1,0.9])``, ``ndcg_cut_10``.

    Either kind of quote is read. An unknown name, an unknown parameter or a value that is not accepted is an
    InputError that names what is. Measures pass through unchanged.
    """
    return text if isinstance(text, Measure) else _parse(text, REGISTRY.version)


def parse_measures(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Measures from one text with several (split on white space outside brackets), or from many."""
    several = [texts] if isinstance(texts, str | Measure) else texts
    version = REGISTRY.version
    measures = [
        measure for text in several for measure in (_parse_several(text, version) if isinstance(text, str) else (text,))
    ]
    if not measures:
        raise InputError("no measure given: name one or more, as in 'AP nDCG@10'")
    return list(dict.fromkeys(measures))


@lru_cache(maxsize=1024)
def _parse_several(text: str, version: int) -> tuple[Measure, ...]:
    return tuple(_parse(part, version) for part in split_measures(text))


def measure_of_values(name: str) -> Measure:
    """The measure that a name spells, or one with values only: values computed elsewhere may go by any name."""
    try:
        return parse_measure(name)
    except InputError:
        return values_only(name)


def split_measures(text: str) -> list[str]:
    """Split on white space outside brackets and quotes: 'AP GAP(g=[0.5, 0.5])' is two."""
    return [part for part in _split(text, str.isspace)[0] if part.strip()]


def split_names(text: str) -> list[str]:
    """Split on commas, but not in the brackets and quotes of a name that is spelled as measures are.

    Where brackets or quotes are left open it is all commas: the names are others' then.
    """
    parts, closed = _split(text, ",".__eq__)
    return [part.strip() for part in (parts if closed else text.split(",")) if part.strip()]


def _split(text: str, separates: Callable[[str], bool]) -> tuple[list[str], bool]:
    """The parts between separators outside brackets and quotes, and whether all of these are closed."""
    parts, depth, quote, start = [], 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif separates(letter) and depth <= 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]], not quote and depth == 0


@lru_cache(maxsize=4096)
def _parse(text: str, version: int) -> Measure:
    """The measure that a text spells in one version of the registry."""
    alias = _alias(text.strip())
    if alias is not None:
        return _parse(alias, version)
    spelled = SPELLING.fullmatch(text)
    if spelled is None:
        raise InputError(f"cannot read the measure {text!r}: write it as in AP, nDCG@10 or GAP(g=[0.5,0.5])@100")
    name = spelled["name"]
    if name not in REGISTRY:
        name = ALIASES.get(name, name)
    if name not in REGISTRY:
        raise InputError(f"unknown measure {name!r}{nearest(name, REGISTRY)}; 'gradeval measures' lists them all")
    measure = REGISTRY[name]
    parameters = _parameters(spelled["inside"], text) if (spelled["inside"] or "").strip() else {}
    if spelled["at"] is not None:
        if not _is_number(spelled["at"]):
            raise InputError(f"cannot read the measure {text!r}: behind @ stands a number, as in nDCG@10")
        if measure.definition.at in parameters:
            raise InputError(f"{text!r} gives {measure.definition.at} twice, in brackets and behind @")
        at = float(spelled["at"])
        measure = measure @ (int(at) if at.is_integer() else at)
    return measure.configured(parameters) if parameters else measure


def _alias(text: str) -> str | None:
    """The spelling in our names of a name of another tool; None where a measure here has that name."""
    if text in REGISTRY:
        return None
    if text in ALIASES:
        return ALIASES[text]
    stem, _, at = text.rpartition("_")
    return CUT_ALIASES[stem].format(at) if stem in CUT_ALIASES and _is_number(at) else None


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text) is not None


def _parameters(inside: str, text: str) -> dict[str, object]:
    """name=value pairs, each value a Python literal; nothing is executed."""
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise _unreadable(text)
    values: dict[str, object] = {}
    for pair in call.keywords:
        if pair.arg is None:
            raise _unreadable(text)
        if pair.arg in values:
            raise InputError(f"{text!r} gives {pair.arg} twice")
        values[pair.arg] = _literal(pair.arg, pair.value, text)
    return values


def _unreadable(text: str) -> InputError:
    return InputError(
        f"cannot read the parameters of {text!r}: write name=value pairs, as in AP(rel=2) or GAP(g=[0.5,0.5])"
    )


def _literal(name: str, node: ast.expr, text: str) -> object:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        raise InputError(
            f"cannot read the value of {name} in {text!r}: it is a number, a quoted word, [list] or {{grade: value}}"
        ) from None
    return value

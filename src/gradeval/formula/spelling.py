"""The spelling of measures: text to Measure and back, with the names of trec_eval and ir_measures read as aliases."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.formula.aliases import (
    ALIASES,
    AT,
    BY_SWITCH,
    CUT_ALIASES,
    continues_name,
    explain_elsewhere,
    is_number,
    split_cutoffs,
    translate,
)
from gradeval.formula.definition import REGISTRY, Definition, Measure, values_only
from gradeval.messages import nearest, shown

SPELLING = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<at>[^@()\s]+))?\s*", re.DOTALL)

WRITTEN = re.compile(r"\s*(?P<name>[^\s()@]+)\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<at>[^@()\s]+))?\s*", re.DOTALL)
"""As SPELLING, but the name may be another tool's, such as r-precision or ndcg_cut.10."""

LATE = re.compile(r"\s*(?P<name>[^\s()@]+)\s*@\s*(?P<at>[^@()\s]+)\s*\((?P<inside>.*)\)\s*", re.DOTALL)
"""A name whose parameters follow the cutoff, as in P@10(rel=2); they belong before the @."""

BRACKETED = re.compile(r"[\[{]\s*(?P<at>[\d.]+)\s*[\]}]")
"""A number in brackets, which others take for @."""

OTHERWISE = re.compile(r"\s*(?P<name>[^\s\[{]+)(?:\s+(?i:at)\s+(?P<at>[\d.]+)|\s*(?P<bracketed>[\[{].*))\s*", re.DOTALL)
"""A cutoff that is not written with @, as in nDCG at 10 and nDCG[10]."""

THOUSANDS = re.compile(r"^(\d+)k$", re.IGNORECASE)
"""A cutoff as papers print it: R@1k."""

LEVEL = re.compile(r"(?P<measure>.+)-l(?P<level>\d+)\s*", re.DOTALL)  # ranx: map@10-l2 is relevant from grade 2 on


@known_arguments()
def parse_measure(text: str | Measure) -> Measure:
    """The measure that a text spells: ``AP``, ``nDCG(dcg='exp-log2')@10``, ``GAP(g=[0.1,0.9])``, ``ndcg_cut_10``.

    Either kind of quote is read, and a name in any case where that leaves one measure. An unknown name, an unknown
    parameter or a value that is not accepted is an InputError that names what is. Measures pass through unchanged.
    """
    if isinstance(text, Measure):
        return text
    return _parse(_spell(text), REGISTRY.version)


def parse_measures(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Measures from one text with several (split on white space and commas outside brackets), or from many; objects of
    ir_measures are read, too."""
    if isinstance(texts, str) and (known := _parse_several(texts, REGISTRY.version)):
        return list(known)
    several: Any = [texts] if isinstance(texts, str | Measure) or _is_foreign(texts) else texts
    if not isinstance(several, Iterable):
        raise _no_measure(texts)
    measures: list[Measure] = []
    for text in several:
        if isinstance(text, str):
            measures += _parse_several(text, REGISTRY.version)
        elif isinstance(text, Measure):
            measures.append(text)
        else:
            measures.append(parse_measure(text))
    if not measures:
        raise InputError("no measure given: name one or more, as in 'AP nDCG@10'")
    return list(dict.fromkeys(measures))


def _is_foreign(value: object) -> bool:
    """Is it a measure of ir_measures?"""
    return hasattr(value, "SUPPORTED_PARAMS") and isinstance(getattr(value, "params", None), Mapping)


def _spell(value: Any) -> str:
    """A measure as text: text itself, or a measure of ir_measures; one of ours among those says which it is."""
    if isinstance(value, str):
        return value
    if not _is_foreign(value):
        raise _no_measure(value)
    if set_elsewhere := {"missing", "empty"} & value.params.keys():
        name = min(set_elsewhere)
        raise InputError(f"{value}: {name}={shown(value.params[name])} is an option of evaluate: pass it there")
    return str(getattr(value, "gradeval", value))


def _no_measure(value: object) -> InputError:
    return InputError(f"{shown(value)} is no measure; name measures as in 'AP nDCG@10', or give a list of them")


@lru_cache(maxsize=1024)
def _parse_several(text: str, version: int) -> tuple[Measure, ...]:
    parts = split_measures(text)
    for before, part in pairwise(parts):
        if is_number(part):
            _refuse_number(before, part)
        elif bracketed := BRACKETED.fullmatch(part):
            _refuse_number(before, bracketed["at"])
    for before, part, number in zip(parts, parts[1:], parts[2:], strict=False):
        if part.casefold() == "at" and is_number(number):
            _refuse_number(before, number)
    return tuple(dict.fromkeys(_parse(part, version) for part in parts))


def _refuse_number(before: str, number: str) -> None:
    """Say what to write where a number stands behind a measure, if that makes a measure: P@5 P@10 for P@5,10."""
    cut = re.fullmatch(r"(?P<name>.*@|[^@]*[_.])[\d.]+", before)
    written = f"{cut['name']}{number}" if cut else f"{before}@{number}"
    try:
        parse_measures([before, written])
    except InputError:
        return
    said = f"a name before each cutoff, as in {before} {written}" if cut else written
    raise InputError(f"{number!r} is no measure; write {said}")


def measure_of_values(name: str) -> Measure:
    """The measure that a name spells, else one with values only: other tools may use any name.

    ``SOURCE:MEASURE`` is a measure by one of several sources; topics are put together as by the measure.
    """
    try:
        return _parse(name, REGISTRY.version, any_case=False)
    except InputError:
        source, colon, rest = name.partition(":")
        if not (source and colon and rest) or any(letter in "([{'\" " for letter in source):
            return values_only(name)
        measure = measure_of_values(rest)
        return values_only(f"{source}:{measure}", measure.definition.aggregate)


def split_measures(text: str) -> list[str]:
    """Split on white space and commas outside brackets and quotes: 'AP, GAP(g=[0.5, 0.5])' is two.

    trec_eval's lists of cutoffs become one measure each: 'ndcg_cut.5,10' is ndcg_cut.5 and ndcg_cut.10. Blanks around @
    split nothing.
    """
    parts: list[str] = []
    for word in _split(re.sub(r"(?<=\S)\s*@\s*(?=\S)", "@", text), str.isspace)[0]:
        names: list[str] = []
        for part in filter(str.strip, _split(word, ",".__eq__)[0]):
            if names and continues_name(names[-1], part):
                names[-1] += f",{part}"
            else:
                names.append(part)
        parts += [one for name in names for one in split_cutoffs(name)]
    return parts


def split_names(text: str) -> list[str]:
    """Split on commas, but not in the brackets and quotes of a name that is spelled as measures are.

    Where brackets or quotes are left open, the names are no spellings of gradeval, and every comma splits.
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


class _Spelling(NamedTuple):
    """The parts of a measure's spelling: a name, parameters in brackets, a number behind @, a lowest relevant grade.

    ``unquoted``: parameters whose value is no literal, but the text as it stands. ``is_late``: they follow the number.
    """

    text: str
    name: str
    parameters: Mapping[str, object]
    at: float | None
    level: int | None = None
    unquoted: tuple[str, ...] = ()
    is_late: bool = False


@lru_cache(maxsize=4096)
def _parse(text: str, _version: int, *, any_case: bool = True) -> Measure:
    """The measure that a text spells in one version of the registry."""
    spelled = _switch(_read_syntax(text))
    if spelled.name not in REGISTRY:
        spelled = _translate(spelled, any_case)
    measure = REGISTRY[spelled.name]
    if spelled.parameters or spelled.unquoted or spelled.at is not None:
        measure = _configure(measure, spelled)
    return measure if spelled.level is None else _from_level(measure, spelled.level, text)


def _switch(spelled: _Spelling) -> _Spelling:
    """The same without a parameter that makes it another measure: SetP(relative=True) is SetRelP."""
    for (name, switch), ours in BY_SWITCH.items():
        if spelled.name == name and isinstance(spelled.parameters.get(switch), bool):
            others = {key: value for key, value in spelled.parameters.items() if key != switch}
            return spelled._replace(name=ours if spelled.parameters[switch] else name, parameters=others)
    return spelled


def _read_syntax(text: str) -> _Spelling:
    level = LEVEL.fullmatch(text)
    body = level["measure"] if level else text
    late = LATE.fullmatch(body)
    match = late or WRITTEN.fullmatch(body)
    if match is None and text.count("@") > 1:
        raise InputError(f"cannot read the measure {text!r}: only one @ may follow a name, as in nDCG@10")
    if match is None:
        raise InputError(_explain_unreadable(text))
    name, at = match["name"], match["at"] and THOUSANDS.sub(r"\g<1>000", match["at"])
    if at is not None and not is_number(at):
        raise InputError(f"cannot read the measure {text!r}: behind @ stands a number, as in nDCG@10")
    place = None if at is None else float(at)
    if place is not None and place.is_integer():
        place = int(place)
    parameters, unquoted = _parameters(match["inside"], text) if (match["inside"] or "").strip() else ({}, ())
    return _Spelling(text, name, parameters, place, int(level["level"]) if level else None, unquoted, late is not None)


def _translate(spelled: _Spelling, any_case: bool) -> _Spelling:
    """Our spelling for a name of another tool, or for one of our names in another case."""
    if spelled.at is None and (cut := AT.fullmatch(spelled.name)):
        spelled = spelled._replace(name=cut["name"], at=int(cut["cutoff"]))
    name, folded = spelled.name, spelled.name.casefold()
    if folded == "rbp" and spelled.at is not None:
        raise InputError(f"{spelled.text!r} is p = 0.{spelled.at:g} in ranx and a cutoff here: write rbp.95 or RBP@95")
    alias = translate(name, at=spelled.at is not None)
    alike = any_case and name not in ALIASES
    same = [known for known in REGISTRY if known == name or (alike and known.casefold() == folded)]
    choices = dict.fromkeys([*same, *([alias] if alias else [])])
    if len(choices) > 1:
        raise InputError(f"the measure {spelled.text!r} may be {' or '.join(choices)}: write one of them")
    if not choices:
        raise InputError(_explain_unknown(spelled))
    return _merge_alias(spelled, *choices)


def _merge_alias(spelled: _Spelling, alias: str) -> _Spelling:
    """The spelling that an alias stands for, with the parameters and the number behind @ that follow the alias."""
    base = _read_syntax(alias)
    if twice := base.parameters.keys() & spelled.parameters.keys():
        raise InputError(f"{spelled.text!r} gives {min(twice)} twice, by its name and in brackets")
    if base.at is not None and spelled.at is not None:
        raise InputError(f"{spelled.text!r} gives the place twice, in its name and behind @")
    return spelled._replace(
        name=base.name,
        parameters={**base.parameters, **spelled.parameters},
        at=base.at if spelled.at is None else spelled.at,
    )


def _explain_unknown(spelled: _Spelling) -> str:
    """The message for an unknown name, with the nearest known names."""
    from difflib import get_close_matches

    name = spelled.name
    if (elsewhere := explain_elsewhere(name)) is not None:
        return elsewhere
    if len(several := split_cutoffs(name)) > 1:
        return f"{spelled.text!r} names {len(several)} measures where one is expected, as in {several[0]}"
    if not re.fullmatch(r"[\w.-]*[^\W\d_][\w.-]*", name):
        return _explain_unreadable(spelled.text)
    if (meant := _with_cutoff(spelled)) is not None:
        return f"unknown measure {name!r} (did you mean {meant}?); 'gradeval measures' lists them all"
    cutoff = re.search(r"[_.](\d[\d.]*)$", name)
    cut = [f"{stem}_{cutoff[1] if cutoff else 10}" for stem in CUT_ALIASES]
    names = {known.casefold(): known for known in [*cut, *ALIASES, *REGISTRY]}
    bare = re.sub(r"[-_.]?(measure|score)$", "", name.casefold())  # as papers have it: Q-measure is Q
    plain = re.sub(r"[-_.]", "", name.casefold())
    close = [one for one in (plain, bare) if one in names][:1] or get_close_matches(name.casefold(), names, n=3)
    near = dict.fromkeys(names[one] for one in close)
    if not near:
        return f"unknown measure {name!r}; 'gradeval measures' lists them all: AP, nDCG@10, GAP ..."
    return f"unknown measure {name!r} (did you mean {' or '.join(near)}?); 'gradeval measures' lists them all"


def _with_cutoff(spelled: _Spelling) -> str | None:
    """What a name that ends in a number is with @ before it: nDCG@10 for ndcg10; None where that is no measure."""
    ending = re.fullmatch(r"(?P<name>[A-Za-z]\w*?)[-_.]?(?P<at>\d+)", spelled.name)
    if ending is None or spelled.at is not None:
        return None
    try:
        return str(_parse(f"{ending['name']}@{ending['at']}", REGISTRY.version))
    except InputError:
        return None


def _explain_unreadable(text: str) -> str:
    """The message for a text that spells no name, with the measure that it means, where one is found."""
    meant = _with_at(text) or "it as in AP, nDCG@10 or GAP(g=[0.5,0.5])@100"
    return f"cannot read the measure {text!r}: write {meant}"


def _with_at(text: str) -> str | None:
    """The measure whose cutoff is written otherwise than with @: nDCG@10 for nDCG[10]; None where there is none."""
    otherwise = OTHERWISE.fullmatch(text)
    bracketed = BRACKETED.fullmatch((otherwise["bracketed"] or "").strip()) if otherwise else None
    if otherwise is None or (number := otherwise["at"] or (bracketed and bracketed["at"])) is None:
        return None
    try:
        return str(_parse(f"{otherwise['name']}@{number}", REGISTRY.version))
    except InputError:
        return None


def _from_level(measure: Measure, level: int, text: str) -> Measure:
    """The measure with documents relevant from this grade on; in measures of gain, lower grades gain nothing."""
    kinds = measure.definition.kinds
    if "rel" in kinds:
        return measure(rel=level)
    if "gains" not in kinds:
        raise InputError(f"{text!r}: {measure} has no lowest relevant grade: leave -l{level} out")
    return measure(gains=dict.fromkeys(range(1, level), 0)) if level > 1 else measure


def _configure(measure: Measure, spelled: _Spelling) -> Measure:
    if spelled.at is not None:
        if measure.definition.at in spelled.parameters:
            raise InputError(f"{spelled.text!r} gives {measure.definition.at} twice, in brackets and behind @")
        measure = measure @ spelled.at
    faults = _find_faults(measure.definition, spelled)
    meant = [measure.definition.meant(name, value) for name, value in spelled.parameters.items()]
    known = dict(one for one in meant if one is not None)
    if not faults or len(known) < len(meant):
        return measure.configured(spelled.parameters)
    level = "" if spelled.level is None else f"-l{spelled.level}"
    raise InputError(f"{faults[0]}: write {measure.configured(known)}{level}")


def _find_faults(definition: Definition, spelled: _Spelling) -> list[str]:
    """What is wrong with the parameters of a spelling, or with how they are written."""
    given = spelled.parameters.items()
    faults = [fault for name, value in given if (fault := definition.fault(name, value)) is not None]
    if spelled.unquoted and (meant := _rewritten(spelled.text, r"@\s*([\d.]+)\s*\)$", r")@\1")) is not None:
        raise InputError(f"cannot read the measure {spelled.text!r}: @ stands behind the brackets; write {meant}")
    faults += [f"cannot read the value of {name} in {spelled.text!r}" for name in spelled.unquoted]
    return [*faults, f"cannot read the measure {spelled.text!r}"] if spelled.is_late else faults


def _parameters(inside: str, text: str) -> tuple[dict[str, object], tuple[str, ...]]:
    """name=value pairs, each value a Python literal, and the names whose value is none; nothing is executed."""
    source = f"f({inside})"
    try:
        call = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise _unreadable_parameters(text)
    values: dict[str, object] = {}
    unquoted: list[str] = []
    for pair in call.keywords:
        if pair.arg is None:
            raise _unreadable_parameters(text)
        if pair.arg in values:
            raise InputError(f"{text!r} gives {pair.arg} twice")
        try:
            values[pair.arg] = ast.literal_eval(pair.value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            word = ast.get_source_segment(source, pair.value) or ""
            values[pair.arg] = {"true": True, "false": False}.get(word.casefold(), word)
            unquoted.append(pair.arg)
    return values, tuple(unquoted)


BARE_LIST = re.compile(r"(\w+)=([\d.]+(?:\s*,\s*[\d.]+)+)(?=\s*[,)])")
"""Numbers between commas behind a name, without the brackets of a list."""


def _unreadable_parameters(text: str) -> InputError:
    if (meant := _rewritten(text, r"\(\s*(?=\[)", "(g=")) is not None:
        return InputError(f"cannot read the parameters of {text!r}: a list has a name; write {meant}")
    bracketed = BARE_LIST.sub(lambda found: f"{found[1]}=[{''.join(found[2].split())}]", text)
    if bracketed != text:
        return InputError(f"cannot read the parameters of {text!r}: a list stands in brackets; write {bracketed}")
    return InputError(
        f"cannot read the parameters of {text!r}: write name=value pairs, as in AP(rel=2) or GAP(g=[0.5,0.5])"
    )


def _rewritten(text: str, found: str, by: str) -> str | None:
    """The measure that a text spells with one part written otherwise; None where that is no measure."""
    with suppress(InputError):
        other = re.sub(found, by, text.strip(), count=1)
        return str(_parse(other, REGISTRY.version)) if other != text.strip() else None
    return None


LONG = re.compile(r"\d*\.\d{4,}")
"""A number with more than three decimals."""


def name_briefly(measures: Sequence[Measure]) -> list[str]:
    """The names of measures with three digits of long numbers: GAP(g=[0.333,0.333,0.333]).

    A name stays as it is where another measure would have the same.
    """
    full = [str(measure) for measure in measures]
    brief = [LONG.sub(lambda number: f"{float(number[0]):.3g}", name) for name in full]
    meant = {name: {other for other, short in zip(full, brief, strict=True) if short == name} for name in brief}
    return [short if len(meant[short]) == 1 else name for name, short in zip(full, brief, strict=True)]


def choose_measures(wanted: str | Measure | Iterable[str | Measure], known: Sequence[Measure]) -> list[Measure]:
    """The known measures of these names, in the order of the names, each once.

    A text names one or several (separated by blanks or commas), by our spelling or another tool's, in any case where
    that is unique; values that were computed elsewhere may belong to a measure of any name.
    """
    by_name = {str(measure): measure for measure in known}
    chosen: list[Measure] = []
    for item in [wanted] if isinstance(wanted, str | Measure) else wanted:
        if isinstance(item, Measure) or item in by_name:
            names = [str(item)]
        elif not by_name.keys() >= set(names := split_names(item)):
            names = split_measures(item)
        chosen += [_choose(name, by_name) for name in names]
    if not chosen:
        raise InputError(f"no measure given; accepted: {', '.join(by_name)}")
    return list(dict.fromkeys(chosen))


def place_of_measure(wanted: str | Measure, known: Sequence[Measure], what: str = "scores") -> int:
    """The place of a measure among the known ones; ``what``: their values, for the error."""
    return list(known).index(_choose(str(wanted), {str(measure): measure for measure in known}, what))


def _choose(name: str, by_name: dict[str, Measure], what: str = "scores") -> Measure:
    for spelled in _spellings(name):
        if spelled in by_name:
            return by_name[spelled]
    same = [known for known in by_name if known.casefold() == name.casefold()]
    if len(same) != 1:
        raise InputError(f"no {what} of {name}{nearest(name, by_name)}; accepted: {', '.join(by_name)}")
    return by_name[same[0]]


def _spellings(name: str) -> Iterator[str]:
    """What a name may mean: itself, by another tool's names, in another case."""
    yield name
    yield str(measure_of_values(name))
    with suppress(InputError):
        yield str(parse_measure(name))

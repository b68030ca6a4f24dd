"""Which columns of a leaderboard hold tasks: by their names without units, and by what they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradeval.files.plain_text import read_decimal
from gradeval.formula.arithmetic import Array

BLANK = ("", "-", "–", "—", "n/a", "na", "nan", "null", "none", "x")
"""What stands for a value that is not there, in lower case."""
NUMBER_LIKE = re.compile(r"[-+]?(\d+(,\d+)+(\.\d+)?|[\d.]+\s*(±|\+/-|\+-)\s*[\d.]+)\s*%?")
"""A number with commas, for thousands or for decimals, or with its error: it is refused, and not left out as text."""

AVERAGES = set("average avg mean overall total aggregate median geomean".split())
OF_AVERAGES = set(
    "score scores task tasks tasktype type types macro micro weighted global win rate acc accuracy of all the".split()
)
"""Words that leave the name of an average one, as in Overall Score."""
SUMMARIES = set("score scores final result results weighted combined composite summary grade points sum".split())
"""Words of what may be an average, or not."""

SIZES = set(
    "param params parameter parameters dimension dimensions dim dims size vram tokens layers heads vocab "
    "vocabulary".split()
)
COSTS = set(
    "cost costs price prices pricing latency throughput flops macs emissions carbon co2 qps tps rps fps rtf "
    "rtfx".split()
)
LOWER = set("loss losses wer cer perplexity ppl rmse mse mae mape eer bpb bpc ece brier".split())
"""Of which less is better."""
SPREADS = set("std stdev stddev stderr ci pvalue variance deviation".split())
"""How exact a value is."""
DIALS = set("temperature lr epoch epochs seed dropout warmup momentum".split())
"""With which parameters a model was run or trained."""
RECORDS = set(
    "date year released updated submitted cutoff version versions license licence url urls link links website homepage "
    "repo repository git github votes likes downloads sha commit revision rank ranks borda".split()
)
"""What a leaderboard notes of a model."""
PROPERTIES = SIZES | COSTS | LOWER | SPREADS | DIALS | RECORDS
"""Words that say what a model is like, or how its value was computed, not how good it is."""
WORD_PAIRS = [
    {noun, other}
    for noun, others in {
        "memory": "usage footprint peak gpu cpu ram max training inference",
        "time": "training train inference index indexing query search encoding embedding build run gpu cpu wall",
        "length": "sequence seq context input output max",
        "window": "context",
        "shot": "zero few",
        "hours": "gpu cpu training",
        "number": "languages documents queries",
        "energy": "usage consumption",
        "power": "usage consumption draw",
        "rate": "learning error",
        "batch": "size",
        "top": "p k",
    }.items()
    for other in others.split()
]
"""Words of which two together are properties: Memory Usage."""
COMPANIONS = set().union(*WORD_PAIRS) | set(
    "speed release upload submission knowledge model active total num count hub average avg weights disk train test "
    "validation dev of the per a in on for to at and n no k m b million billion thousand task mean docs low high lower "
    "upper bound min max interval standard p50 p90 p95 p99".split()
)
"""Words that leave the name of a property one, and say nothing by themselves."""
DOUBTFUL = set(
    "ranking place position power energy memory time speed context languages ram disk gpu cpu usage hours weights "
    "low high lower upper bound min max "
    "interval se sd sem alpha beta gamma k1 seconds minutes count length depth width".split()
)
"""Words that may be the names of tasks or of properties."""
DOUBTFUL_AT_THE_END = SIZES - {"size"} | COSTS | LOWER | SPREADS | set("time memory version temperature error".split())
"""Words that make a name doubtful when they end it."""
EXACTNESS = SPREADS | set("se sd sem err standard error interval confidence conf width".split())
"""Words that behind the name of another column say how exact its values are."""
EXACTNESS_OR_BOUND = EXACTNESS | set("low high lower upper bound half margin of".split())
"""Of which such a name may consist: lower bound, half of the interval."""
ERRORS = set(
    "error errors contamination hallucination hallucinations toxicity refusal refusals failures timeouts".split()
)
"""What is counted or measured where it went wrong: less may be better."""
DIFFERENCES = set("delta gain diff difference improvement".split())
"""Of two models or versions."""
COUNTS = set("n queries documents docs passages corpus samples examples instances questions".split())
"""Words that say what a task is like."""
UNITS = set(
    "mb gb kb tb mib gib bytes ms sec secs second seconds minute minutes hour hours day days usd eur tokens tok qps "
    "flops gflops tflops kwh wh kg tco2 million billion millions billions bn params".split()
)
"""Units that no score has, in brackets or as the last word."""
LETTERS = set("b m k g s h w".split())
"""Units of one letter, in brackets or alone; a task may be called so."""
KNOWN = PROPERTIES | COMPANIONS | DOUBTFUL | ERRORS | COUNTS | UNITS
"""All that is no word of a task alone."""
BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
SYMBOLS = re.compile(r"[$€£#❤±]|\+/-")
SIGNS = re.compile(r"[$€£±Δ∆]|\+/-|^[\d.]+%$")
SPREAD_SIGN = re.compile(r"±|\+/-")
NUMBER = re.compile(r"\d+[kmb]?")
RATE = re.compile(r"(/|(?<![a-z])per)[\s_]*(s|secs?|seconds?|min|minutes?|hours?|days?)(?![\w-])")
P_VALUE = re.compile(r"\bp[\s_-]*val(ue)?s?\b")

HIGHEST = 200.0
"""The highest value, except for rounding, of scores in percent; relative ones pass 100."""
TIMES = 5.0
"""How far apart ratings, as Elo's, may lie."""
CHANCE, SURELY = 0.1, 1e-4
"""What is less probable than these among columns of tasks: it is doubted, and no task."""
YEARS = (1950, 2050)


@dataclass
class Tasks:
    """Which of some columns hold tasks.

    Attributes
    ----------
    kept, left : the places of those that do, and of those that do not.
    unclear : why it is not clear for others, by their places.
    """

    kept: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    unclear: dict[int, str] = field(default_factory=dict)


def find_tasks(names: Sequence[str], columns: Sequence[Sequence[str]], chosen: Collection[str] = ()) -> Tasks:
    """Tell tasks from properties of models and from averages, by the names of columns and the cells of each.

    ``chosen``: names that the user takes for tasks; where there are some among the names, these are the tasks.
    """
    tasks = Tasks()
    if named := [place for place, name in enumerate(names) if name in chosen]:
        return Tasks(named, [place for place in range(len(names)) if place not in named])
    known = set(map(words_of, names))
    numbers: dict[int, Array] = {}
    for place, (name, cells) in enumerate(zip(names, columns, strict=True)):
        there = [cell for cell in cells if not is_blank(cell)]
        if there and not all(map(is_text, there)) and not is_no_task(name, known):
            numbers[place] = np.array([np.nan if is_blank(cell) else read_value(cell) for cell in cells])
    known = {words_of(names[place]) for place in numbers}
    doubts = {place: doubt for place in numbers if (doubt := _why_doubted(names[place], known))}
    for place, chance in _columns_like_means(numbers, {place: _decimals(columns[place]) for place in numbers}, doubts):
        if chance < SURELY:
            del numbers[place]
        elif chance < CHANCE:
            doubts.setdefault(place, "as a mean of the others")
    tasks.left = [place for place in range(len(names)) if place not in numbers]
    for place, why in [*_odd({place: (columns[place], values) for place, values in numbers.items()}), *doubts.items()]:
        if place in numbers:
            tasks.unclear.setdefault(place, why)
    tasks.kept = [place for place in numbers if place not in tasks.unclear]
    return tasks


def is_blank(cell: str) -> bool:
    """Does a cell stand for a value that is not there?"""
    return cell.lower() in BLANK


def is_no_task(name: str, known: Collection[tuple[str, ...]]) -> bool:
    """Is it the name of an average, of a property, or of how exact another column is, whose words are ``known``?"""
    if is_average(name) or is_property(name):
        return True
    return any(extra & EXACTNESS and extra <= EXACTNESS_OR_BOUND for extra in _beside_others(name, known))


def is_average(name: str) -> bool:
    """Is it the name of an average, as Mean (Task) or Overall Score?"""
    words = set(_words(name))
    return bool(words & AVERAGES) and words <= AVERAGES | OF_AVERAGES


def is_property(name: str) -> bool:
    """Is it the name of what a model is like, as Memory Usage (MB), #Params, Train loss or Release Date?"""
    words, text = _words(name), _split_words(name)
    if (
        set(_units(name)) & UNITS
        or RATE.search(text)
        or words[-1:] in ([unit] for unit in UNITS - {"second", "seconds"})
    ):
        return True
    said = (PROPERTIES | UNITS) & set(words) or any(pair <= set(words) for pair in WORD_PAIRS) or SYMBOLS.search(text)
    return bool(said or (words and LETTERS & set(_units(name)))) and _are_known(words)


def is_count(name: str) -> bool:
    """Is it the name of what a task is like, as #Queries or Corpus Size?"""
    words = _words(name)
    return bool(COUNTS & set(words)) and _are_known(words)


def _why_doubted(name: str, known: Collection[tuple[str, ...]]) -> str:
    """Why a name may be no task's, given other names, whose words are ``known``; "" where it is not doubted."""
    words = _words(name)
    said = set(words)
    if LETTERS & set(_units(name)):
        return "the name ends in a unit"
    if len(words) == 1 and said <= LETTERS and sum(len(other) == len(other[0]) == 1 for other in known if other) < 2:
        return "the name is a unit"
    if len(known) > 1 and said & SUMMARIES and said <= SUMMARIES | OF_AVERAGES:
        return "maybe an average"
    if words and (words[-1] in LOWER or (said & (LOWER | ERRORS) and _are_known(words))):
        return "maybe less is better"
    if name.startswith("#") or words[:1] == ["num"] or words[:2] == ["number", "of"] or is_count(name):
        return "a count"
    if "per" in said:
        return "a rate"
    if said & DIFFERENCES and ("vs" in said or words[-1] in DIFFERENCES):
        return "a difference"
    if (said & DOUBTFUL and _are_known(words)) or said & DOUBTFUL_AT_THE_END & set(words[-1:]) or SIGNS.search(name):
        return "maybe what a model is like"
    if any(extra <= EXACTNESS_OR_BOUND | DOUBTFUL | PROPERTIES for extra in _beside_others(name, known)):
        return "maybe about another column"
    return ""


def _beside_others(name: str, known: Collection[tuple[str, ...]]) -> Iterator[set[str]]:
    """The words of a name before or behind all words of another name, which are ``known``; ± is the word std."""
    words = words_of(name)
    sign = {"std"} if SPREAD_SIGN.search(name) else set()
    for at in range(len(words) + 1):
        for other, extra in ((words[:at], words[at:]), (words[at:], words[:at])):
            if other in known and (extra or sign):
                yield {word for word in extra if not word.isdigit()} | sign or {name}


def _are_known(words: Sequence[str]) -> bool:
    """Does a name have no word that only a task would have?"""
    return all(word in KNOWN or NUMBER.fullmatch(word) for word in words)


def _split_words(name: str) -> str:
    """A name without accents and with blanks between the words of CamelCase, in lower case."""
    text = unicodedata.normalize("NFKD", name)
    return P_VALUE.sub("pvalue", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, those in brackets among them."""
    return tuple(re.findall(r"[a-z0-9]+", _split_words(name)))


def _words(name: str) -> list[str]:
    """The words of a name without brackets and punctuation."""
    return re.findall(r"[a-z0-9]+", BRACKETS.sub(" ", _split_words(name)))


def _units(name: str) -> list[str]:
    """The words in the brackets of a name."""
    return re.findall(r"[a-z0-9]+", " ".join(BRACKETS.findall(_split_words(name))))


def read_value(cell: str) -> float:
    """The number in a cell, with or without a percent sign; NaN where it holds none."""
    return read_decimal(cell.removesuffix("%").rstrip())


def is_text(cell: str) -> bool:
    """Is it text? Numbers with commas or with an error are refused, not left out."""
    number = read_value(cell)
    return number != number and not NUMBER_LIKE.fullmatch(cell)


def _decimals(cells: Sequence[str]) -> int:
    """How many digits behind the point the cells of a column have at most."""
    return max(len(cell.removesuffix("%").rstrip().partition(".")[2]) for cell in cells)


def _columns_like_means(
    columns: Mapping[int, Array], decimals: Mapping[int, int], doubted: Collection[int]
) -> Iterator[tuple[int, float]]:
    """How probable it is that columns which look like the mean of the others, weighted or not, are tasks.

    Values of a task would lie anywhere in the range of all, so that one is within the rounding of a mean by chance.
    """
    places = list(columns)
    if len(places) < 3:
        return
    table = np.array([columns[place] for place in places])
    lacking = np.isnan(table)
    filled, complete = np.where(lacking, 0.0, table), ~lacking.any(0)
    scale = float(filled.max() - filled.min()) or 1.0
    clear = np.array([place not in doubted for place in places])
    weights = _weights(table[:, complete])
    for row, place in enumerate(places):
        unit, others = 10.0 ** -decimals[place], clear & (np.arange(len(places)) != row)
        counts = np.maximum((~lacking[others]).sum(0), 1)
        off, there = np.abs(filled[others].sum(0) / counts - table[row]), ~lacking[row] & (~lacking[others]).any(0)
        agreeing = 0
        if others.sum() > 1 and there.any() and (off[there] <= 0.51 * unit).all():
            agreeing = int(there.sum()) - 1
        elif others.sum() > 1 and complete.any() and (off[complete] <= 0.51 * unit).all():
            agreeing = int(complete.sum()) - 1
        elif weights is not None and (np.abs(weights[row] @ table[:, complete]) <= 1.1 * unit).all():
            own = -np.delete(weights[row], row)
            if own.min() > -0.05 and own.max() < 0.95 and abs(own.sum() - 1) < 0.05:
                agreeing = int(complete.sum()) - len(own)
        alike = (table == table[row]) | (lacking & lacking[row]) if agreeing else lacking
        if agreeing and alike.all(1).sum() == 1:
            yield place, min(1.0, 2.2 * unit / scale) ** agreeing


def _weights(table: Array) -> Array | None:
    """float64[task, task]: 1 on the diagonal, and less by how much others take part in the mean that is nearest to a
    task; None where there are too few models."""
    if table.shape[1] < table.shape[0] + 1:
        return None
    products = table @ table.T
    ridge = 1e-9 * np.trace(products) / len(table) + 1e-300  # an exact mean has no inverse without
    inverse = np.linalg.inv(products + ridge * np.eye(len(table)))
    weights: Array = inverse / np.diag(inverse)[:, None]
    return weights


def _odd(columns: dict[int, tuple[Sequence[str], Array]]) -> Iterator[tuple[int, str]]:
    """The columns that hold something else than most others do, and what."""
    percent = {place for place, (cells, _) in columns.items() if any(cell.endswith("%") for cell in cells)}
    if 0 < len(percent) < len(columns) - len(percent):
        yield from ((place, "in percent, unlike the others") for place in percent)
    elif len(percent) > len(columns) - len(percent) > 0:
        yield from ((place, "not in percent, as the others are") for place in columns if place not in percent)
    yield from _odd_whole(columns)
    yield from _off_scale({place: values for place, (_, values) in columns.items()}, percent)


def _odd_whole(columns: dict[int, tuple[Sequence[str], Array]]) -> Iterator[tuple[int, str]]:
    """The columns of ranks and years; and columns of whole numbers, unless most columns hold such."""
    there = {place: values[~np.isnan(values)] for place, (_, values) in columns.items()}
    whole = {place for place, (cells, _) in columns.items() if _are_whole(cells)}
    fine = [_decimals(cells) for place, (cells, _) in columns.items() if place not in whole]
    years = {
        place
        for place in whole
        if len(there[place]) and ((there[place] >= YEARS[0]) & (there[place] <= YEARS[1])).all()
    }
    for place in whole:
        values = there[place]
        if _are_ranks(values, len(columns[place][1])):
            yield place, "ranks"
        elif not set(values.tolist()) <= {0.0, 1.0, 100.0} and 0 < len(whole) <= len(fine):
            if len(columns) * 10.0 ** (-min(fine) * len(values)) < CHANCE:
                yield place, "whole numbers, unlike the others"
        elif place in years and len(years) < len(columns):
            yield place, "years"


def _are_whole(cells: Sequence[str]) -> bool:
    """Are these whole numbers? pandas writes 8.0 where a cell of the column is blank."""
    there = [cell.removesuffix("%").rstrip() for cell in cells if not is_blank(cell)]
    return not any("." in cell.removesuffix(".0" if len(there) < len(cells) else "") for cell in there)


def _are_ranks(values: Array, models: int) -> bool:
    """Are these the ranks of so many models, some of which may share one or have none?"""
    ordered = np.sort(values)
    if not len(ordered) or ordered[0] == ordered[-1]:
        return False
    first = np.searchsorted(ordered, ordered) + 1.0  # 1 1 3
    dense = np.unique(ordered, return_inverse=True)[1] + 1.0  # 1 1 2
    some = len(np.unique(ordered)) == len(ordered) < models and ordered[0] >= 1 and ordered[-1] <= models  # 1 2 4 of 4
    return bool(some or (ordered == first).all() or (ordered == dense).all())


def _off_scale(columns: dict[int, Array], percent: Collection[int]) -> Iterator[tuple[int, str]]:
    """The columns on another scale than most columns: to 1, to 100, or ratings above."""
    tops = {place: float(np.nanmax(np.abs(values), initial=0.0)) for place, values in columns.items()}
    fractions = {place: bool((values % 1 > 0).any()) for place, values in columns.items()}
    scales: dict[int, str] = {}
    for place, top in tops.items():
        if top > HIGHEST:
            scales[place] = "ratings"
        elif top > 1 or place in percent:
            scales[place] = "percent"
        elif fractions[place]:
            scales[place] = "to 1"  # 0 and 1 alone are on every scale
    counts = {scale: list(scales.values()).count(scale) for scale in scales.values()}
    most = [scale for scale, count in counts.items() if count == max(counts.values())]
    for place, scale in scales.items():
        if len(most) > 1 or scale != most[0]:
            others = max((top for other, top in tops.items() if scales.get(other, scale) != scale), default=0.0)
            yield place, f"up to {tops[place]:g}, others up to {others:g}"
    if most == ["ratings"]:
        middle = {place: float(np.nanmedian(columns[place])) for place, scale in scales.items() if scale == "ratings"}
        typical = float(np.median(list(middle.values())))
        for place, value in middle.items():
            if not typical / TIMES <= value <= typical * TIMES:
                yield place, f"about {value:g}, others about {typical:g}"

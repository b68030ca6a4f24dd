"""Which columns of a leaderboard hold tasks: by their names without units, and by what they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradeval.arguments import read_decimal
from gradeval.formula.arithmetic import Array

BLANK = ("", "-", "–", "—", "n/a", "na", "nan", "null", "none", "x")
"""What stands for a value that is not there, in lower case."""
NUMBER_LIKE = re.compile(r"[-+]?(\d+(,\d+)+(\.\d+)?|[\d.]+\s*(±|\+/-|\+-)\s*[\d.]+)\s*%?")
"""A number with commas, for thousands or for decimals, or with its error: it is refused, and not left out as text."""

AVERAGES = set("average avg mean overall total aggregate".split())
OF_AVERAGES = set(
    "score scores task tasks tasktype type types macro micro weighted global win rate acc accuracy of all the".split()
)
"""Words that leave the name of an average one, as in Overall Score."""
PROPERTIES = set(
    "param params parameter parameters dimension dimensions dim dims size vram tokens date year released rank ranks "
    "ranking borda place position license licence cost price pricing latency throughput flops macs url urls link links "
    "website homepage repo repository git github votes likes downloads layers vocab vocabulary cutoff updated "
    "submitted sha commit revision".split()
)
"""Words that say what a model is like, not how good it is."""
PARTS = set(
    "memory usage footprint peak time speed length window context sequence seq max min training inference runtime "
    "release upload submission knowledge model active total number num count hub input output power energy emissions "
    "co2 carbon hours languages zero shot weights disk gpu cpu ram peak".split()
)
"""Words of which two, or one with a unit, say the same: Memory Usage, Time (s)."""
FILLERS = set("of the per a in on for to at and n no k m b million billion thousand task query embedding mean".split())
COUNTS = set("queries documents docs passages corpus samples examples instances questions".split())
"""Words that say what a task is like."""
UNITS = set(
    "mb gb kb tb mib gib bytes ms sec secs second seconds minute minutes hour hours days usd eur tokens tok qps flops "
    "gflops tflops kwh wh kg tco2 million billion millions billions bn params".split()
)
"""Units that no score has, in brackets or as the last word."""
LETTERS = set("b m k g s h w".split())
"""Units of one letter, in brackets; a task may be called so."""
BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
SYMBOLS = re.compile(r"[$€£#❤]")

HIGHEST = 200.0
"""The highest value, but for rounding, of scores in percent; relative ones pass 100."""
TIMES = 5.0
"""How far apart ratings, as Elo's, may lie."""


@dataclass
class Tasks:
    """Which of some columns hold tasks.

    Attributes
    ----------
    kept, left : the places of those that do, and of those that do not.
    unclear : why it cannot be told of others, by their places.
    """

    kept: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    unclear: dict[int, str] = field(default_factory=dict)


def find_tasks(names: Sequence[str], columns: Sequence[Sequence[str]], chosen: Collection[str] = ()) -> Tasks:
    """Tell tasks from what models are like and from averages, by the names of columns and the cells of each.

    ``chosen``: names that the user takes for tasks; where there are some among the names, these are the tasks.
    """
    tasks = Tasks()
    if named := [place for place, name in enumerate(names) if name in chosen]:
        return Tasks(named, [place for place in range(len(names)) if place not in named])
    numbers: dict[int, Array] = {}
    for place, (name, cells) in enumerate(zip(names, columns, strict=True)):
        there = [cell for cell in cells if not is_blank(cell)]
        if not there or all(map(is_text, there)) or is_average(name) or is_property(name):
            continue
        numbers[place] = np.array([np.nan if is_blank(cell) else read_value(cell) for cell in cells])
    for place in list(numbers):
        if _is_mean_of_others(numbers, place, columns[place]):
            del numbers[place]
    tasks.left = [place for place in range(len(names)) if place not in numbers]
    for place, why in _odd({place: (columns[place], values) for place, values in numbers.items()}):
        tasks.unclear.setdefault(place, why)
    for place in numbers:
        if LETTERS & set(_units(names[place])):
            tasks.unclear.setdefault(place, "the name ends in a unit")
    tasks.kept = [place for place in numbers if place not in tasks.unclear]
    return tasks


def is_blank(cell: str) -> bool:
    """Does a cell stand for a value that is not there?"""
    return cell.lower() in BLANK


def is_average(name: str) -> bool:
    """Is it the name of an average, as Mean (Task) or Overall Score?"""
    words = set(_words(name))
    return bool(words & AVERAGES) and words <= AVERAGES | OF_AVERAGES


def is_property(name: str) -> bool:
    """Is it the name of what a model is like, as Memory Usage (MB), #Params or Release Date?"""
    words, units = _words(name), _units(name)
    if set(units) & UNITS or (len(words) > 1 and words[-1] in UNITS - {"params", "second", "seconds"}):
        return True
    said = sum(2 if word in PROPERTIES else word in PARTS for word in words) + bool(units or SYMBOLS.search(name))
    known = PROPERTIES | PARTS | FILLERS | UNITS
    return said > 1 and all(word in known or word.isdigit() for word in words)


def is_count(name: str) -> bool:
    """Is it the name of what a task is like, as #Queries or Corpus Size?"""
    words = set(_words(name))
    return bool(words & COUNTS) and words <= COUNTS | PROPERTIES | PARTS | FILLERS


def _split_words(name: str) -> str:
    """A name without accents and with blanks between the words of CamelCase, in lower case."""
    text = unicodedata.normalize("NFKD", name)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()


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
    """Is it no number, nor one with commas or with an error, which is refused and not left out?"""
    number = read_value(cell)
    return number != number and not NUMBER_LIKE.fullmatch(cell)


def _is_mean_of_others(numbers: dict[int, Array], place: int, cells: Sequence[str]) -> bool:
    """Does a column hold the means of at least three others, but for rounding, of at least three models?"""
    others = [values for other, values in numbers.items() if other != place]
    values = numbers[place]
    if len(others) < 3 or len(values) < 3 or any(np.isnan(column).any() for column in (values, *others)):
        return False
    digits = max(len(cell.removesuffix("%").rstrip().partition(".")[2]) for cell in cells)
    alike = all((column == values).all() for column in others)
    return not alike and bool((np.abs(np.mean(others, 0) - values) <= 0.51 * 10.0**-digits).all())


def _odd(columns: dict[int, tuple[Sequence[str], Array]]) -> Iterator[tuple[int, str]]:
    """The columns that hold something else than most others do, and what."""
    percent = {place for place, (cells, _) in columns.items() if any(cell.endswith("%") for cell in cells)}
    if 0 < len(percent) < len(columns) - len(percent):
        yield from ((place, "in percent, unlike the others") for place in percent)
    elif len(percent) > len(columns) - len(percent) > 0:
        yield from ((place, "not in percent, as the others are") for place in columns if place not in percent)
    whole = {place for place, (cells, _) in columns.items() if not any("." in cell for cell in cells)}
    for place in whole:
        values = columns[place][1]
        if len(values) < 3 or np.isnan(values).any():
            continue
        if _are_ranks(values):
            yield place, "ranks"
        elif 0 < len(whole) < len(columns) - len(whole):
            yield place, "whole numbers, unlike the others"
    yield from _off_scale({place: values for place, (_, values) in columns.items()}, percent)


def _are_ranks(values: Array) -> bool:
    """Are these the ranks of so many models, some of which may share one?"""
    ordered = np.sort(values)
    if ordered[0] == ordered[-1]:
        return False
    first = np.searchsorted(ordered, ordered) + 1.0  # 1 1 3
    dense = np.unique(ordered, return_inverse=True)[1] + 1.0  # 1 1 2
    return bool((ordered == first).all() or (ordered == dense).all())


def _off_scale(columns: dict[int, Array], percent: Collection[int]) -> Iterator[tuple[int, str]]:
    """The columns whose values are on another scale than those of most: to 1, to 100, or ratings above."""
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

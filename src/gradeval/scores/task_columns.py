"""Which columns of a leaderboard hold tasks: by their names without units, and by what they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradeval.files.plain_text import read_decimal
from gradeval.formula.arithmetic import Array

BLANK = ("", "-", "--", "–", "—", "n/a", "na", "nan", "null", "none", "x")
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
PROPERTIES = set(
    "param params parameter parameters dimension dimensions dim dims vram layers heads vocab vocabulary zero "
    "cost costs price prices pricing latency throughput flops macs emissions carbon co2 qps tps rps fps rtf rtfx "
    "loss losses wer cer perplexity ppl rmse mse mae mape eer bpb bpc ece brier error errors contamination "
    "hallucination hallucinations toxicity refusal refusals failures timeouts "
    "std stdev stddev stderr se sd sem ci interval pvalue variance deviation "
    "temperature lr epoch epochs seed dropout warmup momentum version versions "
    "date year released updated submitted cutoff license licence url urls link links website homepage repo repository "
    "github votes likes downloads sha commit revision borda".split()
)
"""Words that say what a model is like, how exact its value is, or of which less is better; not how good it is."""
DOUBTFUL = set(
    "size tokens rank learning position place memory power energy time speed context length window depth width usage "
    "hours seconds minutes git ranks languages queries documents docs passages corpus samples examples instances "
    "questions n".split()
)
"""Words that say what a model is like only if no other word of the heading may name a task."""
SPREADS = set("std stdev stddev stderr ci pvalue".split())
"""Words that say behind the name of any task how exact its value is."""
COMPANIONS = set(
    "release upload submission knowledge model active total num number count hub average avg weights disk train test "
    "training validation inference indexing index query search encoding embedding build run wall gpu cpu ram max peak "
    "batch learning rate sequence seq input output shot consumption footprint storage dev of the per a in on for to at "
    "and no k m b million billion thousand task mean low high lower upper bound ub min interval standard confidence "
    "p50 p90 p95 p99".split()
)
"""Words that leave the name of a property one, and say nothing by themselves."""
UNITS = set(
    "mb gb kb tb mib gib bytes ms s sec secs second minute hour h day days usd eur tok qps gflops tflops kwh wh kg w "
    "tco2 b m k g billions millions bn".split()
)
"""Units that no score has, in brackets."""
KNOWN = PROPERTIES | DOUBTFUL | COMPANIONS | UNITS
"""All that is no word of a task alone."""
BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
SIGNS = re.compile(r"^#|[$€£❤Δ∆]|/s\b|^[\d.]+%$")
NUMBER = re.compile(r"\d+[kmb]?")
HIGHEST = 200.0
"""The highest value, except for rounding, of scores in percent; relative ones pass 100."""


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
    if named := [place for place, name in enumerate(names) if name in chosen]:
        return Tasks(named, [place for place in range(len(names)) if place not in named])
    cells: dict[int, Sequence[str]] = {}
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        there = [cell for cell in column if not is_blank(cell)]
        if there and not all(map(is_text, there)) and not is_no_task(name):
            cells[place] = column
    doubts = {place: doubt for place in cells if (doubt := _why_doubted(names[place], len(cells)))}
    unclear = dict([*doubts.items(), *reversed([*_odd(cells)])])
    return Tasks(
        [place for place in cells if place not in unclear],
        [place for place in range(len(names)) if place not in cells],
        unclear,
    )


def is_blank(cell: str) -> bool:
    """Does a cell stand for a value that is not there?"""
    return cell.lower() in BLANK


def is_no_task(name: str) -> bool:
    """Is it the name of an average, as Overall Score, or of a property, as Memory Usage (MB) or A std?"""
    return is_average(name) or is_property(name)


def is_average(name: str) -> bool:
    """Is it the name of an average, as Mean (Task) or Overall Score?"""
    words = set(_words(name))
    return bool(words & AVERAGES) and words <= AVERAGES | OF_AVERAGES


def is_property(name: str) -> bool:
    """Is it the name of what a model or a task is like, as Memory Usage (MB), #Params, Train loss or Release Date?"""
    words = set(_words(BRACKETS.sub(" ", name)))
    if SPREADS & {*_words(name)} or UNITS & {*_words(" ".join(BRACKETS.findall(name)))}:
        return True
    said = (PROPERTIES | DOUBTFUL) & words or any(len(word) > 1 for word in UNITS & words) or SIGNS.search(name)
    return bool(said) and all(word in KNOWN or NUMBER.fullmatch(word) for word in words)


def _why_doubted(name: str, number: int) -> str:
    """Why a name, one of so many, may be no task's; "" where it is not doubted."""
    words = _words(BRACKETS.sub(" ", name))
    if number > 1 and words and set(words) <= SUMMARIES | OF_AVERAGES and SUMMARIES & set(words):
        return "maybe an average"
    if words[-1:] and (words[-1] in PROPERTIES or {"vs", "per", "delta"} & set(words) or SIGNS.search(name)):
        return "maybe what a model is like"
    return ""


def _words(name: str) -> list[str]:
    """The words of a name, also of CamelCase, in lower case and without accents; ± is std."""
    name = re.sub(r"±|\+/-", " std ", name)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unicodedata.normalize("NFKD", name)).lower()
    return re.findall(r"[a-z0-9]+", re.sub(r"\bp[\s_-]*val(ue)?s?\b", "pvalue", text))


def read_value(cell: str) -> float:
    """The number in a cell, with or without a percent sign; NaN where it holds none."""
    return read_decimal(cell.removesuffix("%").rstrip())


def is_text(cell: str) -> bool:
    """Is it text? Numbers with commas or with an error are refused, not left out."""
    number = read_value(cell)
    return number != number and not NUMBER_LIKE.fullmatch(cell)


def _odd(columns: Mapping[int, Sequence[str]]) -> Iterator[tuple[int, str]]:
    """The columns that hold something else than most others do, and what."""
    values = {
        place: np.array([np.nan if is_blank(cell) else read_value(cell) for cell in cells])
        for place, cells in columns.items()
    }
    percent = {place for place, cells in columns.items() if any(cell.endswith("%") for cell in cells)}
    if 2 * len(percent) < len(columns):
        yield from ((place, "in percent, unlike the others") for place in percent)
    whole = [place for place, cells in columns.items() if _are_whole(cells)]
    for place in whole:
        own = values[place][~np.isnan(values[place])]
        if len(own) > 1 and len({*own.tolist()}) == len(own) and own.min() >= 1 and own.max() <= len(values[place]):
            yield place, "ranks"
        elif 2 * len(whole) <= len(columns) and not {*own.tolist()} <= {0.0, 1.0, 100.0}:
            yield place, "whole numbers, unlike the others"
    yield from _mean_of_others(values, {place: max(map(_decimals, cells)) for place, cells in columns.items()})
    yield from _off_scale(values, percent)


def _are_whole(cells: Sequence[str]) -> bool:
    """Are these whole numbers? pandas writes 8.0 where a cell of the column is blank."""
    there = [cell for cell in cells if not is_blank(cell)]
    return not any(map(_decimals, there)) or (len(there) < len(cells) and not any(read_value(one) % 1 for one in there))


def _decimals(cell: str) -> int:
    return len(cell.removesuffix("%").rstrip().partition(".")[2])


def _mean_of_others(columns: Mapping[int, Array], decimals: Mapping[int, int]) -> Iterator[tuple[int, str]]:
    """The columns that hold the mean of the others, except for rounding."""
    table = np.array([*columns.values()])
    for row, place in enumerate(columns if len(columns) > 2 else ()):
        others = np.delete(table, row, 0)
        whole = ~np.isnan([*others, table[row]]).any(0)
        if whole.sum() > 1 and (np.abs(others.mean(0) - table[row])[whole] <= 0.51 * 10.0 ** -decimals[place]).all():
            yield place, "as a mean of the others"


def _off_scale(columns: Mapping[int, Array], percent: Collection[int]) -> Iterator[tuple[int, str]]:
    """The columns on another scale than most columns: to 1, to 100, or ratings above; all 0 or 1 are on any."""
    tops = {place: float(np.nanmax(np.abs(values), initial=0.0)) for place, values in columns.items()}
    scales = {
        place: "ratings" if top > HIGHEST else "percent" if top > 1 or place in percent else "to 1"
        for place, top in tops.items()
        if top > 1 or place in percent or (columns[place] % 1 > 0).any()
    }
    counts = {scale: [*scales.values()].count(scale) for scale in scales.values()}
    most = [scale for scale, count in counts.items() if count == max(counts.values())]
    for place, scale in scales.items():
        if len(most) > 1 or scale != most[0]:
            others = max((top for other, top in tops.items() if scales.get(other, scale) != scale), default=0.0)
            yield place, f"up to {tops[place]:g}, others up to {others:g}"

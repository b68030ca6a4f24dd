"""What ``gradeval correlate`` correlates: which measures with which, on which topics or collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gradeval._core import InputError
from gradeval.cli.options.collection import Collection
from gradeval.cli.options.values import grid_step, name_option_in_errors
from gradeval.cli.screen.notices import begin_with, tell
from gradeval.cli.study.steps import choose_topics, read_collection, read_ready_scores, score_runs, select_topics
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import split_measures
from gradeval.scores.measure_names import choose_measures
from gradeval.scores.scores import Scores
from gradeval.scores.selection import All, Few
from gradeval.studies.agreement.layout import Layout, lay_out_gains, lay_out_measures, lay_out_users
from gradeval.studies.requirements import STUDIED, TOPICS

BESIDE_GRID = "AP nDCG RBP(rel=1) Bpref"


class Part(NamedTuple):
    """Scores over a selection of topics or on a collection, and the tables that are made of them."""

    name: str
    layouts: list[Layout]
    scores: Scores


@dataclass(frozen=True)
class Tables:
    """The options that say which measures are correlated with which."""

    measures: tuple[str, ...]
    reference: str | None
    grid: str | None
    gains: str | None

    def __post_init__(self) -> None:
        if sum(option is not None for option in (self.grid, self.gains, self.reference)) > 1:
            raise InputError("--grid, --gains and --reference: each is a table of its own; ask for one of them")
        if self.gains is not None and self.measures:
            tell(["-m does not apply to --gains, which has measures of its own; it is ignored"])

    def lay_out(self, levels: Levels, collection: Collection) -> list[Layout]:
        """The tables for a collection with these levels."""
        if self.gains is not None:
            return lay_out_gains(levels, _gain_settings(self.gains))
        if self.grid is not None:
            beside = collection.parse(self.measures or BESIDE_GRID)
            step = grid_step(self.grid)
            with name_option_in_errors("--grid", step):
                return [lay_out_users(levels, beside, step)]
        chosen = collection.parse(self.measures or STUDIED)
        return [_pairs(chosen, collection.parse_one(self.reference) if self.reference is not None else None)]


def read_parts(collection: Collection, tables: Tables) -> list[Part]:
    """Read the scores, or read and score the runs."""
    if collection.scores:
        return [_read_ready(collection, tables)]
    if collection.collections:
        if tables.grid is not None:
            raise InputError("--grid is a table of one collection; give QRELS and RUNS, or leave --grid out")
        return [next(_read(one, tables, f"{name}: "))._replace(name=name) for name, one in collection.each()]
    return list(_read(collection, tables))


def _read_ready(collection: Collection, tables: Tables) -> Part:
    if tables.grid is not None or tables.gains is not None:
        raise InputError("--grid and --gains compute measures, which ready scores cannot; give QRELS and RUNS")
    names = [name for text in tables.measures for name in split_measures(text)]
    names_needed = [*names, tables.reference] if names and tables.reference else names
    scores, notes = read_ready_scores(collection, names_needed)
    tell(notes)
    truth = choose_measures([tables.reference], scores.measures)[0] if tables.reference else None
    return Part(collection.topics or str(All()), [_pairs(scores.measures, truth)], scores)


def _read(collection: Collection, tables: Tables, where: str = "") -> Iterator[Part]:
    """The scores over each selection of topics; with --grid all topics and those with few of each higher grade.

    ``where``: what notes begin with.
    """
    judged, notes = read_collection(collection)
    layouts = tables.lay_out(judged.levels, collection)
    measures = list(dict.fromkeys(measure for layout in layouts for measure in layout.measures))
    scores, about_scores = score_runs(collection, judged, measures)
    tell(begin_with(where, [*notes, *about_scores]))
    if tables.grid is None or collection.topics is not None:
        topics, notes = choose_topics(collection, judged)
        tell(begin_with(where, notes))
        yield Part(collection.topics or str(All()), layouts, scores.sel(topics=topics))
        return
    yield Part(str(All()), layouts, scores)
    for selection in map(Few, judged.levels[2:]):
        try:
            topics, notes = select_topics(selection, judged)
            tell(notes)
        except InputError as error:
            tell([f"{error}; left out"])
            continue
        if len(topics) < TOPICS:
            tell([f"topics: {selection} has fewer than {TOPICS}; left out"])
        else:
            yield Part(str(selection), layouts, scores.sel(topics=topics))


def _pairs(measures: Sequence[Measure], reference: Measure | None) -> Layout:
    if reference is None and len(measures) == 1:
        raise InputError(
            f"{measures[0]}: one measure has nothing to be correlated with; name others in -m, or a --reference"
        )
    return lay_out_measures(measures, reference)


def _gain_settings(text: str) -> list[list[float]]:
    """The value of --gains: one gain a positive level between colons, settings between commas."""
    settings = []
    for setting in text.split(","):
        try:
            settings.append([float(gain) for gain in setting.split(":")])
        except ValueError:
            raise InputError(f"--gains {text}: {setting.strip()!r} is not gains as in 2:1 or 3:2:1") from None
        if settings[-1] in settings[:-1]:
            raise InputError(f"--gains {text}: {setting.strip()} is given twice")
        if settings[-1] != sorted(settings[-1], reverse=True):
            tell([f"--gains {setting.strip()}: gains fall with the grade; the highest grade comes first, as in 3:2:1"])
    return settings

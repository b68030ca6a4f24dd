"""What the studies work on: judgments and runs, or ready scores; which topics, which runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.cli.options.inputs import read_judgments, require_inputs, require_known
from gradeval.cli.options.options import (
    FILE,
    blaming,
    choice_option,
    number_option,
    read_levels,
    read_recoding,
    refuse_idle,
    topic_list,
)
from gradeval.cli.screen.notices import (
    about_coverage,
    about_names,
    counted,
    foreign_runs,
    listed,
    tell,
    warn_of_foreign,
)
from gradeval.collection.meeting import JudgedRuns, Ties, judge
from gradeval.collection.qrels import Negative
from gradeval.formats.places import Names, open_runs
from gradeval.formats.text.ready import known_measures
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures, split_measures
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.scoring import covered, score
from gradeval.scores.selection import (
    AboveFirstQuartile,
    AtLeast,
    Few,
    Named,
    Top,
    TopicSelection,
    parse_runs,
    parse_topics,
)
from gradeval.studies.requirements import require_topics

F = TypeVar("F", bound=Callable[..., Any])

SCORES = (
    "Scores instead of QRELS and RUNS: parquet, tsv, csv or jsonl of ours, trec_eval -q, a csv of topics x systems."
)


def collection_options(*, ready: bool) -> Callable[[F], F]:
    """The arguments QRELS and RUNS and the options that say how to read them; ``ready``: or --scores."""

    def add(command: F) -> F:
        for decorate in reversed([*_arguments(ready), *_reading()]):
            command = decorate(command)
        return command

    return add


def _arguments(ready: bool) -> list[Callable[[Any], Any]]:
    scores = click.option("--scores", type=FILE, multiple=True, metavar="[MEASURE=]FILE", help=SCORES)
    return [
        click.argument("qrels", metavar="[QRELS" if ready else "QRELS", type=FILE, required=not ready),
        click.argument(
            "run_files", metavar="RUNS...]" if ready else "RUNS...", type=FILE, nargs=-1, required=not ready
        ),
        *([scores] if ready else []),
    ]


def _reading() -> list[Callable[[Any], Any]]:
    return [
        click.option(
            "--topics",
            metavar="SELECTION",
            help="few:2 (few of grade 2), atleast:5:2 (5 of grade 2 or better), a file, or 301,302.",
        ),
        click.option("--runs", metavar="SELECTION", help="above-q1:AP, top:15, top:15:AP, or names with commas."),
        choice_option("--missing", Missing, "Topics that a run misses count 0, or are left out of its mean."),
        choice_option("--empty", Empty, "Topics that hold nothing relevant count 0, are left out, or count 1."),
        choice_option(
            "--ties", Ties, "Equal scores by document id, descending (in single precision), or as in the file."
        ),
        choice_option("--negative", Negative, "What documents with negative grades are."),
        click.option("--levels", callback=read_levels, metavar="0,1,2", help="The grades of the collection."),
        click.option("--recode", callback=read_recoding, multiple=True, metavar="4=3", help="Turn grades into others."),
        number_option("--depth", 1, None, "Only the first N documents."),
        choice_option("--names", Names, "Call runs by their tags or files."),
        number_option("--threads", 0, 0, "Cores; 0 takes all."),
    ]


READING = ("levels", "recode", "depth", "ties", "negative", "names")  # options that ready scores have no use for


@dataclass(frozen=True)
class Given:
    """What the user named, as the options of ``collection_options`` have it."""

    qrels: str | None
    run_files: tuple[str, ...]
    topics: str | None
    runs: str | None
    missing: Missing
    empty: Empty
    ties: Ties
    negative: Negative
    levels: tuple[float, ...] | None
    recode: dict[float, float]
    depth: int | None
    names: Names
    threads: int
    scores: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: dict[str, Any]) -> Self:
        """Take what belongs here out of the options of a command."""
        given = cls(**{name: options.pop(name) for name in cls.__dataclass_fields__ if name in options})
        given._require()
        measures = click.get_current_context().params.get("measures") or ()
        require_inputs([*filter(None, [given.qrels]), *given.run_files], measures)
        return given

    def _require(self) -> None:
        if self.scores and self.qrels:
            raise InputError(f"--scores and {self.qrels}: give ready scores, or judgments and runs, not both")
        if not self.scores and not self.run_files:
            raise InputError("nothing to study: give QRELS and RUNS, or --scores FILE")
        if self.scores:
            refuse_idle(READING, "says how judgments and runs are read and has no use beside --scores")

    def judged(self) -> JudgedRuns:
        """Let the runs meet the judgments."""
        assert self.qrels is not None  # click requires it, or _require does
        judgments = read_judgments(self.qrels, self.levels, self.recode)
        given = open_runs(self.run_files, self.names)
        tell(about_names(given.renamed))
        judged = judge(judgments, given.runs, ties=self.ties, negative=self.negative, threads=self.threads)
        warn_of_foreign(foreign_runs(judged.runs, covered(judged)), judged.topics, len(judged.runs))
        return judged if self.depth is None else judged.top(self.depth)

    def score(self, judged: JudgedRuns, measures: Sequence[Measure], instead: str | None = None) -> Scores:
        """Scores of the chosen runs on all topics; what is missing or assumed is said.

        ``instead``: what becomes of missing and empty topics where they are not scored as the options say.
        """
        by = self.by()
        needed = list(dict.fromkeys([*measures, *([by] if by else [])]))
        everything = score(judged, needed, missing=self.missing, empty=self.empty, coverage=covered(judged))
        tell(about_coverage(everything.sel(measures=list(measures)), instead))
        return self.choose_runs(everything, measures)

    def by(self) -> Measure | None:
        """The measure by which runs are chosen, where --runs names one."""
        if self.runs is None:
            return None
        with blaming("--runs", self.runs):
            chosen = parse_runs(self.runs)
        return chosen.measure if isinstance(chosen, AboveFirstQuartile | Top) else None

    def choose_runs(self, scores: Scores, measures: Sequence[Measure]) -> Scores:
        """The chosen runs by the measures of a study; which are chosen may depend on another measure."""
        if self.runs is None:
            return scores.sel(measures=list(measures))
        chosen = parse_runs(self.runs)
        pool = scores.sel(measures=list(measures)) if isinstance(chosen, Top) and chosen.measure is None else scores
        with blaming("--runs", self.runs):
            names = chosen.runs(pool)
        tell([f"runs: {chosen} selects {len(names)} of {len(scores.runs)}"])
        return scores.sel(runs=names, measures=list(measures))

    def selection(self) -> TopicSelection | None:
        """The topics that were asked for."""
        if self.topics is None:
            return None
        if os.path.exists(self.topics):
            return Named(tuple(topic_list(self.topics)))
        with blaming("--topics", self.topics):
            return parse_topics(self.topics)

    def ready(self, measures: Sequence[str]) -> Scores:
        """Ready scores: the chosen measures (none: all), topics and runs."""
        scores = Scores.read(*self.scores, missing=self.missing, empty=self.empty)
        if not scores.present.all():
            lacking = [run for run, there in zip(scores.runs, scores.present, strict=True) if not there.all()]
            consequence = {"zero": "they count 0", "skip": "they are left out"}[scores.missing]
            have = f"{counted(len(lacking), 'run')} {'has' if len(lacking) == 1 else 'have'}"
            tell([f"{have} no scores for some topics ({listed(lacking)}); {consequence}"])
        chosen = known_measures(scores.measures, measures)
        scores = self.choose_runs(scores, chosen)
        topics = self.selection()
        if isinstance(topics, Few | AtLeast):
            raise InputError(f"--topics {topics} looks at judgments, and --scores has none; name the topics")
        if topics is None:
            return scores
        if isinstance(topics, Named):
            require_known(self.topics or "", topics.names, scores.topics, "the scores")
        with blaming("--topics", self.topics):
            names = topics.topics(_Topics(scores.topics))
            require_topics(len(names))
            return scores.sel(topics=names)

    def chosen_topics(self, judged: JudgedRuns, *, few: bool = False) -> list[str]:
        """The names of the topics that were asked for, and a note of how many; ``few``: fewer than 3 will do."""
        selection = self.selection()
        if isinstance(selection, Named):
            require_known(self.topics or "", selection.names, judged.topics, str(self.qrels))
        with blaming("--topics", self.topics):
            topics = select_topics(selection, judged)
            if selection is not None and not few:
                require_topics(len(topics))
            return topics


def select_topics(selection: TopicSelection | None, judged: JudgedRuns) -> list[str]:
    """The names of the topics that a selection chooses, and a note of how many."""
    if selection is None:
        return judged.topics
    topics = selection.topics(judged)
    what = "" if isinstance(selection, Named) else f"{selection} selects "
    tell([f"topics: {what}{len(topics)} of {len(judged.topics)}"])
    return topics


@dataclass(frozen=True)
class _Topics:
    """Topics without judgments, to select from by name."""

    topics: list[str]
    pool: Any = None
    levels: tuple[float, ...] = ()


def scores_for(given: Given, measures: Sequence[str], default: str) -> Scores:
    """The scores that a study compares: chosen measures, runs and topics, ready or computed."""
    if given.scores:
        return given.ready([name for text in measures for name in split_measures(text)])
    judged = given.judged()
    scores = given.score(judged, parse_measures(measures or default))
    return scores.sel(topics=given.chosen_topics(judged))

"""Notes and warnings on stderr: what was ignored, what counts 0, what was assumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import click

from gradeval._core import InputError
from gradeval.checks import visible
from gradeval.scores.coverage import Coverage
from gradeval.scores.scores import Scores

COMPARED = 1000  # topics that are searched for the one most similar to another
MANY = 6  # names that are listed before the rest is counted


@dataclass(frozen=True)
class Warned:
    """A note on what is probably a mistake."""

    text: str


Note: TypeAlias = str | Warned


def say(line: str, *, error: bool = False) -> None:
    """Print a line on standard output or standard error; control characters of the names in it are written out."""
    click.echo(visible(line), err=error)


def tell(notes: Iterable[Note]) -> None:
    """Print notes on stderr."""
    for note in notes:
        say(f"gradeval: warning: {note.text}" if isinstance(note, Warned) else f"note: {note}", error=True)


def begin_with(words: str, notes: Iterable[Note]) -> Iterator[Note]:
    """The same notes, each with some words before it."""
    for note in notes:
        yield Warned(words + note.text) if isinstance(note, Warned) else words + note


def list_some(names: Sequence[str], many: int = MANY) -> str:
    """List some names, and count the rest."""
    rest = len(names) - many
    return ", ".join(names[:many]) + (f" and {rest} more" if rest > 0 else "")


def plural(number: int, what: str) -> str:
    """A number of things: 1 topic, 2 topics."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def about_names(renamed: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Tags that several runs share."""
    for tag, names in renamed.items():
        yield f"{len(names)} runs have the tag {tag!r} and go by their files: {list_some(names)}"


def about_coverage(scores: Scores, instead: str | None = None) -> Iterator[str]:
    """Topics that were ignored, missing or empty, and how much of the runs is judged or tied.

    ``instead``: what happens to missing and empty topics, where that does not follow from the scores.
    """
    coverage = scores.coverage
    if coverage is None:
        return
    yield from _ignored(coverage.unjudged_topics)
    yield from _missing(scores, coverage, instead)
    yield from _empty(scores, instead)
    yield from _share("unjudged documents", coverage.unjudged_share.tolist(), scores.runs)
    yield from _share("lines with a tied score", coverage.tied_share.tolist(), scores.runs)


def foreign_runs(runs: Iterable[str], coverage: Coverage) -> dict[str, list[str]]:
    """The runs that return nothing for any judged topic, each with the topics that it has instead."""
    nothing = (coverage.retrieved.sum(-1) == 0).tolist()
    rows = zip(runs, nothing, coverage.unjudged_topics, strict=True)
    return {run: topics for run, none, topics in rows if none and topics}


def about_foreign(foreign: Mapping[str, Sequence[str]], judged: Sequence[str], runs: int) -> list[Note]:
    """A warning for each of the ``foreign_runs``; where all runs are such, an error: there is nothing to score."""
    from difflib import get_close_matches

    warnings = []
    for run, topics in foreign.items():
        there = get_close_matches(topics[0], judged[:COMPARED], n=1, cutoff=0)[0]
        warnings.append(f"{run}: no topic in common with the judgments: {there} there, {topics[0]} here?")
    if len(warnings) == runs:
        others = f" (and so {plural(runs - 1, 'other run')})" if runs > 1 else ""
        raise InputError(f"{warnings[0]}{others}")
    return list(map(Warned, warnings))


def about_unknown_topics(runs: Sequence[str], topics: Sequence[str], coverage: Coverage) -> list[Note]:
    """A warning for each run that has no topic of the judgments; an error where none has one."""
    return about_foreign(foreign_runs(runs, coverage), topics, len(runs))


def _ignored(unjudged: Sequence[Sequence[str]]) -> Iterator[str]:
    topics = list(dict.fromkeys(topic for extra in unjudged for topic in extra))
    if topics:
        runs = _of(sum(map(bool, unjudged)), len(unjudged))
        yield f"{plural(len(topics), 'topic')} without judgments ({list_some(topics)}) ignored in {runs}"


def _missing(scores: Scores, coverage: Coverage, instead: str | None) -> Iterator[str]:
    numbers = zip(scores.runs, coverage.missing.tolist(), strict=True)
    missing = [f"{run} {number}" for run, number in numbers if number]
    if missing:
        consequence = instead or {"zero": "they count 0", "skip": "they are left out of the mean"}[scores.missing]
        lack = f"returned nothing for some of the {plural(len(scores.topics), 'topic')} ({list_some(missing)})"
        yield f"{_of(len(missing), len(scores.runs))} {lack}; {consequence}"


def _empty(scores: Scores, instead: str | None) -> Iterator[str]:
    by_number: dict[int, list[str]] = {}
    for measure, number in zip(scores.measures, scores.vacant.sum(0).tolist(), strict=True):
        by_number.setdefault(number, []).append(str(measure))
    by_number.pop(0, None)
    policy = {"zero": "they count 0", "skip": "they are left out", "one": "they count 1"}[scores.empty]
    for number, measures in sorted(by_number.items()):
        topics = f"{number} of {len(scores.topics)} topics"
        yield f"{topics} hold nothing to be found for {list_some(measures)}; {instead or policy}"


def _share(what: str, shares: Sequence[float], runs: Sequence[str]) -> Iterator[str]:
    if not any(shares):
        return
    alike = len({f"{share:.1%}" for share in shares}) == 1
    if alike:
        yield f"{what}: {shares[0]:.1%}{' of every run' if len(runs) > 1 else ''}"
    else:
        places = sorted(range(len(runs)), key=shares.__getitem__)
        least, most = (f"{shares[place]:.1%} ({runs[place]})" for place in (places[0], places[-1]))
        yield f"{what}: {sum(shares) / len(shares):.1%} of a run on average, from {least} to {most}"


def _of(number: int, total: int) -> str:
    return "the run" if total == 1 else f"{number} of {total} runs"

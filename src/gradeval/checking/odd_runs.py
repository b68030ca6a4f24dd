"""What sets a run apart from the others of a check: its length, how much is judged, its format, its tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple, TypeVar

from gradeval.checking.checked_files import FileCheck
from gradeval.messages import plural
from gradeval.warning_categories import NoteWeight

T = TypeVar("T")

FEWEST = 3
"""Runs from which on most of them show what is usual."""
FAR_BELOW = 0.2
"""By how much less of the first documents of a run is judged than is usual, where that is said."""


class ReadableRun(NamedTuple):
    """A run that can be read: what was found in it, and the format that was recognised; empty: TREC text."""

    file: FileCheck
    read_as: str


def remark_odd_runs(runs: Sequence[ReadableRun], depth: int | None, cutoff: int) -> None:
    """Add to files what their runs alone are like; ``depth``: documents that a topic may have; ``cutoff``: of the share
    of judged documents."""
    files = [run.file for run in runs]
    _remark_lengths(files, depth)
    _remark_judging(files, cutoff)
    usual = _usual([run.read_as for run in runs])
    for file, read_as in runs:
        if read_as and read_as != usual:
            file.add(f"read as {read_as}", NoteWeight.METHOD)
    for tag, number in Counter(file.tag for file in files).items():
        for file in files if number > 1 else ():
            if file.tag == tag:
                file.add(f"{number} runs have the tag {tag!r}", NoteWeight.MEANING)


def _remark_lengths(files: Sequence[FileCheck], depth: int | None) -> None:
    """A run that is longer than most, or shorter; without a usual length, runs that end before the longest one."""
    usual = _usual([file.end for file in files])
    longest = usual or max((file.most for file in files), default=0)
    longest = min(longest, depth or longest)
    for file in files:
        if usual and file.most > usual and depth is None:
            said = f"topic {file.longest} has {plural(file.most, 'document')}, and most runs have at most {usual}"
            file.add(said, NoteWeight.DOUBT)
        elif 0 < file.end < longest:
            others = "most runs have" if usual else "other runs up to"
            file.add(f"rankings hold at most {plural(file.end, 'document')}, and {others} {longest}", NoteWeight.DATA)


def _remark_judging(files: Sequence[FileCheck], cutoff: int) -> None:
    """Runs of whose first documents far fewer are judged than of the median run."""
    shares = [file.judged_at for file in files if file.judged_at is not None]
    usual = median(shares) if len(shares) >= FEWEST else 0.0
    for file in files:
        if file.judged_at and file.judged_at < usual - FAR_BELOW:  # of none, another remark asks
            topics = " over its topics" if file.missing else ""
            said = f"judged@{cutoff}{topics} is {file.judged_at:.1%}, and the median of the runs {usual:.1%}"
            ask = "was it left out of the pool, or are some ids spelled otherwise?"
            file.add(f"{said}; {ask}", NoteWeight.COVERAGE)


def _usual(values: Sequence[T]) -> T | None:
    """What more than half of several runs have; None: there is no such value."""
    often = Counter(values).most_common(1)
    return often[0][0] if len(values) >= FEWEST and 2 * often[0][1] > len(values) else None

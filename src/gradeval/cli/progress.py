"""A progress bar on stderr, where the work is long and somebody looks."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from gradeval.evaluate import evaluate
from gradeval.measure import Measure
from gradeval.qrels import Qrels
from gradeval.runs import Run
from gradeval.scores import Coverage, Scores

PATIENCE = 1.0  # seconds before a bar appears
PORTION = 64 << 20  # bytes of runs that are scored at a time


def evaluate_watched(qrels: Qrels, runs: Sequence[Run], measures: Sequence[Measure], **options: Any) -> Scores:
    """``evaluate``, with a progress bar once it has taken a second, if stderr is a terminal."""
    portions = list(_portions(runs)) if sys.stderr.isatty() else [list(runs)]
    if len(portions) == 1:
        return evaluate(qrels, runs, measures, **options)
    parts: list[Scores] = []
    begin = time.monotonic()
    with ExitStack() as stack:
        bar = None
        for portion in portions:
            if bar is None and time.monotonic() - begin > PATIENCE:
                bar = stack.enter_context(progress_bar("runs"))
                task = bar.add_task("scoring", total=len(runs), completed=sum(len(part.runs) for part in parts))
            parts.append(evaluate(qrels, portion, measures, **options))
            if bar is not None:
                bar.advance(task, len(portion))
    return joined(parts)


def progress_bar(unit: str) -> Any:
    """A bar of rich's on stderr that goes away when it is done; ``unit``: of what it counts."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _portions(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The runs in groups of some megabytes, in their order."""
    portion: list[Run] = []
    size = 0
    for run in runs:
        portion.append(run)
        size += os.path.getsize(run.place) if os.path.isfile(run.place) else 0
        if size >= PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def joined(parts: Sequence[Scores]) -> Scores:
    """The scores of several groups of runs on the same topics as one."""
    coverages = [part.coverage for part in parts if part.coverage is not None]
    coverage = Coverage(
        retrieved=np.concatenate([one.retrieved for one in coverages]),
        tied=np.concatenate([one.tied for one in coverages]),
        judged=np.concatenate([one.judged for one in coverages]),
        unjudged_topics=[topics for one in coverages for topics in one.unjudged_topics],
    )
    return replace(
        parts[0],
        values=np.concatenate([part.values for part in parts]),
        present=np.concatenate([part.present for part in parts]),
        runs=[run for part in parts for run in part.runs],
        coverage=coverage,
    )

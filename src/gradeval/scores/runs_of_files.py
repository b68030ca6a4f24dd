"""Runs of one name in several files of scores: where their values are of the same topics, they go by their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gradeval.collection.runs import FileName, drop_endings, name_file
from gradeval.files.named_runs import spell_apart
from gradeval.formula.arithmetic import Array
from gradeval.messages import list_some
from gradeval.scores.score_rows import ScoreRows
from gradeval.warning_categories import Note, NoteWeight


def tell_runs_apart(parts: Sequence[ScoreRows]) -> tuple[list[ScoreRows], list[Note]]:
    """The parts with runs under names that differ where two files have a value by one measure for one topic, and notes.

    Runs of one name in files of other topics or measures are one run. A file that is given twice stays as it is, and so
    do means alone, which have no topics.
    """
    alike = _find_clashing_runs(parts)
    holders = {run: [part for part in parts if run in part.names[0]] for run in alike}
    alike = [
        run
        for run, own in holders.items()
        if len({part.place for part in own}) == len(own) and all(part.unit != "means" for part in own)
    ]
    if not alike:
        return [*parts], []
    others = dict.fromkeys(run for part in parts for run in part.names[0] if run not in alike)
    keys = [(at, run) for at, part in enumerate(parts) for run in part.names[0] if run in alike]
    spellings: list[list[str]] = [[run] for run in others]
    for at, run in keys:
        which = run if len(parts[at].names[0]) > 1 else ""
        spellings.append([name_file(parts[at].place, which), FileName(parts[at].place, which)])
    called = drop_endings(spell_apart(spellings)[0])[len(others) :]
    name_of = dict(zip(keys, called, strict=True))
    named = [_rename(part, [name_of.get((at, run), run) for run in part.names[0]]) for at, part in enumerate(parts)]
    notes = [_say(run, [name for (_, own), name in name_of.items() if own == run]) for run in alike]
    return named, notes


def _rename(part: ScoreRows, runs: list[str]) -> ScoreRows:
    """The part with other names of its runs, in the same order."""
    name_of = dict(zip(part.names[0], runs, strict=True))
    means = {(name_of.get(run, run), measure): mean for (run, measure), mean in part.means.items()}
    return replace(part, names=(runs, *part.names[1:]), means=means)


def _say(run: str, names: Sequence[str]) -> Note:
    text = f"{len(names)} runs are called {run!r} and go by their files: {list_some(names)}"
    return Note(text, own_weight=NoteWeight.MEANING)


def _find_clashing_runs(parts: Sequence[ScoreRows]) -> list[str]:
    """The names of runs of which two parts have a value by one measure for one topic."""
    often = Counter(run for part in parts for run in part.names[0])
    if not any(times > 1 for times in often.values()):
        return []
    axes, codes = number_cells(parts)
    shape = [len(axis) for axis in axes]
    cells = np.concatenate([np.unique(np.ravel_multi_index(tuple(own), shape)) for own in codes])
    every, times = np.unique(cells, return_counts=True)
    clashing = np.unique(np.unravel_index(every[times > 1], shape)[0])
    return [axes[0][run] for run in clashing.tolist()]


def number_cells(parts: Sequence[ScoreRows]) -> tuple[list[list[str]], list[Array]]:
    """The runs, topics and measures of all parts, and of each part intp[3, row]: which of them its values are of."""
    own = [(part.names[0], part.names[1], part.measures) for part in parts]
    axes = [list(dict.fromkeys(name for names in own for name in names[at])) for at in range(3)]
    known = [{name: place for place, name in enumerate(axis)} for axis in axes]
    codes = [
        np.stack([_renumber(*one) for one in zip(known, names, part.codes, strict=True)])
        for names, part in zip(own, parts, strict=True)
    ]
    return axes, codes


def _renumber(places: Mapping[str, int], names: Sequence[str], codes: Array) -> Array:
    """The codes of names as codes of places."""
    return np.array([places[name] for name in names], np.intp)[codes]

"""Measures that some runs lack, as their files hold fewer: what is studied without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import choose_measures
from gradeval.messages import list_some
from gradeval.warning_categories import Note, NoteWeight


def find_left_out(
    measures: Sequence[Measure],
    lacking: Array,
    files: Iterable[tuple[Array, Array]],
    needed: Sequence[str | Measure] = (),
) -> Array:
    """bool[measure]: which are left out, as other files alone have them.

    Of measures that are asked for, all values must be there; of others some may lack.

    Parameters
    ----------
    lacking : bool[run, topic, measure]: a run that has the topic lacks the value.
    files : the runs and the topics of the values of each file.
    needed : what is asked for; nothing: the measures that all files have. Where they have none in common, none is left
        out.
    """
    if needed:
        chosen = choose_measures(needed, measures)
        return np.array([measure not in chosen for measure in measures]) & lacking.any((0, 1))
    without = np.zeros(len(measures), bool)
    for runs, topics in files:
        if len(runs):
            without |= lacking[runs, topics].all(0)
    return np.zeros_like(without) if without.all() else without


def about_left_out(measures: Sequence[Measure], runs: Sequence[str], lacking: Array, left: Array) -> list[Note]:
    """Which measures are left out, and which runs lack them."""
    if not left.any():
        return []
    without: Array = np.asarray(lacking[..., left].any((1, 2)))
    names = list_some(list(map(str, compress(measures, left.tolist()))))
    having = list_some([run for run, lacks in zip(runs, without.tolist(), strict=True) if lacks], 3)
    them = "it" if left.sum() == 1 else "them"
    text = f"measures: {names} left out, as some runs have no values of {them} ({having})"
    return [Note(text, own_weight=NoteWeight.OMISSION)]

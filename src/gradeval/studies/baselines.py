"""Baselines: the runs with which others are compared, and the pairs that this makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import quote

import numpy as np

from gradeval._core import InputError
from gradeval.collection.runs import find_run
from gradeval.formula.arithmetic import Array
from gradeval.messages import Typed, list_some, nearest, plain
from gradeval.scores.scores import Scores
from gradeval.studies.significance import all_pairs
from gradeval.warning_categories import Note

BEST = "best"
"""The baseline that stands for the best run, where no run has this name."""


def is_best(baseline: str | Sequence[str] | None, runs: Sequence[str]) -> bool:
    """Is the baseline the best run, whichever that is?

    Raises
    ------
    InputError : it is, and there are other baselines besides it.
    """
    names = _listed(baseline)
    if BEST not in names or BEST in runs:
        return False
    if len(set(names)) > 1:
        raise InputError(
            plain("baseline", BEST), " stands alone, as all runs are compared with it at once; leave the others out"
        )
    return True


def name_baselines(baseline: str | Sequence[str] | None, scores: Scores) -> list[str]:
    """The names of the baselines, each once; "best" is the run with the highest mean of the first measure, and a name
    may lack the ending of its file."""
    highest = scores.runs[int(scores.mean()[:, 0].argmax())]
    names = _listed(baseline)
    return list(
        dict.fromkeys(
            highest if name == BEST and BEST not in scores.runs else find_run(name, scores.runs) or name
            for name in names
        )
    )


def about_leader(baseline: str | Sequence[str] | None, scores: Scores) -> list[Note]:
    """That "best" is a run which was picked by the same topics, so that its differences look larger than they are."""
    if BEST not in _listed(baseline) or BEST in scores.runs:
        return []
    (leader,) = name_baselines(BEST, scores)
    return [
        Note.doubt(
            f"the baseline is {leader}, the run with the highest mean; p and intervals ignore that you picked it after "
            "seeing the scores; compare with the baseline best corrects for that"
        )
    ]


def _listed(baseline: str | Sequence[str] | None) -> list[str]:
    if baseline is None:
        return []
    return [baseline] if isinstance(baseline, str) or not isinstance(baseline, Iterable) else list(baseline)


def refuse_joined(baseline: str | Sequence[str], runs: Sequence[str], alone: str = "") -> None:
    """Refuse several runs in one name, with commas between them, and in a list what takes one only: ``alone``."""
    names = baseline.split(",") if isinstance(baseline, str) else _listed(baseline)
    parts = [find_run(str(name).strip(), runs) for name in names]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts) > 1:
        joins = f": joins {len(known)} runs; "
        if alone:
            first = Typed(f"--baseline {quote(known[0])}", f"baseline={known[0]!r}")
            raise InputError(plain("baseline", baseline), joins, f"{alone} takes one: ", first)
        typed = Typed(" ".join(f"--baseline {quote(one)}" for one in known), f"baseline={known!r}")
        raise InputError(plain("baseline", baseline), joins, "give each by itself: ", typed)


def pair_with(runs: list[str], baselines: list[str]) -> Array:
    """intp[pair, 2]: each other run and a baseline, each two runs once; without baselines all pairs."""
    for baseline in baselines:
        if baseline not in runs:
            refuse_joined(baseline, runs)
            same = [run for run in runs if run.casefold() == str(baseline).casefold()]
            near = nearest(same[0] if same else str(baseline), same or [*runs, BEST])
            raise InputError(
                plain("baseline", baseline),
                f": no run {baseline!r} to compare with{near}; "
                f"the runs are {list_some(runs)}, and {BEST} stands for the best of them",
            )
    if not baselines:
        return all_pairs(len(runs))
    places = [runs.index(baseline) for baseline in baselines]
    return np.array(
        [
            (other, place)
            for number, place in enumerate(places)
            for other in range(len(runs))
            if other not in (place, *places[:number])
        ]
    )

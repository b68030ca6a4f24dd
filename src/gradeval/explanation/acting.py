"""The random experiment that defines a measure, told in words: its steps, a few draws, the estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.explanation.experiments import (
    TrialOutcomes,
    TrialShare,
    draw_ap,
    draw_egap,
    draw_gap,
    draw_muap,
    draw_xgap,
)
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.measures.thresholds import thresholds

DESCRIBED = 4
"""Draws that are told in words."""
MOST = 10_000_000
"""Trials that fit into memory."""


@dataclass(frozen=True)
class Experiment:
    """How a measure is acted out.

    Attributes
    ----------
    steps : what is done, in words.
    draw : makes the experiment on a ranking: of judged rankings, the parameter that it takes, trials and seed.
    parameter : the parameter of the measure on which the experiment depends, if any.
    source : who defines the measure so.
    """

    steps: tuple[str, ...]
    draw: Callable[..., TrialOutcomes]
    parameter: str | None
    source: str


LOOK = "Select a document at or above its rank at random (0 where it was not retrieved)."
EXPERIMENTS = {
    "AP": Experiment(
        (
            "Select one of the relevant documents of the collection at random.",
            LOOK,
            "Output 1 if that document is relevant, too, else 0.",
        ),
        draw_ap,
        "rel",
        "Yilmaz & Aslam (2006); Robertson, Kanoulas & Yilmaz (2010), section 3.1",
    ),
    "GAP": Experiment(
        (
            "Select a document at random: one of grade a with probability proportional to G(a). "
            "Select a user at random among those who find it relevant.",
            LOOK,
            "Output 1 if the user considers that document relevant, too, else 0.",
        ),
        draw_gap,
        "g",
        "Robertson, Kanoulas & Yilmaz (2010), section 3.1",
    ),
    "xGAP": Experiment(
        (
            "Select a user at random (by g). Select at random one of the documents relevant to them (0 if there is "
            "none).",
            LOOK,
            "Select at random another of the users to whom the first document is relevant.",
            "Output 1 if that user considers the second document relevant, else 0.",
        ),
        draw_xgap,
        "g",
        "Ferrante, Ferro & Maistro (2014), section 4",
    ),
    "eGAP": Experiment(
        (
            "Select a user at random (by g).",
            "Select at random one of the documents relevant to this user (0 if there is none).",
            LOOK,
            "Output 1 if the same user considers that document relevant, else 0.",
        ),
        draw_egap,
        "g",
        "Ferrante, Ferro & Maistro (2014), section 5",
    ),
    "muAP": Experiment(
        (
            "Select one of the topic's grades as threshold, with probability proportional to its distance from the "
            "next lower one.",
            "Select at random one of the documents that reach the threshold.",
            LOOK,
            "Output 1 if that document reaches the threshold, too, else 0.",
        ),
        draw_muap,
        None,
        "Scheel, Lommatzsch & Albayrak (2011), section 3.1",
    ),
}
"""The experiments by the names of the measures."""


@dataclass(frozen=True)
class Acted:
    """An experiment as it was made.

    Attributes
    ----------
    steps, source : of the experiment.
    described : a few draws in words.
    estimate, exact : the share of 1s with its standard error, and the value of the measure.
    seed : of the draws.
    """

    steps: tuple[str, ...]
    source: str
    described: list[str]
    estimate: TrialShare
    exact: float
    seed: int


def act_out(measure: Measure, judged: JudgedRankings, *, trials: int, seed: int) -> Acted:
    """Make the random experiment whose expectation a measure is, on one ranking.

    Parameters
    ----------
    measure : AP, GAP, xGAP, eGAP or muAP, with its threshold or users and a cutoff, but no other parameter.
    judged : one ranking, as ``JudgedRankings.of`` makes it.
    trials : from 2.

    Raises
    ------
    InputError : a measure that no experiment defines, or one with other parameters.
    """
    trials, seed = arguments.whole("trials", trials, 2, MOST), arguments.seed(seed)
    experiment = EXPERIMENTS.get(measure.name)
    if experiment is None:
        raise InputError(f"{measure} is defined by no random experiment; these are: {', '.join(EXPERIMENTS)}")
    parameters = dict(measure.changed)
    cutoff = parameters.pop("cutoff", None)
    value = parameters.pop(experiment.parameter, None) if experiment.parameter else None
    if parameters or measure.judged_only:
        other = next(iter(parameters), "judged_only")
        raise InputError(f"{measure}: the experiment knows no {other}; leave it out")
    cut = judged if cutoff is None else judged.top(int(cutoff))
    if experiment.parameter == "g":
        value = thresholds(value, judged.levels)[1:].tolist()
    draws = experiment.draw(cut, *([] if value is None else [value]), trials=trials, seed=seed)
    described = [_describe_trial(draws, cut, trial) for trial in range(min(DESCRIBED, trials))]
    return Acted(experiment.steps, experiment.source, described, draws.estimate(), float(measure(judged)[0]), seed)


def _describe_trial(draws: TrialOutcomes, judged: JudgedRankings, trial: int) -> str:
    """One trial in words."""
    user, level, rank = int(draws.user[trial]), int(draws.level[trial]), int(draws.rank[trial])
    judge, seen, outcome = int(draws.judge[trial]), int(draws.seen[trial]), int(draws.outcome[trial])
    levels = judged.levels
    words = []
    if user >= 0:
        words.append(f"a user with threshold {levels[user]:g}")
    if level < 0:
        return "; ".join([*words, "no document is relevant: 0"])
    if not rank:
        return "; ".join([*words, f"a document of grade {levels[level]:g}, not retrieved: 0"])
    words.append(f"a document of grade {levels[level]:g} at rank {rank}")
    if user != judge:
        words.append(f"{'a' if user < 0 else 'another'} user with threshold {levels[judge]:g}")
    here = np.flatnonzero(judged.ranks.ravel() == seen)
    grade = float(judged.grades.ravel()[here[0]]) if here.size else None
    what = "unjudged" if grade is None else f"grade {grade:g}"
    words.append(f"at rank {seen} of 1 to {rank}: {what}, {'relevant' if outcome else 'not relevant'}: {outcome}")
    return "; ".join(words)

"""Scores as paired samples: runs side by side on the same topics."""

from __future__ import annotations

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, tiny
from gradeval.scores.scores import Scores
from gradeval.studies.requirements import require_runs, require_topics


def pair_values(scores: Scores) -> list[Array]:
    """float64[topic, run] for each measure: values on the scale on which topics are averaged, ready to be paired.

    Topics that are empty for a measure are left out of it where ``empty="skip"``.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; a run that misses a topic under ``missing="skip"``, which
        leaves nothing to pair with.
    """
    require_runs(len(scores.runs))
    if scores.missing == "skip" and not scores.present.all():
        run, topic = np.argwhere(~scores.present)[0]
        raise InputError(
            f"run {scores.runs[run]!r} misses topic {scores.topics[topic]!r}, so runs cannot be paired topic by topic "
            "with missing='skip'; count it as 0 or leave the run out"
        )
    values, counted = scores.transformed(), scores.counted
    matrices = []
    for place, measure in enumerate(scores.measures):
        counts = counted[0, :, place]
        require_topics(int(counts.sum()), f"{measure}: ")
        matrices.append(np.ascontiguousarray(values[:, counts, place].T))
    return matrices


def all_pairs(runs: int) -> Array:
    """intp[pair, 2]: all pairs of runs."""
    return np.stack(np.triu_indices(runs, 1), axis=-1)


def differences_of(values: Array, pairs: Array) -> Array:
    """float64[pair, topic]: the first run of each pair less the second, of values[topic, run].

    Differences that are rounding errors beside the largest value are exactly 0.
    """
    by_run = np.ascontiguousarray(values.T)
    differences: Array = by_run[pairs[:, 0]] - by_run[pairs[:, 1]]
    differences[tiny(differences, np.abs(values).max())] = 0.0
    return differences


def centre(differences: Array) -> tuple[Array, Array, Array]:
    """Paired differences [..., topic] as (their means, their deviations from the mean, their standard deviations).

    Equal differences have deviations of exactly 0, whatever the rounding of their mean.
    """
    scale = np.abs(differences).max(-1)
    means = differences.mean(-1)
    means = np.where(tiny(means, scale), 0.0, means)
    deviations = differences - means[..., None]
    deviations[tiny(deviations, scale[..., None])] = 0.0
    return means, deviations, deviations.std(-1, ddof=1)

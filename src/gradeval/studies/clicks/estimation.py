"""Estimate from clicks how many users find a document relevant from each grade on: the g of GAP."""

from __future__ import annotations

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.clicks import Clicks, encode
from gradeval.collection.qrels import Qrels
from gradeval.files.read import Path
from gradeval.formats.accepted import Judgments, as_qrels
from gradeval.formats.text.clicks import read_clicks
from gradeval.formula.arithmetic import Array
from gradeval.studies.clicks.clicked_users import ClickedUsers, Joined
from gradeval.studies.clicks.position_bias import fit_by_em, require_comparable

GROUPS = 1000
"""Sessions are put into so many groups at random, and the groups are resampled: few numbers for any size of log."""
EN_ROUTE = 1e-7  # precision of the fits to resamples, of which only the spread is used
SESSIONS = 20
"""The fewest sessions from which intervals are computed."""


def estimate_g(
    clicks: Clicks | Path, qrels: Judgments, *, samples: int = 1000, level: float = 0.95, seed: int = 0
) -> ClickedUsers:
    """Estimate g, the share of users to whom documents are relevant from each grade on, from clicks.

    A user looks at rank r with probability theta_r, and clicks on a document of grade a that they look at with
    probability alpha_a (position-based model, fitted by EM). Users click on what they find relevant; to the share
    G(a) = g_1 + ... + g_a of them that is grade a. Clicks on grade 0 are slips, which happen as often (alpha_0) on
    any document that is not relevant to the user, so that alpha_a = G(a) + (1 - G(a)) alpha_0. The scale is fixed by
    the top grade, which is relevant to all: alpha = 1. Then G(a) = (alpha_a - alpha_0) / (1 - alpha_0) and
    g_a = G(a) - G(a-1).

    Assumptions: whether a rank is looked at depends on nothing but the rank; the grades of the judgments are those that
    users see; sessions are independent of each other. A user who looks at a relevant document always clicks, or clicks
    equally often at all grades: such a factor is part of theta.

    Parameters
    ----------
    clicks : Clicks, or a tsv with the header ``session topic document rank click``. A line is a document that was
        shown; all lines of a session are of one user. Unjudged documents are left out.
    qrels : the judgments, as ``evaluate`` takes them; they must have all positive levels among the documents shown.
    samples : bootstrap samples of the sessions, for the intervals, from 20.
    level : with which confidence the intervals hold all shares at once.
    seed : of the bootstrap.

    Raises
    ------
    InputError : no document shown was passed over, or none is judged, a grade is never shown or never at the same rank
        as others (position and relevance could not be told apart), no click on the top grade, too few sessions.

    Source: Robertson, Kanoulas & Yilmaz (2010), section 2, remark on thresholding probabilities; Chuklin, Markov & de
    Rijke (2015), section 3.3. Departure: slips are ours.
    """
    log = clicks if isinstance(clicks, Clicks) else read_clicks(clicks)
    samples, seed = checks.whole("samples", samples, 20), checks.seed(seed)
    level = checks.share("level", level, 0.95)
    if log.click.all():
        raise InputError(f"{log.place}: every line is a click; give also the documents that were shown and passed over")
    judgments = as_qrels(qrels)
    joined = _join(log, judgments)
    rng = np.random.default_rng(seed)
    sessions = int(joined.session.max()) + 1
    if sessions < SESSIONS:
        raise InputError(f"{log.place}: {sessions} sessions are too few for an interval; accepted: from {SESSIONS}")
    groups = min(GROUPS, sessions)
    group = rng.permutation(np.arange(sessions) % groups)[joined.session]
    shown, clicked = _count(joined, group, groups)
    reached = require_comparable(shown.sum(0), clicked.sum(0), judgments.levels)
    if not reached[0]:  # no document of grade 0 tells how often users slip
        shown[..., 0], clicked[..., 0] = 0, 0
    examined, attraction = fit_by_em(shown.sum(0), clicked.sum(0))
    weights = rng.multinomial(groups, np.full(groups, 1 / groups), size=samples).astype(float)
    resampled_shown, resampled_clicked = (np.tensordot(weights, counts, 1) for counts in (shown, clicked))
    _, attractions = fit_by_em(resampled_shown, resampled_clicked, (examined, attraction), EN_ROUTE)
    raw, around = _shares(attraction), _shares(attractions[attractions[:, -1] > 0])
    return ClickedUsers(
        levels=judgments.levels,
        g=_ascend(raw, shown.sum((0, 1))),
        interval=_simultaneous(raw, around, level),
        slips=float(attraction[0] / attraction[-1]),
        examined=examined * attraction[-1],
        ranks=joined.ranks,
        shown=shown.sum(0),
        clicked=clicked.sum(0),
        sessions=sessions,
        lines=len(log),
        unjudged=joined.unjudged,
        slips_known=bool(reached[0]),
        samples=samples,
        level=level,
        seed=seed,
    )


def _join(log: Clicks, qrels: Qrels) -> Joined:
    """The lines whose documents are judged, with the levels of those."""
    level_of = {grade: place for place, grade in enumerate(qrels.levels)}
    topics, topic = encode(log.topic)
    known = set(qrels.topics)
    table: dict[tuple[int, str], int] = {}
    for number, name in enumerate(topics):
        if name in known:
            grades = qrels.of(name).items()
            table.update({(number, document): level_of[float(max(grade, 0))] for document, grade in grades})
    keys = zip(topic.tolist(), log.document, strict=True)
    level = np.fromiter((table.get(key, -1) for key in keys), np.int64, len(log))
    judged = level >= 0
    if not judged.any():
        raise InputError(
            f"{log.place}: no document shown is judged in {qrels.name} (topic {log.topic[0]!r}, document "
            f"{log.document[0]!r} is not); are the ids alike?"
        )
    ranks, rank = np.unique(log.rank[judged], return_inverse=True)
    _, session = encode(np.asarray(encode(log.session)[1])[judged].tolist())
    return Joined(session, rank, level[judged], log.click[judged], ranks, len(qrels.levels), int((~judged).sum()))


def _count(joined: Joined, group: Array, groups: int) -> tuple[Array, Array]:
    """float64[group, rank, level], twice: documents shown, and clicked on."""
    shape = (groups, len(joined.ranks), joined.levels)
    cell = np.ravel_multi_index((group, joined.rank, joined.level), shape)
    size = int(np.prod(shape))
    counts = [np.bincount(cell, weights, size) for weights in (None, joined.click.astype(float))]
    return counts[0].reshape(shape).astype(float), counts[1].reshape(shape)


def _shares(attraction: Array) -> Array:
    """float64[..., positive level]: g from the attraction of each level, as it comes: below 0 by chance, too."""
    relative = attraction / attraction[..., -1:]
    slips = relative[..., :1]
    reached = (relative - slips) / (1 - slips)
    return np.asarray(np.diff(reached, axis=-1))


def _ascend(raw: Array, weights: Array) -> Array:
    """float64[positive level]: the distribution nearest to shares that may be negative.

    G ascends from 0 to 1: neighbours that descend are replaced by their mean, weighted by how often they were shown
    (isotonic regression).
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(np.clip(raw.cumsum(), 0.0, 1.0).tolist(), weights[1:].tolist(), strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (low, one, n), (high, two, m) = blocks[-2:]
            blocks[-2:] = [((low * one + high * two) / (one + two), one + two, n + m)]
    reached = np.concatenate([np.full(number, value) for value, _, number in blocks])
    reached[-1] = 1.0
    return np.diff(np.minimum(reached, 1.0), prepend=0.0)


def _simultaneous(raw: Array, around: Array, level: float) -> Array:
    """float64[positive level, 2]: intervals that hold all shares at once with this confidence, within 0 and 1.

    Percentiles over the bootstrap samples [sample, positive level], at the tails beyond which as many samples lie in
    some component as the level allows; put symmetrically around the estimate, as far as the longer tail reaches.
    """
    samples = len(around)
    below = around.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    tail = (np.minimum(below, samples - 1 - below) + 0.5) / samples
    rare = np.quantile(tail.min(-1), 1 - level)
    low, high = np.quantile(around, [rare, 1 - rare], axis=0)
    reach = np.maximum(raw - low, high - raw)
    return np.asarray(np.clip(np.stack([raw - reach, raw + reach], axis=-1), 0.0, 1.0))

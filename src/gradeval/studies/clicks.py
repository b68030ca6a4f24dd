"""From clicks: which share of users is content with which grade?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Seed, Whole
from gradeval.atomic_files import Path
from gradeval.collection.user_clicks import Clicks
from gradeval.files.accepted import Judgments, as_qrels
from gradeval.files.click_log import read_clicks
from gradeval.formula.aggregation import draw, widening
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.measures.gap import GAP
from gradeval.scores.alike_ids import doubt_ids
from gradeval.studies.assisted_estimates import TopicsAre
from gradeval.studies.judged_clicks import clicks_below_first, count_clicks, join_clicks
from gradeval.studies.position_model import fit_by_em, require_comparable
from gradeval.studies.study import Result, study
from gradeval.studies.study_parameters import Data
from gradeval.tables.grid import Cell, Column, Grid, estimates_of
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, NoteWeight

GROUPS = 1000
"""Topics or sessions, where there are more, are put into so many groups at random, and the groups are resampled."""
EN_ROUTE = 1e-7  # precision of the fits to resamples, of which only the spread is used
SESSIONS = 20
"""The fewest sessions from which intervals are computed."""
TOPICS = 5
"""The fewest topics that are resampled; of fewer, intervals are for these topics."""
STOPPED = 0.5
"""Share of the clicks to be expected below the first one of a page, below which users seem to stop there."""
CHANCE = 3
"""Standard deviations by which they have to be fewer."""
TOLD = 0.5
"""The widest interval of a share with which a g is recommended: half of what is possible."""


ClickEstimator: TypeAlias = Literal["position-model", "click-share"]
FAR = 2
"""Clicks do not fit where a lower grade attracts more than a higher one by so many times the reach of the interval of
that difference: farther than by chance. How far shares leave [0, 1] would not tell: where grade 0 attracts nearly as
much as the top grade, they leave it by any amount."""


@study(
    examples="""
      gradeval clicks clicks.tsv qrels.txt
      gradeval simulate clicks qrels.txt runs/elm.txt --g 0.2,0.3,0.5 | gradeval clicks - qrels.txt
      gradeval clicks clicks.tsv qrels.txt --estimator click-share
      gradeval clicks clicks.tsv.gz qrels.txt --recode 3=2 --plot users.svg""",
    chooses_measures=False,
)
def clicks(
    log: Annotated[Clicks | Path, Data("CLICKS", "clicks")],
    qrels: Annotated[Judgments, Data("QRELS", "judgments")],
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(20, 10_000_000)] = 1000,
    seed: Seed = 0,
    estimator: ClickEstimator = "position-model",
    topics_are: TopicsAre = "sample",
) -> ClickedUsers:
    """Learn from clicks how many users settle for a fair document, how many want the best: the g of GAP.

    Position bias is divided out by a position-based model (EM); the top grade is taken to be relevant to all; clicks
    that do not fit that model are refused. The last note names the measure to use, or says why there is none: the
    interval of some share is wider than 0.5. Intervals hold all shares at once. A log is a tsv with the header session,
    topic, document, rank, click: a line for each document shown to a user, click 1 or 0; all lines of a session are of
    one user. Unjudged documents are left out.

    Models are not compared by their clicks: a column that names models is not read. ``gate`` and ``compare`` tell
    models apart, by judgments.

    Parameters
    ----------
    alpha : the probability that some interval misses.
    samples : bootstrap samples of the topics, for the intervals.
    estimator : how the shares of users are estimated from clicks. position-model: by a model of which ranks are looked
        at; click-share: the shares of clicks by grade, as in the paper.
    topics_are : whether the topics of the log are a sample of the topics of interest. "sample": topics are resampled,
        as g may differ by topic; "all": they are all, and sessions are resampled.

    Raises
    ------
    InputError : no document shown is judged, too few sessions, no click on a positive grade. "position-model": no
        document shown was passed over, a grade is never shown or never at the same rank as others (position and
        relevance could not be told apart), no click on the top grade, clicks that the model does not fit.

    Notes
    -----
    "position-model" (ours): a user looks at rank r with probability theta_r, and clicks on a document of grade a that
    they look at with probability alpha_a (position-based model, fitted by EM). Users click on what they find relevant:
    the share G(a) = g_1 + ... + g_a of them finds grade a relevant. Clicks on grade 0 are slips, which happen as often
    (alpha_0) on any document that is not relevant to the user, so that alpha_a = G(a) + (1 - G(a)) alpha_0. The scale
    is fixed by the top grade, which is relevant to all: alpha = 1. Then G(a) = (alpha_a - alpha_0) / (1 - alpha_0) and
    g_a = G(a) - G(a-1). Assumptions: whether a rank is looked at depends on nothing but the rank; the judgments have
    the grades that users see; topics are independent of each other ("all": sessions are). A user who looks at a
    relevant document always clicks, or clicks equally often at all grades: such a factor is part of theta. It fits only
    if slips are rarer than clicks on the top grade (0 <= alpha_0 < 1), and higher grades attract no less than lower
    ones, grade 0 among them (so that each g_a is in [0, 1]), apart from chance. Users who stop at the first click do
    not fit; a note says so where there are far fewer clicks below the first one than the model expects.

    "click-share" (the paper's): g_a = clicks on grade a / clicks on all positive grades, each in [0, 1]. These are
    shares of clicks, not of users: a user content with grade 1 clicks on higher grades as well, so higher grades get
    too many clicks; and grades that are shown more often, or at higher ranks, get more. Clicks on grade 0, which the
    paper's user never makes, are left out.

    Source: Robertson, Kanoulas & Yilmaz (2010), section 2, remark on thresholding probabilities ("the g values
    correspond to the probability that a user clicks on a document of a particular relevance grade, given all the
    documents clicked by the user"); Chuklin, Markov & de Rijke (2015), section 3.3. Departure: slips are ours.
    """
    log = log if isinstance(log, Clicks) else read_clicks(log)
    judgments = as_qrels(qrels)
    joined = join_clicks(log, judgments)
    rng = np.random.default_rng(seed)
    sessions = int(joined.session.max()) + 1
    if sessions < SESSIONS:
        raise InputError(f"{log.place}: {sessions} sessions are too few for an interval; accepted: from {SESSIONS}")
    topics = int(joined.topic.max()) + 1
    by_topic = topics_are == "sample" and topics >= TOPICS
    unit, units = (joined.topic, topics) if by_topic else (joined.session, sessions)
    groups = min(GROUPS, units)
    group = rng.permutation(np.arange(units) % groups)[unit]
    shown, clicked = count_clicks(joined, group, groups)
    weights = draw(groups, samples, rng)
    users = ClickedUsers(
        estimator=estimator,
        levels=judgments.levels,
        g=np.zeros(0),
        interval=np.zeros((0, 2)),
        slips=None,
        examined=None,
        ranks=joined.ranks,
        shown=shown.sum(0),
        clicked=clicked.sum(0),
        sessions=sessions,
        lines=len(log),
        unjudged=joined.unjudged,
        slips_known=False,
        unfit=0,
        samples=samples,
        alpha=alpha,
        seed=seed,
        widest=0.0,
        topics=topics,
        topics_are=topics_are,
        resampled="topics" if by_topic else "sessions",
        below=clicks_below_first(joined, shown.sum(0), clicked.sum(0)),
    )
    try:
        users = ESTIMATORS[estimator](users, shown, clicked, weights)
        notes = users._find_notes()
        if joined.respelt:
            notes.insert(0, doubt_ids(f"{log.place}: {joined.respelt}", NoteWeight.OMISSION))
        if log.from_zero:
            notes.insert(0, Note(log.about_ranks, own_weight=NoteWeight.MEANING))
        if log.systems:
            said = f"models are not compared by their clicks: the column {log.systems!r} of {log.place} is not read"
            notes.insert(0, Note(said, own_weight=NoteWeight.MEANING))
        return replace(users, notes=notes)
    except InputError as error:
        raise error.within(log.place) from None


def _fit_positions(users: ClickedUsers, shown: Array, clicked: Array, weights: Array) -> ClickedUsers:
    """The position-based model; ``shown``, ``clicked``: float64[group, rank, level]; ``weights``: [sample, group]."""
    levels, samples = users.levels, len(weights)
    if (shown.sum(0) == clicked.sum(0)).all():
        raise InputError("every line is a click; give also the documents that were shown and passed over")
    reached = require_comparable(shown.sum(0), clicked.sum(0), levels)
    if not reached[0]:  # no document of grade 0 tells how often users slip
        shown[..., 0], clicked[..., 0] = 0, 0
    examined, attraction = fit_by_em(shown.sum(0), clicked.sum(0))
    if not _fits(attraction):
        raise InputError(
            f"the clicks do not fit the model; are these the judgments of these documents? At the same ranks, users "
            f"click on grade 0 {attraction[0] / attraction[-1]:.4g} times as often as on the top grade {levels[-1]:g}"
        )
    resampled_shown, resampled_clicked = (np.tensordot(weights, counts, 1) for counts in (shown, clicked))
    _, attractions = fit_by_em(resampled_shown, resampled_clicked, (examined, attraction), EN_ROUTE)
    fitting = attractions[_fits(attractions)]
    if len(fitting) < (1 - users.alpha) * samples:
        raise InputError(
            f"give more sessions to tell whether the model fits; in {samples - len(fitting)} of {samples} bootstrap "
            f"samples users click on grade 0 no less often than on grade {levels[-1]:g}"
        )
    falls, chance = _falls(attraction), _reach(_falls(attraction), _falls(fitting), users.alpha)
    if (falls > FAR * chance + EN_ROUTE).any():
        raise InputError(
            "merge grades by recoding; the clicks do not fit the model, as lower grades attract more clicks at the "
            f"same ranks, beyond chance; grades {_list(levels)} attract {_list(attraction / attraction[-1])} times as "
            "many as the top grade"
        )
    raw = _shares_of_attraction(attraction)
    examined = np.minimum(examined * attraction[-1], 1.0)
    reach = _reach(raw, _shares_of_attraction(fitting), users.alpha) * widening(len(shown), users.alpha)
    unseen = np.pad(_unseen(examined @ shown.sum(0)[:, 1:-1], users.alpha), 1)  # G of no grade is 0, of all grades 1
    g = _ascend(raw, shown.sum((0, 1)))
    return replace(
        _with_intervals(users, raw, g, np.maximum(reach, np.maximum(unseen[:-1], unseen[1:]))),
        slips=float(attraction[0] / attraction[-1]),
        examined=examined,
        slips_known=bool(reached[0]),
        unfit=samples - len(fitting),
    )


def _share_clicks(users: ClickedUsers, shown: Array, clicked: Array, weights: Array) -> ClickedUsers:  # noqa: ARG001 - a table calls all
    """The paper's estimator: clicks by grade among all clicks on what may be relevant."""
    counts = clicked[..., 1:].sum(1)
    total = counts.sum(0)
    if not total.sum():
        raise InputError("nobody clicked on a document of a positive grade, so there are no clicks to share out")
    resampled = weights @ counts
    resampled = resampled[resampled.sum(-1) > 0]
    if len(resampled) < (1 - users.alpha) * len(weights):
        raise InputError("too few sessions have a click on a positive grade for an interval; give more sessions")
    g = total / total.sum()
    reach = _reach(g, resampled / resampled.sum(-1, keepdims=True), users.alpha) * widening(len(counts), users.alpha)
    unseen = _unseen(total.sum(), users.alpha) if len(g) > 1 else 0.0
    return replace(_with_intervals(users, g, g, np.maximum(reach, unseen)), unfit=len(weights) - len(resampled))


ESTIMATORS: Mapping[str, Callable[[ClickedUsers, Array, Array, Array], ClickedUsers]] = {
    "position-model": _fit_positions,
    "click-share": _share_clicks,
}
"""Each fills in the shares of users, and refuses clicks that give none within its range."""


def _fits(attraction: Array) -> Array:
    """bool[...]: is the top level clicked on, and more often than level 0, so that shares of users exist?"""
    return np.asarray((attraction[..., -1] > 0) & (attraction[..., 0] < attraction[..., -1]))


def _list(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def _with_intervals(users: ClickedUsers, raw: Array, g: Array, reach: Array) -> ClickedUsers:
    """g with intervals: as far as the reach around the shares as they come, and around g, within 0 and 1.

    Where chance, or clicks that hardly fit, put shares outside that range, g is at its end, which is not sure to the
    last digit: around the shares alone nothing would be left of the interval but that end.
    """
    low, high = np.minimum(raw, g) - reach, np.maximum(raw, g) + reach
    interval = np.clip(np.stack([low, high], axis=-1), 0.0, 1.0)
    return replace(users, g=g, interval=interval, widest=float((high - low).max()))


def _unseen(clicks: Array, alpha: float) -> Array:
    """The largest share that so many clicks all miss with probability alpha: (1 - share)^clicks = alpha.

    Where all clicks are on one grade, so are the clicks of every resample, which then tell nothing of chance.
    """
    return np.asarray(1 - alpha ** (1 / np.maximum(clicks, 1e-9)))


def about_untold(levels: Levels, interval: Array) -> str | None:
    """Which share of users stays unknown, if any: its interval is wider than half of what is possible."""
    widths = np.ptp(interval, axis=1)
    place = int(widths.argmax())
    if widths[place] <= TOLD:
        return None
    low, high = interval[place].tolist()
    return (
        f"g is not known well enough: the interval of grade {levels[1 + place]:g}, [{low:.4f}, {high:.4f}], is wider "
        f"than {TOLD:g}"
    )


def _shares_of_attraction(attraction: Array) -> Array:
    """float64[..., positive level]: g from the attraction of each level, as it comes: below 0 by chance, too."""
    relative = attraction / attraction[..., -1:]
    slips = relative[..., :1]
    reached = (relative - slips) / (1 - slips)
    return np.asarray(np.diff(reached, axis=-1))


def _ascend(raw: Array, weights: Array) -> Array:
    """float64[positive level]: the distribution nearest to shares that may be negative.

    G ascends from 0 to 1 (isotonic regression, with levels weighted by how often they were shown).
    """
    from scipy.optimize import isotonic_regression

    reached = isotonic_regression(np.clip(raw.cumsum(), 0.0, 1.0), weights=weights[1:]).x
    reached[-1] = 1.0
    return np.diff(np.minimum(reached, 1.0), prepend=0.0)


def _falls(attraction: Array) -> Array:
    """float64[..., pair of levels]: how much more the lower level attracts than the higher one; all together are 1."""
    relative = attraction / attraction.sum(-1, keepdims=True)
    lower, higher = np.triu_indices(attraction.shape[-1], 1)
    return np.asarray(relative[..., lower] - relative[..., higher])


def _reach(raw: Array, around: Array, alpha: float) -> Array:
    """float64[component]: how far intervals reach to both sides that hold all components at once, at level alpha.

    Percentiles over the bootstrap samples [sample, component], at the tails beyond which as many samples lie in
    some component as alpha allows; put symmetrically around the estimate, as far as the longer tail reaches.
    """
    samples = len(around)
    below = around.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    tail = (np.minimum(below, samples - 1 - below) + 0.5) / samples
    rare = np.quantile(tail.min(-1), alpha)
    low, high = np.quantile(around, [rare, 1 - rare], axis=0)
    return np.asarray(np.maximum(raw - low, high - raw))


FIELDS = "estimator statistic grade rank value lower upper shown clicked sessions resampled samples seed".split()
PASTED = 4  # decimals of a g to paste


@dataclass(frozen=True, eq=False, repr=False)
class ClickedUsers(Result):
    """The thresholds of users, estimated from their clicks.

    Attributes
    ----------
    estimator : "position-model" or "click-share"; see ``clicks``.
    levels : the grades of the collection.
    g : float64[positive level]: the share of users with this threshold; they sum to 1.
    interval : float64[positive level, 2]: intervals that hold all of g at once with the confidence 1 - alpha.
    slips : how often a document that is not relevant to the user is clicked on, once looked at. "click-share": None.
    examined : float64[rank]: how often a rank is looked at, times how often a relevant document there is clicked on.
        "click-share": None.
    ranks : int64[rank]: the ranks at which judged documents were shown.
    shown, clicked : float64[rank, level]: documents shown, and clicked on.
    sessions, lines, unjudged : of the log; the documents of ``unjudged`` lines have no judgment and were left out.
    slips_known : do documents of grade 0 share ranks with others? Else slips are taken to be 0.
    unfit : bootstrap samples without such shares, left out of the intervals.
    widest : the width of the widest interval before it is cut to 0 and 1.
    samples, alpha, seed : of the bootstrap.
    topics : of the log, as far as their documents are judged.
    topics_are : as for ``clicks``.
    resampled : "topics" or "sessions".
    below : clicks below the first one of a page, and how many would be expected there.
    """

    estimator: str
    levels: Levels
    g: Array
    interval: Array
    slips: float | None
    examined: Array | None
    ranks: Array
    shown: Array
    clicked: Array
    sessions: int
    lines: int
    unjudged: int
    slips_known: bool
    unfit: int
    widest: float
    samples: int
    alpha: float
    seed: int
    topics: int
    topics_are: str
    resampled: str
    below: tuple[float, float]

    @property
    def stops_at_first(self) -> bool:
        """Are there far fewer clicks below the first one of a page than independent clicks would be?"""
        clicks, expected = self.below
        return clicks < STOPPED * expected and expected - clicks > CHANCE * np.sqrt(expected)

    @property
    def measure(self) -> Measure:
        """GAP with this g, rounded to 4 decimals; an InputError where an interval is wider than 0.5."""
        if untold := self._about_untold():
            raise InputError(f"clicks: {untold}")
        return GAP(g=round_shares(self.g.tolist(), PASTED))

    @property
    def description(self) -> str:
        """Where the intervals come from, in a sentence."""
        resampling = f"{self.samples} bootstrap samples of the {self.resampled}, seed {self.seed}"
        return f"intervals: {1 - self.alpha:.4g} confidence for all grades together, {resampling}"

    def table(self, digits: int = 4) -> Table:
        """A line a grade: clicks, and the share of users whose threshold it is; and a line a rank."""
        spec = f".{digits}f"
        positions = self.examined is not None
        reached = np.append(0.0, self.g.cumsum())
        by_grade: list[list[Cell]] = [
            [f"{grade:g}", *counts, *([float(reached[k])] * positions), share]
            for k, (grade, counts, share) in enumerate(zip(self.levels, self._counts(0), self._shares(), strict=True))
        ]
        looked = [] if self.examined is None else self.examined.tolist()
        by_rank: list[list[Cell]] = [
            [str(rank), *counts, *looked[r : r + 1]]
            for r, (rank, counts) in enumerate(zip(self.ranks.tolist(), self._counts(1), strict=True))
        ]
        counts = [Column("shown", spec="d"), Column("clicked", spec="d"), Column("click rate", spec=spec)]
        relevant = [Column("satisfied users (G)", spec=spec)] * positions
        grades = [Column("grade", "name"), *counts, *relevant, Column("g", spec=spec)]
        ranks = [Column("rank", "name"), *counts, *([Column("examination", spec=spec)] * positions)]
        title = "users by the lowest grade that is relevant to them" if positions else "clicks by grade"
        grids = [Grid(grades, by_grade, title), Grid(ranks, by_rank, "ranks")]
        return Table(grids, Records.of(FIELDS, self._records()))

    def _counts(self, axis: int) -> Iterator[list[Cell]]:
        """Shown, clicked on, and the share clicked on, by level (axis 0) or rank (axis 1)."""
        shown, clicked = self.shown.sum(axis), self.clicked.sum(axis)
        for here, hits, share in zip(shown.tolist(), clicked.tolist(), ratio(clicked, shown).tolist(), strict=True):
            yield [int(here), int(hits), share]

    def _shares(self) -> list[Cell]:
        """The cells of g; the cell of grade 0 is empty."""
        return [None, *estimates_of(self.g, self.interval)]

    def describe(self) -> list[str]:
        """What was estimated from what, what it assumes, and the measure to go on with."""
        return [*map(str, self._find_notes())]

    def _find_notes(self) -> list[Note]:
        notes = [Note.method(f"{self.sessions} sessions, {self.topics} topics, {self.lines} documents shown")]
        if self.stops_at_first:
            clicks, expected = self.below
            notes.append(
                Note.doubt(
                    f"users seem to stop at their first click: {clicks:.0f} clicks come later, and {expected:.0f} are "
                    "expected if users go on; this model does not fit users who stop (a cascade), so do not use this "
                    "g"
                )
            )
        if self.unjudged:
            left_out = f"{self.unjudged} of {self.lines} documents shown have no judgment and are left out"
            notes.append(Note(left_out, own_weight=NoteWeight.MEANING))
        if self.slips is None:
            notes += map(Note, self._about_shares())
        else:
            slips = f"users click by mistake on {self.slips:.4f} of the irrelevant documents that they look at"
            silent = "assumed: users never click on grade 0, as it shares no rank with other grades"
            notes.append(Note(slips if self.slips_known else silent))
            notes.append(
                Note.doubt(
                    "assumed: whether users look at a document depends on its rank alone; the top grade is relevant to "
                    "all users"
                )
            )
        if self.unfit:
            notes.append(
                Note.doubt(f"{self.unfit} of {self.samples} bootstrap samples give no shares and are left out")
            )
        if self.resampled == "sessions":
            few = f", as {self.topics} are too few to resample" if self.topics_are == "sample" else ""
            users = f"intervals are for the users of these topics{few}; users of other topics may have another g"
            notes.append(Note.doubt(users))
        notes.append(Note.method(self.description))
        return [*notes, Note.answer(self._about_untold() or f"use this measure: {self.measure}")]

    def _about_untold(self) -> str | None:
        """Why there is no measure to go on with, and how many clicks would tell, as far as that can be said."""
        untold = about_untold(self.levels, self.interval)
        if untold is None:
            return None
        number = self.topics if self.resampled == "topics" else self.sessions
        if (np.ptp(self.interval, axis=1) == 1).any():
            more = f"many times the {number} {self.resampled}, or see whether the judgments belong to these documents"
        else:  # intervals shrink with the square root of the number
            more = f"about {np.ceil(number * (self.widest / TOLD) ** 2):.0f} {self.resampled} in place of {number}"
        return f"{untold}; give {more}; until then, use GAP with equal shares"

    def _about_shares(self) -> list[str]:
        """What shares of clicks are, and the clicks that they leave out."""
        slips = int(self.clicked[:, 0].sum())
        left_out = [f"{slips} of {int(self.clicked.sum())} clicks are on grade 0 and are left out"] if slips else []
        return [
            *left_out,
            "g is each grade's share of the clicks, not of the users; users of lower grades click on higher grades, "
            "too; grades shown more often or earlier get more clicks; use the estimator position-model to correct for "
            "both",
        ]

    def _records(self) -> Iterator[list[Value]]:
        settings: list[Value] = [self.sessions, self.resampled, self.samples, self.seed]
        shown, clicked = self.shown.sum(0).tolist(), self.clicked.sum(0).tolist()
        first = self.estimator
        if self.slips is not None:
            yield [first, "slips", 0.0, None, self.slips, None, None, int(shown[0]), int(clicked[0]), *settings]
        for k, (share, (low, high)) in enumerate(zip(self.g.tolist(), self.interval.tolist(), strict=True), 1):
            yield [first, "g", self.levels[k], None, share, low, high, int(shown[k]), int(clicked[k]), *settings]
        if self.examined is None:
            return
        shown, clicked = self.shown.sum(1).tolist(), self.clicked.sum(1).tolist()
        for r, (rank, looked) in enumerate(zip(self.ranks.tolist(), self.examined.tolist(), strict=True)):
            yield [first, "looked at", None, rank, looked, None, None, int(shown[r]), int(clicked[r]), *settings]


def round_shares(shares: Sequence[float], digits: int) -> list[float]:
    """Shares rounded to some decimals that still sum to 1: those with the largest remainders are rounded up."""
    unit = 10**digits
    scaled = np.array(shares) * unit
    whole = np.floor(scaled + 1e-9).astype(int)
    short = max(0, unit - int(whole.sum()))
    whole[np.argsort(whole - scaled, kind="stable")[:short]] += 1
    return [count / unit for count in whole.tolist()]

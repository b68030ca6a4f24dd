"""Is a run better on some slices of the topics than on others? Each slice against the other topics, by Welch's test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.messages import capitalised
from gradeval.scores.scores import Scores
from gradeval.scores.slices import FEWEST
from gradeval.studies.decision import decides
from gradeval.studies.interaction import welch_test
from gradeval.studies.significance import centre, holm
from gradeval.tables.grid import Cell, Column, Grid, as_label, write_p
from gradeval.warning_categories import Note

ALPHA = 0.05
"""The level of the tests and of the intervals."""


@dataclass(frozen=True)
class SliceDifference:
    """How much higher the mean of a run is on a slice than on other topics, by one measure.

    Attributes
    ----------
    column, measure : the column of labels, and the name of the measure.
    label, other : the slice, and what it is compared with: the other slice of two, else ``others``, all other topics.
    topics : of the slice, and of the others, as far as they count.
    difference, interval : of both means; the interval is Welch's, of each difference by itself.
    p, corrected : of Welch's test, and after Holm's correction over all tests.
    """

    column: str
    measure: str
    label: str
    other: str
    topics: tuple[int, int]
    difference: float
    interval: tuple[float, float]
    p: float
    corrected: float


def welch_interval(values: Array, others: Array, alpha: float) -> tuple[float, float, float]:
    """The difference of the means of two independent samples, and both ends of its interval by Welch's t.

    ```math
    m_1 - m_2 \\mp t_{f, 1 - \\alpha / 2} \\sqrt{v_1 + v_2}, \\quad v_i = s_i^2 / n_i, \\quad
    f = \\frac{(v_1 + v_2)^2}{v_1^2 / (n_1 - 1) + v_2^2 / (n_2 - 1)}
    ```

    A sample of equal values takes the pooled spread of both, as in ``welch_test``.
    """
    from scipy.special import stdtrit

    means, spreads = zip(
        *((float(mean), float(spread)) for mean, _, spread in map(centre, (values, others))), strict=True
    )
    free = np.array([len(values), len(others)]) - 1.0
    pooled = np.sqrt((free * np.square(spreads)).sum() / free.sum())
    variances = np.square(np.where(np.array(spreads) == 0, pooled, spreads)) / (free + 1)
    difference, total = means[0] - means[1], variances.sum()
    if not total:
        return difference, difference, difference
    reach = float(np.sqrt(total) * stdtrit(total**2 / (variances**2 / free).sum(), 1 - alpha / 2))
    return difference, difference - reach, difference + reach


def find_slice_differences(scores: Scores) -> list[SliceDifference]:
    """Each slice of one run against the other topics, where both have ``FEWEST`` topics or more that count, by each
    measure of which more is better; nothing of several runs. Of two slices one is compared with the other.

    Topics are independent, so that no pairs are needed: values of the topics of a slice are one sample, the others
    another one.
    """
    if len(scores.runs) != 1 or scores.slices is None:
        return []
    differences = []
    quality = decides(scores.measures)
    values = scores.transformed()[0]
    parts = scores.slices.cut(scores.topics)
    for column in scores.slices.columns:
        slices = [one for one in parts if one.column == column]
        for one in slices[: 1 if len(slices) == 2 else None]:
            inside = np.isin(scores.topics, one.topics)
            for at in quality:
                counted = scores.counted[0, :, at]
                both = values[inside & counted, at], values[~inside & counted, at]
                sizes = (len(both[0]), len(both[1]))
                if min(sizes) >= FEWEST:
                    difference, *interval = welch_interval(*both, ALPHA)
                    p = float(welch_test(both)[1])
                    other = slices[1].label if len(slices) == 2 else "others"
                    known = (column, str(scores.measures[at]), one.label, other, sizes)
                    differences.append(SliceDifference(*known, difference, (interval[0], interval[1]), p, p))
    corrected = holm(np.array([one.p for one in differences])) if differences else np.zeros(0)
    return [replace(one, corrected=float(p)) for one, p in zip(differences, corrected, strict=True)]


def slices_grid(scores: Scores, digits: int) -> list[Grid]:
    """The differences as a grid, the smallest p value first; none where none is tested."""
    differences = sorted(find_slice_differences(scores), key=lambda one: one.p)
    if not differences:
        return []
    signed = f"+.{digits}f"
    names = [Column(title, "name") for title in ("by", "measure", "slice", "other")]
    numbers = [Column("topics", "text"), Column("difference", spec=signed), Column("interval", spec=signed)]
    rows: list[list[Cell]] = []
    for one in differences:
        texts = [write_p(p, digits) for p in (one.p, one.corrected)]
        sizes = f"{one.topics[0]}/{one.topics[1]}"
        rows.append([one.column, one.measure, one.label, one.other, sizes, one.difference, one.interval, *texts])
    title = f"is {scores.runs[0]} better on some slices?"
    about = (
        f"{capitalised(title)} Mean on a slice minus mean on the other {scores.unit}; Welch's t test of two "
        "independent samples, 95% intervals, p values corrected by Holm over all rows"
    )
    label = as_label("slices", " ".join(map(str, scores.measures)))
    columns = [*names, *numbers, Column("p", "text"), Column("p (holm)", "text")]
    return [Grid(columns, rows, title).described(about, label=label)]


def about_slices_of_run(scores: Scores) -> list[Note]:
    """On which slices a run is better or worse than on the other topics, as far as tests show it."""
    differences = find_slice_differences(scores)
    if not differences:
        return []
    shown = sorted((one for one in differences if one.corrected < ALPHA), key=lambda one: one.p)
    named = "".join(
        f"; {one.column} {one.label}: {one.difference:+.3f} by {one.measure} against {one.other}" for one in shown[:1]
    )
    many = f"{len(shown)} of {len(differences)} tests" if differences[1:] else f"{len(shown)} of 1 test"
    said = f"slices differ in {many} at {ALPHA:g}{named}; Welch's test of a slice against the other {scores.unit}"
    return [Note.answer(f"{said}; Holm's correction over all tests")]

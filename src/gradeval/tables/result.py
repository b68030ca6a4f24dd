"""What a format is given to show."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradeval.formula.arithmetic import Array
from gradeval.scores.scores import Scores


@dataclass(frozen=True, eq=False)
class Result:
    """Scores and what was made of them: everything is computed before it is shown.

    Attributes
    ----------
    scores : the values by run, topic and measure.
    means : float64[run, measure], the values over all topics (``Scores.mean``).
    bounds : float64[run, measure, 2], confidence intervals of the means, or None.
    by_topic : show the value of every topic, too.
    digits : decimals where values are rounded.
    beside : further columns of a table: title and one text a run.
    """

    scores: Scores
    means: Array
    bounds: Array | None = None
    by_topic: bool = False
    digits: int = 4
    beside: dict[str, list[str]] = field(default_factory=dict)

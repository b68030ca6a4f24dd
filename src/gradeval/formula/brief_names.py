"""Names of measures for tables that people read, where no number is longer than it needs to be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradeval.formula.definition import Measure

LONG = re.compile(r"\d*\.\d{4,}")
"""A number with more than three decimals."""


def name_briefly(measures: Sequence[Measure]) -> list[str]:
    """The names of measures with three digits of long numbers: GAP(g=[0.333,0.333,0.333]).

    A name stays as it is where another measure would have the same.
    """
    full = [str(measure) for measure in measures]
    brief = [LONG.sub(lambda number: f"{float(number[0]):.3g}", name) for name in full]
    meant = {name: {other for other, short in zip(full, brief, strict=True) if short == name} for name in brief}
    return [short if len(meant[short]) == 1 else name for name, short in zip(full, brief, strict=True)]

"""How far one way of training is ahead of another over several seeds, and the cells of a table of such leads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import stats

from gradeval.formula.arithmetic import Array
from gradeval.ltr.training_noise import Lead, pool_ratios
from gradeval.studies.significance import holm

SEEDS = 5  # fewer carry no verdict


def judge_leads(rows: Sequence[Sequence[Lead]]) -> tuple[Array, Array]:
    """float64[rival, set] each: half of the interval of 0.95, and p by Student's t, of leads[rival][set], whose
    variance between seeds is learnt from all of them (``pool_ratios``)."""
    mean, variance = np.moveaxis(np.array([[(lead.mean, lead.variance) for lead in row] for row in rows]), -1, 0)
    r, freedom = pool_ratios(rows)
    error = np.sqrt(r * variance)
    t = np.divide(np.abs(mean), error, out=np.zeros(mean.shape), where=error > 0)
    return error * stats.t.ppf(0.975, freedom), 2 * stats.t.sf(t, freedom)


def show_leads(rows: Sequence[Sequence[Lead]], seeds: Sequence[int]) -> list[list[str]]:
    """The cells of a table of leads[rival][set]; ``seeds`` are the numbers of seeds of the sets. Stars are by Holm over
    all cells of sets with enough seeds."""
    seeds_of = np.array(seeds)
    halves, told = np.full((len(rows), len(seeds)), np.nan), np.zeros((len(rows), len(seeds)), bool)
    if (several := seeds_of > 1).any():
        judged = judge_leads([[lead for lead, one in zip(row, several, strict=True) if one] for row in rows])
        halves[:, several], p = judged[0], np.ones(halves.shape)
        p[:, several] = judged[1]
        if (enough := seeds_of >= SEEDS).any():
            told[:, enough] = holm(p[:, enough].ravel()).reshape(p[:, enough].shape) < 0.05
    return [
        [show_lead(lead.mean, width, star) for lead, width, star in zip(row, half, stars, strict=True)]
        for row, half, stars in zip(rows, halves.tolist(), told.tolist(), strict=True)
    ]


def show_lead(mean: float, half: float, star: bool) -> str:
    """A difference with its interval, which one seed does not give; what is significantly behind is bold."""
    text = f"{mean:+.4f}{chr(92) + '*' if star else ''}{f' ±{half:.4f}' if np.isfinite(half) else ''}"
    return f"**{text}**" if star and mean < 0 else text


def write_between(page: Path, name: str, table: str) -> None:
    """Put a table between the marks of its name, where the page has them."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, mark, rest = page.read_text(encoding="utf-8").partition(begin)
    if mark:
        page.write_text(f"{before}{begin}{table}{end}{rest.partition(end)[2]}", encoding="utf-8")

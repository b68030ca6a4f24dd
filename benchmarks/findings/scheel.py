"""Scheel, Lommatzsch & Albayrak (2011), figures 4 and 5: do measures depend on the number of grades?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from claims import table
from public_runs import Collection

import gradeval

REPETITIONS, SEED = 1000, 0
AFTER = (20, 50, 99)


def swaps(_: list[Collection]) -> Iterator[str]:
    """A perfect ranking of 100 items, of which two at random change places again and again."""
    spreads: dict[str, list[str]] = {}
    claims: dict[str, list[str]] = {}
    for uniform in (True, False):
        study = gradeval.swaps(nonuniform=not uniform, repetitions=REPETITIONS, seed=SEED)
        for place, measure in enumerate(study.measures):
            spread, error = study.spread()[:, place], study.spread_error()[:, place]
            spreads.setdefault(measure, []).extend(f"{spread[after]:.3f} ± {error[after]:.3f}" for after in AFTER)
            for after in AFTER:
                fewest, most = study.values[0, after, place], study.values[-1, after, place]
                within = 1.96 * np.hypot(study.error[0, after, place], study.error[-1, after, place])
                shown = f"{fewest - most:+.3f} [{fewest - most - within:+.3f}, {fewest - most + within:+.3f}]"
                claims.setdefault(measure, []).append(shown)
    heads = ["measure", *(f"{kind} {after}:" for kind in ("uniform", "non-uniform") for after in AFTER)]
    yield f"largest less smallest mean over 2, 10, 20 and 50 grades ± standard error; {REPETITIONS} repetitions\n"
    yield table(heads, [[measure, *cells] for measure, cells in spreads.items()])
    yield "mean with 2 grades less mean with 50\n"
    yield table(heads, [[measure, *cells] for measure, cells in claims.items()])

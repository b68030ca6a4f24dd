"""Two ways to estimate g from clicks, on simulated sessions whose g is known: how far off are they, and does it matter?

    python benchmarks/g_from_clicks.py [--draws 20] [--page docs/users/g-from-clicks.md]

Prints for each setting the mean over draws of half the sum of |estimate - g|, by each estimator of ``clicks``; and by
how much GAP with the estimate differs from GAP with the true g, on the mean over the example's runs. About two minutes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gradeval
from gradeval import GAP, Clicks, Qrels, Run, read_qrels, read_run

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ESTIMATORS = ("position-model", "click-share")


@dataclass(frozen=True)
class Setting:
    """Users, how fast they stop looking, how often they click by mistake, and how many there are."""

    g: tuple[float, ...]
    bias: float = 1.0
    slips: float = 0.0
    sessions: int = 2000
    once: bool = False
    """Do users leave at their first click, as in a cascade?"""


MOSTLY_LOW, MOSTLY_HIGH, MIXED = (0.6, 0.3, 0.1), (0.1, 0.3, 0.6), (0.2, 0.3, 0.5)
SETTINGS = [
    Setting(MIXED, bias=0),
    Setting(MIXED),
    Setting(MIXED, bias=2),
    Setting(MIXED, slips=0.05),
    Setting(MIXED, slips=0.2),
    Setting(MIXED, sessions=200),
    Setting(MIXED, sessions=20000),
    Setting(MOSTLY_LOW, slips=0.05),
    Setting(MOSTLY_HIGH, slips=0.05),
    Setting(MIXED, once=True),
]


def draw(setting: Setting, seed: int, qrels: Qrels, run: Run) -> Clicks:
    """A log of these users; who leaves at the first click does not click further down."""
    log = gradeval.simulate_clicks(
        qrels, run, g=setting.g, bias=setting.bias, slips=setting.slips, sessions=setting.sessions, seed=seed
    )
    if not setting.once:
        return log
    _, session = np.unique(log.session, return_inverse=True)
    first = np.full(session.max() + 1, np.inf)
    np.minimum.at(first, session, np.where(log.click, log.rank, np.inf))
    return Clicks.of(
        log.session, log.topic, log.document, log.rank, (log.click & (log.rank <= first[session])).astype(int)
    )


def row(setting: Setting, draws: int) -> Iterator[str]:
    """Each estimator's distance from g, and GAP's from GAP with the true g."""
    qrels, run = read_qrels(EXAMPLES / "qrels.txt"), read_run(EXAMPLES / "runs" / "elm.txt")
    runs = sorted((EXAMPLES / "runs").iterdir())
    leave = "at their first click" if setting.once else ""
    yield from (str(list(setting.g)), f"{setting.bias:g}", f"{setting.slips:g}", leave, f"{setting.sessions:,}")
    logs = [draw(setting, seed, qrels, run) for seed in range(draws)]
    for estimator in ESTIMATORS:
        found = np.array([gradeval.clicks(log, qrels, estimator=estimator, samples=20).g for log in logs])
        distance = np.abs(found - setting.g).sum(1) / 2
        means = gradeval.evaluate(qrels, runs, [GAP(g=setting.g), *(GAP(g=tuple(g)) for g in found)]).mean()
        yield f"{distance.mean():.3f}"
        yield f"{np.abs(means[:, 1:] - means[:, :1]).mean():.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--page", type=Path, help="put the table into this page")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gradeval.GradevalWarning)
    of_each = [f"{name}: {what}" for name in ESTIMATORS for what in ("g", "GAP")]
    head = ["users", "bias", "slips", "leave", "sessions", *of_each]
    lines = [head, ["---"] * 5 + ["--:"] * len(of_each), *(list(row(one, options.draws)) for one in SETTINGS)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    print(table)
    if options.page:
        before, after = options.page.read_text().split("<!-- estimators:begin -->\n")
        rest = after.split("<!-- estimators:end -->")[1]
        options.page.write_text(f"{before}<!-- estimators:begin -->\n{table}\n<!-- estimators:end -->{rest}")


if __name__ == "__main__":
    main()

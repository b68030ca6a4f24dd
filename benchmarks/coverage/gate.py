"""How often does ``gate`` err, and what does it find? On pairs of real runs, whose mean differences are set by hand.

    python benchmarks/coverage/gate.py [--samples 1000]

Topics of a collection are drawn with replacement, and with them the differences of a pair of runs by all measures. The
differences are centred over the collection and shifted, so that the true change is known: none, or a loss. Pairs are
drawn among all runs, or are each run and the one whose values are most like its own, as two versions of a system are.

Fails falsely: the share of draws in which "worse" rejects, by at least one measure, where nothing changed. Passes
falsely: the share in which "not-shown" passes though the margin is lost: by one measure alone, in its worst measure
and pair, and by all.
"""

from __future__ import annotations

import argparse

import numpy as np
from counting import Array, markdown, standard_error
from populations import evaluated

from gradeval.studies.gate import MARGIN
from gradeval.studies.gate_decision import ROUNDING
from gradeval.studies.significance import holm, infer_means

COLLECTIONS = {"TREC DL 2021": "trec-dl21-passage", "Robust 2005": "trec14-robust2005"}
MEASURES = ("AP", "nDCG@10", "R@100")
TOPICS = (20, 50, 100)
LOSSES = (0.0, 0.02, 0.05)
PAIRS = 40
ALPHA = 0.05


def differences(name: str) -> dict[str, Array]:
    """float64[pair, topic, measure], centred, of pairs drawn among all runs and of the pairs that are most alike."""
    values = evaluated(name, MEASURES).values
    values = values[(values.mean(1) > 0.05).all(-1)]
    runs = len(values)
    rng = np.random.default_rng(0)
    drawn = np.stack([rng.choice(runs, 2, replace=False) for _ in range(PAIRS)])
    spread = (values[:, None] - values[None]).std(2).mean(-1)
    alike = np.where(spread > 0.01, spread, np.inf)  # closer ones are one run under two names
    near = np.stack([np.arange(runs), alike.argmin(1)], axis=-1)
    near = np.unique(np.sort(near, axis=1), axis=0)
    near = near[np.argsort(alike[near[:, 0], near[:, 1]])][:PAIRS]
    found = {}
    for kind, pairs in (("any two runs", drawn), ("most alike", near)):
        moved = values[pairs[:, 1]] - values[pairs[:, 0]]
        found[kind] = moved - moved.mean(1, keepdims=True)
    return found


def decide(centred: Array, topics: int, loss: float, samples: int, seed: int) -> tuple[Array, Array]:
    """bool[sample], bool[sample, measure]: does "worse" fail; is each measure shown to lose less than the margin?"""
    rows = np.random.default_rng([seed, topics]).integers(len(centred), size=(samples, topics))
    drawn = centred[rows].swapaxes(1, 2) - loss  # [sample, measure, topic]
    found = infer_means(drawn.reshape(-1, topics), ALPHA, "less")
    corrected = holm(found.p.reshape(samples, -1))
    return (corrected < ALPHA).any(-1), (found.interval[:, 0] > -MARGIN + ROUNDING).reshape(samples, -1)


def section(samples: int = 1000) -> str:
    """The text and the tables of the page."""
    no_change, lost = [], []
    for title, name in COLLECTIONS.items():
        for kind, pairs in differences(name).items():
            spread = f"{pairs[:, :, 1].std(1).mean():.2f}"
            for topics in TOPICS:
                worse = np.zeros((len(LOSSES), len(pairs)))
                shown, each = np.zeros_like(worse), np.zeros((len(LOSSES), len(pairs), len(MEASURES)))
                for pair, centred in enumerate(pairs):
                    for place, loss in enumerate(LOSSES):
                        fails, passes = decide(centred, topics, loss, samples, pair)
                        worse[place, pair], shown[place, pair] = fails.mean(), passes.all(-1).mean()
                        each[place, pair] = passes.mean(0)
                row = [title, kind, spread, str(topics)]
                errors = [worse[0].mean(), worse[0].max(), each[1].mean(), each[1].max(), shown[1].mean()]
                no_change.append([*row, *(f"{one:.3f}" for one in errors)])
                passes_unchanged = [each[0].mean(), shown[0].mean()]
                found = [worse[1].mean(), worse[2].mean(), 1 - shown[1].mean(), 1 - shown[2].mean()]
                lost.append([*row, *(f"{one:.2f}" for one in (*passes_unchanged, *found))])
    head = ["collection", "pairs", "sd of nDCG@10", "topics"]
    errors_head = [*head, "`worse` fails falsely", "worst pair", "`not-shown` passes falsely, one measure"]
    errors_head += ["worst measure of a pair", "all measures"]
    found_head = [*head, "unchanged passes `not-shown`, one measure", "all measures"]
    found_head += [f"`worse` finds a loss of {loss:g}" for loss in LOSSES[1:]]
    found_head += [f"`not-shown` fails a loss of {loss:g}" for loss in LOSSES[1:]]
    return (
        f"{samples} draws of each of at most {PAIRS} pairs, {len(MEASURES)} measures ({', '.join(MEASURES)}), level "
        f"{ALPHA:g}, margin {MARGIN:g};\nstandard error of .05 of one pair {standard_error(ALPHA, samples):.3f}.\n\n"
        f"{markdown(errors_head, no_change)}\n\nWhat is found, where all measures lose as much:\n\n"
        f"{markdown(found_head, lost)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    print(section(parser.parse_args().samples))


if __name__ == "__main__":
    main()

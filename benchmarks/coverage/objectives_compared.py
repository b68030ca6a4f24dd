"""How often does ``crossval`` mark an objective that is no worse than the others?

    python benchmarks/coverage/objectives_compared.py [--samples 1000]

Values of 106 topics in 5 folds: noise of each topic of standard deviation 1, which all seeds of an objective share; of
each training (objective, seed and fold), 0 or 0.4; and of each topic of a training, 0.5. All objectives are equally
good, but in the last column, where one is better by 0.5.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from counting import Array, markdown, standard_error
from populations import scores_of

from gradeval import Scores, compare
from gradeval.ltr.training_noise import compare_trained

TOPICS, FOLDS, ALPHA, LEAD = 106, 5, 0.05, 0.5
FOLD = np.arange(TOPICS) * FOLDS // TOPICS
PARTS = np.bincount(FOLD).tolist()
OBJECTIVES = (3, 4, 8, 12)
SETTINGS = ((1, 0.0), (1, 0.4), (2, 0.4), (5, 0.4))
"""Seeds, and the noise of a training."""


def drawn(rng: np.random.Generator, objectives: int, seeds: int, training: float, lead: float) -> Array:
    """float64[seed, topic, objective]"""
    shared = rng.normal(size=(1, TOPICS, objectives)) + lead * (np.arange(objectives) == 0)
    own = training * rng.normal(size=(seeds, FOLDS, objectives))[:, FOLD]
    return shared + own + 0.5 * rng.normal(size=(seeds, TOPICS, objectives))


def marked(values: Array) -> tuple[Scores, Array]:
    """The mean scores, and which objectives are marked as not the best."""
    scores = scores_of(values.mean(0))
    found = compare_trained(scores, [scores_of(one) for one in values], PARTS, None, ALPHA)
    assert found is not None
    return scores, found.significant[0]


def rows(draws: int) -> Iterator[list[object]]:
    """By setting and number of objectives: what is marked of equal objectives, and what is found."""
    for seeds, training in SETTINGS:
        for objectives in OBJECTIVES:
            rng, best, some, against, found = np.random.default_rng(objectives), [], [], [], []
            for _ in range(draws):
                scores, marks = marked(drawn(rng, objectives, seeds, training, 0.0))
                best.append(marks.mean())
                some.append(marks.any())
                leader = scores.runs[int(scores.mean()[:, 0].argmax())]
                against.append(compare.silently(scores, baseline=leader).significant.any())
                found.append(marked(drawn(rng, objectives, seeds, training, LEAD))[1][1:].mean())
            shares = (float(np.mean(each)) for each in (best, some, against, found))
            yield [f"{objectives}", f"{seeds}", f"{training:g}", *shares]


def section(samples: int) -> str:
    """A row for each number of objectives and of seeds."""
    draws = samples // 5
    titles = ["objectives", "seeds", "noise of a training", "a best one marked", "some mark"]
    titles += ["t, holm, against the leader: some mark", f"others marked where one leads by {LEAD}"]
    said = f"{draws} draws of {TOPICS} topics; standard error of .05 {standard_error(ALPHA, draws):.3f}."
    return f"{said}\n\n{markdown(titles, rows(draws))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000, help="a fifth of it are draws")
    print(section(parser.parse_args().samples))


if __name__ == "__main__":
    main()

"""Does ``judges`` accuse honest judges where the humans err? ``python benchmarks/coverage/honest_judges.py``.

Each document has a true grade. Humans and judge give a share of the documents a grade drawn at random; neither knows a
run. Runs rank by the true grade, some more than others. Prints how many of 40 judges move a run beyond chance
by nDCG@10, and how many are said to favour one or put it at a disadvantage; then the same for judges that raise a
quarter of the documents in the top 10 of the last run by a grade.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from gradeval import GradevalWarning, judges

JUDGES = 40
TOPICS, DOCUMENTS, DEPTH = 50, 60, 20
SHARES = [0.55, 0.2, 0.15, 0.1]
"""Of the true grades 0 to 3."""
JUDGE_ERRS = 0.25
RAISED = 0.25
MEASURE = "nDCG@10"

Table = Mapping[str, Mapping[str, float]]


def draw_world(
    rng: np.random.Generator, runs: int, spread: float
) -> tuple[Table, dict[str, dict[str, dict[str, float]]]]:
    """The true grades, and runs from the worst to the best; of the same quality where the spread is 0."""
    names = [f"d{number}" for number in range(DOCUMENTS)]
    truth: dict[str, dict[str, float]] = {}
    ranked: dict[str, dict[str, dict[str, float]]] = {f"r{number}": {} for number in range(runs)}
    for topic in range(TOPICS):
        grades = rng.choice(4, DOCUMENTS, p=SHARES).astype(float)
        hard = rng.normal(0, 0.7, DOCUMENTS)
        truth[f"t{topic}"] = dict(zip(names, grades.tolist(), strict=True))
        for lists, skill in zip(ranked.values(), np.linspace(1.2 - spread, 1.2 + spread, runs), strict=True):
            top = np.argsort(-(0.7 * skill * grades + hard + rng.normal(0, 1, DOCUMENTS)))[:DEPTH].tolist()
            lists[f"t{topic}"] = {names[place]: float(DEPTH - rank) for rank, place in enumerate(top)}
    return truth, ranked


def err(truth: Table, rng: np.random.Generator, share: float) -> dict[str, dict[str, float]]:
    """The grades of an assessor who draws this share of them at random."""
    return {
        topic: {
            name: float(rng.choice(4, p=SHARES)) if rng.random() < share else grade for name, grade in grades.items()
        }
        for topic, grades in truth.items()
    }


def count(runs: int, spread: float, humans_err: float, raised: float) -> tuple[int, int]:
    """How many judges move a run, and favour or disadvantage one."""
    moved = favoured = 0
    for seed in range(JUDGES):
        rng = np.random.default_rng(seed)
        truth, ranked = draw_world(rng, runs, spread)
        human, judge = err(truth, rng, humans_err), err(truth, rng, JUDGE_ERRS)
        for topic, found in ranked[f"r{runs - 1}"].items():
            for name in list(found)[:10]:
                if raised and rng.random() < raised:
                    judge[topic][name] = min(3.0, judge[topic][name] + 1)
        gains = judges(human, {"it": judge}, ranked, MEASURE, samples=10, levels=(0, 1, 2, 3)).of("it", MEASURE).runs
        if gains is not None:
            moved += bool(gains.beyond_chance.any())
            favoured += bool(gains.significant.any())
    return moved, favoured


def main() -> None:
    """Print a line a kind of judge, number of runs, spread of quality and share of wrong human grades."""
    for raised in (0.0, RAISED):
        for runs in (2, 10):
            for spread in (0.5, 0.0):
                for humans_err in (0.0, 0.15, 0.3):
                    moved, favoured = count(runs, spread, humans_err, raised)
                    kind = "favouring" if raised else "honest"
                    print(
                        f"{kind:9} {runs:2} runs, spread {spread}, humans err {humans_err:.0%}: of {JUDGES} judges "
                        f"{moved} move a run, {favoured} favour or disadvantage one",
                        flush=True,
                    )


if __name__ == "__main__":
    warnings.simplefilter("ignore", GradevalWarning)
    main()

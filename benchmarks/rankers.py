"""Does it matter what a ranker is trained for? Means on OHSUMED and MQ2008, as in docs/learning-to-rank/by-testing.md.

    python benchmarks/rankers.py DATA --work WORK [STUDY ...]

DATA holds ohsumed-letor3 and mq2008 (S1.txt to S5.txt) and, for the studies of published rankers, ltr-system-scores.
WORK keeps every training: after a kill the same command continues, and finished trainings are not repeated.
The studies are linear, neural, trees, trees-mq2008, together, published, published-mq2008; all of them by default.
With 5 seeds they are 600 trainings: half an hour on one core.

Everything follows LETOR: five folds, the test part of each untouched until the end, equal scores in the order of the
file, queries without relevant documents 0, nDCG with gain 2^grade - 1 and no discount at the first two ranks.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # queries are small

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gradeval import Features, Scores, evaluate, read_letor
from gradeval.ltr import CrossValidation, LinearRanker, NeuralRanker, Ranker, Training, TreeRanker, crossval
from gradeval.studies.compare import compare

NDCG = "nDCG(dcg='exp-log2')"  # of the papers; it is tested with LETOR's discount
GAP = "GAP(g=[0.5,0.5])"
LETOR = "nDCG(dcg='exp-log2',discount='letor')@10"
TESTED = [LETOR, "AP", "P@10", GAP]
METHODS = [f"{method}:{measure}" for method in ("lambdarank", "softrank") for measure in (NDCG, "AP", GAP)]
GRADED = [f"lambdarank:{measure}" for measure in (NDCG, "AP", GAP, "xGAP(g=[0.5,0.5])", "eGAP(g=[0.5,0.5])", "Q")]

PUBLISHED = ["AdaRank", "FacSVM_Rank", "ListNet", "RankBoost", "RankNet", "svm_light", "svm_light2", "svm_rank"]
FOLDERS = {"ohsumed-letor3": "OHSUMED", "mq2008": "Mq2008"}
TRIALS: dict[str, tuple[str, type[Ranker], list[str]]] = {  # the rankers as they come: nothing is tuned
    "linear": ("ohsumed-letor3", LinearRanker, METHODS),
    "neural": ("ohsumed-letor3", NeuralRanker, METHODS),
    "trees": ("ohsumed-letor3", TreeRanker, GRADED),
    "trees-mq2008": ("mq2008", TreeRanker, GRADED),
}
REFERENCES = {  # the rankers that published ones are compared with, chosen before any number was seen
    "published": ("linear", f"lambdarank:{GAP}"),
    "published-mq2008": ("trees-mq2008", f"lambdarank:{GAP}"),
}


@dataclass(frozen=True)
class Column:
    """A column of a table: its title, and the scores of all runs by one measure."""

    title: str
    scores: Scores


def main() -> None:
    """Run the chosen studies and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="default: all")
    parser.add_argument("--work", type=Path, required=True, help="a folder that keeps what was trained")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_intermixed_args()
    for study in options.studies or [*TRIALS, "together", *REFERENCES]:
        print(f"\n## {study}\n", flush=True)
        if study in TRIALS:
            show_trials(study, options.data, options.work, options.seeds)
        elif study == "together":
            show_together(options.data, options.work, options.seeds)
        elif study in REFERENCES:
            show_published(study, options.data, options.work, options.seeds)
        else:
            parser.error(f"unknown study {study}; known: {', '.join([*TRIALS, 'together', *REFERENCES])}")


def cross_validate(study: str, data: Path, work: Path, seeds: int) -> CrossValidation:
    """The cross-validation of a study; trainings that ``work`` keeps are not repeated."""
    folder, ranker, objectives = TRIALS[study]

    def report(training: Training, done: int, total: int) -> None:
        best = training.curve[training.best - 1]
        print(
            f"{study} {done}/{total}: {training.objective} seed {training.seed} fold {training.fold}: "
            f"{best.valid:.4f} in epoch {best.number} of {len(training.curve)}, {training.seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )

    parts = [read_letor(data / folder / f"S{number}.txt") for number in range(1, 6)]
    return crossval(parts, objectives, TESTED, ranker, seeds=seeds, work=work / study, progress=report)


def show_trials(study: str, data: Path, work: Path, seeds: int) -> None:
    """The table of a cross-validation, how much the seeds matter, and GAP against the other objectives."""
    validation = cross_validate(study, data, work, seeds)
    print(table(list_columns(validation.scores, validation.features), "trained for"))
    means = np.array([scores.mean() for scores in validation.by_seed])
    spread = means.std(0, ddof=1) if len(means) > 1 else np.zeros(means.shape[1:])
    summary = ", ".join(
        f"{short(str(m))} {low:.4f} to {high:.4f}"
        for m, low, high in zip(validation.scores.measures, spread.min(0), spread.max(0), strict=True)
    )
    print(f"\nStandard deviation of the mean between {len(means)} seeds: {summary}.")
    epochs = [training.best for training in validation.trainings]
    last = sum(training.best == len(training.curve) for training in validation.trainings)
    print(
        f"Epochs kept: {np.median(epochs):.0f} (median), {min(epochs)} to {max(epochs)}; in {last} of {len(epochs)} "
        "trainings the last one.\n"
    )
    print(gap_against_others(validation.scores))


def show_together(data: Path, work: Path, seeds: int) -> None:
    """The means over all rankers on OHSUMED by topic, which vary least by chance."""
    objectives, values = (NDCG, "AP", GAP), []
    for study in ("linear", "neural", "trees"):
        scores = cross_validate(study, data, work, seeds).scores
        for method in dict.fromkeys(run.partition(":")[0] for run in scores.runs):
            values.append(scores.sel(runs=[f"{method}:{measure}" for measure in objectives]).values)
    runs = [f"{len(values)} rankers:{measure}" for measure in objectives]
    means = replace(
        scores.sel(runs=scores.runs[: len(objectives)]), values=np.mean(values, axis=0), runs=runs, coverage=None
    )
    print(table([Column(short(str(measure)), means.sel(measures=[measure])) for measure in TESTED], "trained for"))
    print(f"\n{gap_against_others(means)}")


def list_columns(scores: Scores, features: Features) -> list[Column]:
    """A column for each measure; for MQ2008 also nDCG as the script of LETOR 4.0 prints it."""
    columns = [Column(short(str(measure)), scores.sel(measures=[measure])) for measure in scores.measures]
    short_lists = np.diff(features.offsets) < 10
    if short_lists.mean() > 0.1:
        columns.insert(1, Column("nDCG@10 (LETOR 4.0)", as_letor4(columns[0].scores, features)))
    return columns


def as_letor4(scores: Scores, features: Features) -> Scores:
    """nDCG@10 where queries of fewer than 10 documents count 0, as in the published tables for MQ2008."""
    size = dict(zip(features.topics, np.diff(features.offsets).tolist(), strict=True))
    full = np.array([size[topic] >= 10 for topic in scores.topics])
    return replace(scores, values=scores.values * full[None, :, None])


def table(shown: Sequence[Column], head: str, baseline: str | None = None) -> str:
    """Means with 95% intervals; the best in bold; marks for a paired t test against the best, or a baseline,
    Holm-corrected over the rows."""
    runs = shown[0].scores.runs
    lines = [f"| {head} | {' | '.join(column.title for column in shown)} |", "|---|" + "--:|" * len(shown)]
    cells = [format_cells(column.scores, baseline) for column in shown]
    for row, run in enumerate(runs):
        lines.append(f"| {short(run)} | {' | '.join(column[row] for column in cells)} |")
    return "\n".join(lines)


def format_cells(scores: Scores, baseline: str | None) -> list[str]:
    """The cells of a column."""
    means, bounds = scores.mean()[:, 0], scores.ci()[:, 0]
    best = scores.runs[int(means.argmax())]
    test = compare(scores, baseline=baseline or best)
    marks = dict.fromkeys(scores.runs, "")
    for (first, _), difference, significant in zip(
        test.pairs.tolist(), test.difference[0].tolist(), test.significant[0].tolist(), strict=True
    ):
        if significant:
            marks[scores.runs[first]] = "▲" if difference > 0 else "▼"
    cells = []
    for run, mean, (low, high) in zip(scores.runs, means.tolist(), bounds.tolist(), strict=True):
        value = f"**{mean:.4f}**" if run == best else f"{mean:.4f}"
        cells.append(f"{value}{marks[run]} [{low:.3f}, {high:.3f}]")
    return cells


def gap_against_others(scores: Scores) -> str:
    """What training for GAP changes, against the other objectives of the same method: the question of the paper."""
    lines = [
        f"| GAP less | {' | '.join(short(str(measure)) for measure in scores.measures)} |",
        "|---|" + "--:|" * len(scores.measures),
    ]
    for method in dict.fromkeys(run.partition(":")[0] for run in scores.runs):
        mine = f"{method}:{GAP}"
        others = [run for run in scores.runs if run.startswith(f"{method}:") and run != mine]
        test = compare(scores.sel(runs=[mine, *others]), baseline=mine)
        for pair, (place, _) in enumerate(test.pairs.tolist()):
            cells = []
            for measure in range(len(scores.measures)):
                low, high = sorted((-test.interval[measure, pair]).tolist())
                difference, p = -test.difference[measure, pair], test.corrected[measure, pair]
                cells.append(f"{difference:+.4f} [{low:+.3f}, {high:+.3f}] p={p:.2f}")
            lines.append(f"| {short(test.runs[place])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def show_published(study: str, data: Path, work: Path, seeds: int) -> None:
    """Compare published rankers with one of ours, and the published numbers with those that we compute."""
    trial, objective = REFERENCES[study]
    folder = FOLDERS[TRIALS[trial][0]]
    validation = cross_validate(trial, data, work, seeds)
    rows = [
        read_published_scores(validation.features, data / "ltr-system-scores" / folder / folder, name)
        for name in PUBLISHED
    ]
    runs = [validation.features.run(scores, name=name) for name, scores in zip(PUBLISHED, rows, strict=True)]
    theirs = evaluate(validation.features.qrels, runs, TESTED, ties="order")
    print(summarize_agreement(theirs, validation.features, data / "ltr-system-scores" / folder / folder))
    ours = validation.scores.sel(runs=[objective])
    name = f"{trial.partition('-')[0]}, {objective}"
    both = replace(
        theirs,
        values=np.concatenate([ours.values, theirs.values]),
        present=np.concatenate([ours.present, theirs.present]),
        runs=[name, *theirs.runs],
        coverage=None,
    )
    print()
    print(table(list_columns(both, validation.features), "ranker", baseline=name))


def read_published_scores(features: Features, folder: Path, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The test scores of a published ranker for the rows of the five parts, S1 first: fold 1 tests on S5."""
    parts = [np.loadtxt(folder / f"{name}.Fold{fold}.test.score") for fold in (2, 3, 4, 5, 1)]
    scores = np.concatenate(parts)
    if len(scores) != len(features):
        raise SystemExit(f"{name}: {len(scores)} scores for {len(features)} rows")
    return scores


def summarize_agreement(scores: Scores, features: Features, folder: Path) -> str:
    """In how many folds the published means equal ours to their four digits.

    A ranker was published twice, chosen on validation by MAP and by NDCG; the scores are those of one of the two.
    """
    ends = np.cumsum([0, *sizes_of_parts(features, folder)])
    letor = [as_letor4(scores, features) if folder.name == "Mq2008" else scores, scores, scores]
    measured = [one.of(measure) for one, measure in zip(letor, (LETOR, "P@10", "AP"), strict=True)]
    same, other = 0, []
    for row, name in enumerate(scores.runs):
        tables = [read_published_means(path) for path in sorted(folder.glob(f"{name}.selected_on_*.eval.txt"))]
        for fold in range(1, 6):
            part = (fold - 2) % 5
            topics = slice(ends[part], ends[part + 1])
            mine = [float(values[row, topics].mean()) for values in measured]
            if any(np.allclose(mine, table[fold], rtol=0, atol=6e-5) for table in tables):
                same += 1
            else:
                other.append(f"{name} {fold}")
    summary = f"nDCG@10, P@10 and AP are the published ones in {same} of {5 * len(scores.runs)} folds"
    return f"{summary}; not in {', '.join(other)}." if other else f"{summary}."


def sizes_of_parts(features: Features, folder: Path) -> list[int]:
    """How many topics each part has."""
    lines = [(folder / f"svm_rank.Fold{fold}.test.score").read_text().count("\n") for fold in (2, 3, 4, 5, 1)]
    rows = np.cumsum([0, *lines])
    return [int(topics) for topics in np.diff(np.searchsorted(features.offsets, rows))]


def read_published_means(path: Path) -> dict[int, list[float]]:
    """NDCG@10, P@10 and MAP on the test part, by fold."""
    text = path.read_text().partition("Performance on validation set")[0]
    values: dict[int, list[float]] = {}
    for gain, precision in zip(
        *(re.findall(rf"Folds\t{head}@1\t.*\n((?:Fold.*\n)+)", text)[0].splitlines() for head in ("NDCG", "P")),
        strict=True,
    ):
        at_gain, at_precision = gain.split(), precision.split()
        values[int(at_gain[0][4:])] = [float(at_gain[10]), float(at_precision[10]), float(at_precision[11])]
    return values


def short(name: str) -> str:
    """A spelling without the parameters that are the same throughout."""
    plain = re.sub(r"\([^()]*=[^()]*\)", "", name)
    return (
        plain.replace("lambdarank:", "LambdaRank ").replace("softrank:", "SoftRank ").replace(" rankers:", " rankers, ")
    )


if __name__ == "__main__":
    main()

"""What ``gradeval crossval`` tells: notes, the table of means with its tests, scores of topics, learning curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gradeval.cli.learn.rank import tied_scores
from gradeval.cli.options.outcome import Output
from gradeval.cli.options.ranker_options import Settings
from gradeval.cli.screen.notices import counted, listed
from gradeval.studies.significance.comparison import MARKS, Comparison
from gradeval.studies.significance.significance import compare
from gradeval.tables.format import choose_format
from gradeval.tables.grid import Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

if TYPE_CHECKING:
    from gradeval.formula.arithmetic import Array
    from gradeval.ltr import CrossValidation
    from gradeval.scores.scores import Scores

FIELDS = (
    "run measure statistic value lower upper baseline difference p corrected significant topics correction alpha "
    "ranker seeds folds"
).split()


def tests_of(scores: Scores, baseline: str | None, alpha: float) -> list[Comparison | None]:
    """For each measure the comparison with the baseline, or with the best; None where there is nothing to compare."""
    if len(scores.runs) < 2 or len(scores.topics) < 3:
        return [None] * len(scores.measures)
    best = scores.mean().argmax(0).tolist()
    return [
        compare(scores.sel(measures=[measure]), baseline or scores.runs[place], alpha=alpha)
        for measure, place in zip(scores.measures, best, strict=True)
    ]


def notes_on(found: CrossValidation, settings: Settings, baseline: str | None, alpha: float) -> Iterator[str]:
    """What was trained, tested and compared, and what may be wrong with it."""
    seeds, topics = len(found.seeds), len(found.features.topics)
    fold = counted(found.folds, "fold")
    yield (
        f"{counted(len(found.trainings), 'training')} of {settings.ranker} rankers: "
        f"{counted(len(found.objectives), 'objective')}, {fold}, seed{'s' * (seeds > 1)} "
        f"{listed([str(seed) for seed in found.seeds])}; {counted(topics, 'topic')}, the mean over seeds for each"
    )
    watched = {str(training.measure) for training in found.trainings}
    if len(watched) == 1 and any(training.objective.partition(":")[2] not in watched for training in found.trainings):
        tested = listed([str(measure) for measure in found.scores.measures])
        yield f"tested by {tested}; validated by {', '.join(watched)}"
    yield from _ties(found)
    if len(found.objectives) > 1:
        against = f"against {baseline}" if baseline is not None else "against the best (*) by each measure"
        others = counted(len(found.objectives) - 1, "pair")
        yield (
            f"test: t, two-sided, paired by topic, {against}; correction holm for {others} by each measure; marks at "
            f"{alpha:g}, intervals of {1 - alpha:.4g}"
        )
    late = sum(training.best == settings.epochs for training in found.trainings)
    if late:
        all_of_them = counted(settings.epochs, "epoch")
        yield f"{counted(late, 'training')} kept the last of {all_of_them}: more --epochs may be better"


def _ties(found: CrossValidation) -> Iterator[str]:
    """The shares of test documents that tie, by objective: their order is that of the files, which may be telling."""
    documents = len(found.features) * len(found.seeds)
    shares = [
        sum(tied_scores(found.features, scores) for scores in by_seed) / documents for by_seed in found.predictions
    ]
    if any(shares):
        told = listed([f"{name} {share:.1%}" for name, share in zip(found.objectives, shares, strict=True)])
        yield f"test documents with a tied score: {told}; they stay in the order of the files, which may be telling"


def outcome_of(
    found: CrossValidation,
    scores: Scores,
    tests: Sequence[Comparison | None],
    alpha: float,
    settings: Settings,
    output: Output,
) -> Table:
    """The table of means, and its records: a row is what was trained for, a column what was tested by."""
    means = scores.mean()
    bounds = scores.ci(1 - alpha, "t") if len(scores.topics) > 1 else None
    rows = [[run] for run in scores.runs]
    records: list[list[Value]] = []
    fixed: list[Value] = [settings.ranker, len(found.seeds), found.folds]
    for column, (measure, test) in enumerate(zip(scores.measures, tests, strict=True)):
        places = {} if test is None else {int(first): pair for pair, (first, _) in enumerate(test.pairs.tolist())}
        for run, name in enumerate(scores.runs):
            pair = places.get(run)
            between: list[Value] = [None, None] if bounds is None else bounds[run, column].tolist()
            mark = MARKS["not told apart"]
            tested: list[Value] = [None] * 4
            if test is not None and pair is not None:
                numbers = (test.difference, test.p, test.corrected)
                tested = [*(float(each[0, pair]) for each in numbers), bool(test.significant[0, pair])]
                mark = MARKS[test.verdict(0, pair)]
            shown = output.number(float(means[run, column])) + mark
            rows[run].append(shown + _between(bounds, (run, column), output))
            value: list[Value] = [name, str(measure), "mean", float(means[run, column]), *between]
            against = None if test is None or pair is None else test.baseline
            records.append([*value, against, *tested, len(scores.topics), "holm", alpha, *fixed])
    best = {(int(row), column + 1) for column, row in enumerate(means.argmax(0))} if len(rows) > 1 else set()
    grid = Grid.of_texts(["trained for", *map(str, scores.measures)], rows, best=frozenset(best))
    return Table([grid], Records.of(FIELDS, records))


def _between(bounds: Array | None, at: tuple[int, int], output: Output) -> str:
    if bounds is None:
        return ""
    low, high = map(output.number, bounds[at].tolist())
    return f" [{low}, {high}]"


def write_scores(scores: Scores, place: str) -> None:
    """Write the scores of topics as ``compare --scores`` reads them."""
    if choose_format(place).name == "parquet":
        scores.save(place)
        return
    records: list[list[Value]] = [
        [run, topic, str(measure), float(value)]
        for run, by_topic in zip(scores.runs, scores.values, strict=True)
        for topic, values in zip(scores.topics, by_topic, strict=True)
        for measure, value in zip(scores.measures, values.tolist(), strict=True)
    ]
    Table([], Records.of(["run", "topic", "measure", "value"], records)).save(place)


def picture_of(found: CrossValidation, settings: Settings) -> Any:
    """The learning curves of all trainings, a panel for each objective."""
    from gradeval.display.charts.curves import Line, curves_chart

    titles = {training.objective: f"mean {training.measure}" for training in found.trainings}
    lines = [
        Line(
            training.objective,
            f"fold {training.fold}",
            [epoch.number for epoch in training.curve],
            [float(epoch.valid or 0) for epoch in training.curve],
            training.best,
        )
        for training in found.trainings
    ]
    seeds = counted(len(found.seeds), "seed")
    subtitle = f"{settings.ranker} rankers, {seeds}; dots are what was kept"
    what = "trees" if settings.ranker == "tree" else "epoch"
    return curves_chart(lines, titles, what, "Learning curves on the validation parts", subtitle)

"""``gradeval crossval``: does it matter what a ranker is trained for?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from gradeval._core import InputError
from gradeval.cli.explain import measure_names
from gradeval.cli.inputs import require_apart
from gradeval.cli.notices import counted, listed, tell
from gradeval.cli.options import FILE, alpha_option, measures_option, number_option
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.presets import PRESETS, parse_with
from gradeval.cli.progress import watched
from gradeval.cli.ranker_options import Settings, engines, ranker_options, read_features
from gradeval.formats.files import whole_file
from gradeval.measure import nearest
from gradeval.meta.significance import Comparison, compare
from gradeval.report.grid import Grid
from gradeval.report.outcome import OUTCOME_FORMATS, Cell, Outcome, write_outcome

if TYPE_CHECKING:
    from gradeval.judged import Array
    from gradeval.ltr import CrossValidation, Training
    from gradeval.scores import Scores

MEASURES = "nDCG@10 AP P@10 GAP"
BETTER, WORSE = "▲", "▼"
FIELDS = (
    "run measure statistic value lower upper baseline difference p corrected significant topics correction alpha "
    "ranker seeds folds"
).split()
SCORES = (".parquet", *(ending for name, (_, ending) in OUTCOME_FORMATS.items() if name in ("tsv", "csv", "jsonl")))


@click.command(
    epilog="""\b
Examples:
  gradeval crossval S1.txt S2.txt S3.txt S4.txt S5.txt \\
      --objective "lambdarank:GAP(g=[0.5,0.5])" --objective lambdarank:nDCG --objective lambdarank:AP \\
      -m "nDCG@10 AP P@10 GAP(g=[0.5,0.5])" --seeds 5 --save-scores scores.tsv --plot curves.svg
  gradeval crossval S?.txt --objective lambdarank:Q --objective lambdarank:AP --ranker tree --baseline lambdarank:AP
  gradeval compare --scores scores.tsv --test permutation"""
)
@click.argument("parts", metavar="PARTS...", type=FILE, nargs=-1, required=True)
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    required=True,
    metavar="METHOD:MEASURE",
    help="What to train for: lambdarank and any measure, or softrank and one with a soft form; may be repeated.",
)
@measures_option(MEASURES)
@click.option("--preset", type=click.Choice(list(PRESETS)), help="Measures of -m as a community defines them (letor).")
@ranker_options
@click.option(
    "--validate-by",
    metavar="MEASURE",
    shell_complete=measure_names,
    help="What validation watches.  [default: the measure of the objective]",
)
@number_option("--seeds", 1, 1, "Train everything with so many seeds: 0, 1, 2 ...; topics then have the mean.")
@click.option(
    "--baseline", metavar="OBJECTIVE", help="What the others are tested against.  [default: the best by each]"
)
@alpha_option("Level of the marks; intervals cover the rest.")
@number_option("--jobs", 0, 0, "Trainings at a time; 0: as many as there are cores. The numbers are the same.")
@click.option("--work", metavar="FOLDER", help="Keep what was trained; the same command goes on from there.")
@click.option(
    "--save-scores",
    type=FILE,
    metavar="FILE",
    help="Write the scores of all topics: .parquet, .tsv, .csv or .jsonl, for gradeval compare --scores.",
)
@outcome_options(digits=4)
def crossval(
    parts: tuple[str, ...],
    objectives: tuple[str, ...],
    measures: tuple[str, ...],
    preset: str | None,
    validate_by: str | None,
    seeds: int,
    baseline: str | None,
    alpha: float,
    jobs: int,
    work: str | None,
    save_scores: str | None,
    **options: Any,
) -> None:
    """Train rankers for some objectives on folds of PARTS (LETOR text), and test them by some measures.

    Fold 1 tests on the last part, validates on the one before and trains on the others; each fold moves on by one part.
    A row of the table is what was trained for, a column what was tested by: mean over all topics, interval, the best
    with a *. ▲ and ▼ mark what is better and worse than the baseline in a paired t test, corrected after Holm.
    Equal scores stay in the order of the file, topics without relevant documents count 0.
    """
    settings, output = Settings.of(options), Output.of(options)
    for place, option in ((output.output, "-o"), (output.plot, "--plot"), (save_scores, "--save-scores")):
        if place is not None:
            require_apart(place, parts, option)
    _require_scores(save_scores)
    tested = parse_with(PRESETS[preset] if preset is not None else None, measures or [MEASURES])
    with engines():
        from gradeval.ltr import crossval as validated

        aims = settings.objectives(objectives)
    names = [str(aim) for aim in aims]
    baseline = _known_baseline(baseline, names)
    with output.opened() as write:
        given = read_features(parts)
        trainings = len(aims) * seeds * len(given)
        with watched("training", "trainings", trainings) as bar, engines():
            found = validated(
                given,
                aims,
                tested,
                settings.type,
                seeds=seeds,
                validate_by=validate_by,
                jobs=jobs,
                work=work,
                progress=lambda training, done, total: bar(done, total, _words(training)),
                **settings.parameters,
            )
        scores = found.scores
        tests = _tests(scores, baseline, alpha)
        tell(_notes(found, settings, baseline, alpha))
        if save_scores is not None:
            _save(scores, save_scores)
        outcome = _outcome(found, scores, tests, alpha, settings, output)
        write(outcome, lambda: _picture(found, settings))


def _known_baseline(given: str | None, names: Sequence[str]) -> str | None:
    """The name of the baseline, however it was spelled."""
    if given is None:
        return None
    from gradeval.ltr import Objective

    if len(names) < 2:
        raise InputError(f"--baseline {given}: there is nothing to test against it; give --objective another time")
    name = str(Objective.parse(given))
    if name not in names:
        raise InputError(f"--baseline {given}: is none of the objectives{nearest(name, names)}: {', '.join(names)}")
    return name


def _require_scores(place: str | None) -> None:
    if place is None:
        return
    if not place.lower().endswith(SCORES):
        raise InputError(f"--save-scores {place}: does not end in one of {', '.join(SCORES)}; name the file so")
    if place.lower().endswith(".parquet"):
        from gradeval.formats.parquet import require_pyarrow

        require_pyarrow("--save-scores with .parquet needs")


def _words(training: Training) -> str:
    valid = training.curve[training.best - 1].valid
    return f"{training.objective}, fold {training.fold}: {training.measure} {valid:.4f} on validation"


def _tests(scores: Scores, baseline: str | None, alpha: float) -> list[Comparison | None]:
    """For each measure the comparison with the baseline, or with the best; None where there is nothing to compare."""
    if len(scores.runs) < 2 or len(scores.topics) < 3:
        return [None] * len(scores.measures)
    best = scores.mean().argmax(0).tolist()
    return [
        compare(scores.sel(measures=[measure]), baseline or scores.runs[place], alpha=alpha)
        for measure, place in zip(scores.measures, best, strict=True)
    ]


def _notes(found: CrossValidation, settings: Settings, baseline: str | None, alpha: float) -> Iterator[str]:
    seeds, topics = len(found.seeds), len(found.features.topics)
    fold = counted(found.folds, "fold")
    yield (
        f"{counted(len(found.trainings), 'training')} of {settings.ranker} rankers: "
        f"{counted(len(found.objectives), 'objective')}, {fold}, seed{'s' * (seeds > 1)} "
        f"{listed([str(seed) for seed in found.seeds])}; {counted(topics, 'topic')}, the mean over seeds for each"
    )
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


def _outcome(
    found: CrossValidation,
    scores: Scores,
    tests: Sequence[Comparison | None],
    alpha: float,
    settings: Settings,
    output: Output,
) -> Outcome:
    means = scores.mean()
    bounds = scores.ci(1 - alpha, "t") if len(scores.topics) > 1 else None
    rows = [[run] for run in scores.runs]
    records: list[list[Cell]] = []
    fixed: list[Cell] = [settings.ranker, len(found.seeds), found.folds]
    for column, (measure, test) in enumerate(zip(scores.measures, tests, strict=True)):
        places = {} if test is None else {int(first): pair for pair, (first, _) in enumerate(test.pairs.tolist())}
        for run, name in enumerate(scores.runs):
            pair = places.get(run)
            between: list[Cell] = [None, None] if bounds is None else bounds[run, column].tolist()
            mark = " "
            tested: list[Cell] = [None] * 4
            if test is not None and pair is not None:
                difference, significant = float(test.difference[0, pair]), bool(test.significant[0, pair])
                tested = [difference, float(test.p[0, pair]), float(test.corrected[0, pair]), significant]
                mark = (BETTER if difference > 0 else WORSE) if significant else " "
            shown = output.number(float(means[run, column])) + mark
            rows[run].append(shown + _between(bounds, (run, column), output))
            value: list[Cell] = [name, str(measure), "mean", float(means[run, column]), *between]
            against = None if test is None or pair is None else test.baseline
            records.append([*value, against, *tested, len(scores.topics), "holm", alpha, *fixed])
    best = {(int(row), column + 1) for column, row in enumerate(means.argmax(0))} if len(rows) > 1 else set()
    return Outcome(
        [("", Grid(["trained for", *map(str, scores.measures)], rows, best=frozenset(best)))], FIELDS, records
    )


def _between(bounds: Array | None, at: tuple[int, int], output: Output) -> str:
    if bounds is None:
        return ""
    low, high = map(output.number, bounds[at].tolist())
    return f" [{low}, {high}]"


def _save(scores: Scores, place: str) -> None:
    """Write the scores of topics as ``compare --scores`` reads them."""
    if place.lower().endswith(".parquet"):
        scores.save(place)
        return
    form = next(name for name, (_, ending) in OUTCOME_FORMATS.items() if place.lower().endswith(ending))
    records: list[list[Cell]] = [
        [run, topic, str(measure), float(value)]
        for run, by_topic in zip(scores.runs, scores.values, strict=True)
        for topic, values in zip(scores.topics, by_topic, strict=True)
        for measure, value in zip(scores.measures, values.tolist(), strict=True)
    ]
    with whole_file(place) as file:
        write_outcome(Outcome([], ["run", "topic", "measure", "value"], records), form, file)


def _picture(found: CrossValidation, settings: Settings) -> Any:
    from gradeval.report.charts.curves import Line, curves_chart

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

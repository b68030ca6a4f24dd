"""``gradeval crossval``: does it matter what a ranker is trained for?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from gradeval._core import InputError
from gradeval.atomic_files import STANDARD
from gradeval.cli.declared_options import declared_by, declared_option, declared_options
from gradeval.cli.help_sections import HEADINGS, OF_RANKERS, SectionedCommand
from gradeval.cli.notices import print_notes, take_notes
from gradeval.cli.options import FILE, complete_measures, measures_option, refuse_overwriting, refuse_unused
from gradeval.cli.output import Output, outcome_options
from gradeval.cli.ranker_options import (
    DECLARED,
    Settings,
    columns_options,
    ranker_options,
    read_training_files,
    take_columns,
    weights_option,
)
from gradeval.features.feature_arrays import describe_columns
from gradeval.formula.definition import Measure
from gradeval.ltr.crossval_table import CrossValidation
from gradeval.ltr.crossvalidation import MEASURES, crossval
from gradeval.ltr.engine_trees import EngineObjective
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.messages import nearest
from gradeval.progress import show_progress
from gradeval.scores.presets import PRESETS, configure_measures
from gradeval.tables.format import FORMATS, choose_format
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

if TYPE_CHECKING:
    from gradeval.ltr import Training
    from gradeval.scores.scores import Empty, Scores

SCORES = tuple(FORMATS[name].ending for name in ("parquet", "tsv", "csv", "jsonl"))


@click.command(
    "crossval",
    cls=SectionedCommand,
    own=OF_RANKERS[0],
    sections=dict.fromkeys(["ranker", *DECLARED], OF_RANKERS[1])
    | dict.fromkeys(["columns", "leave_out", "weights", "empty"], HEADINGS[0]),
    epilog="""\b
Examples:
  gradeval crossval S?.txt --objective lambdarank:GAP --objective lambdarank:AP -m "GAP AP"
  gradeval crossval S?.txt --objective lambdarank:Q --objective lambdarank:AP --ranker tree --baseline lambdarank:AP
  gradeval crossval S1.txt S2.txt S3.txt S4.txt S5.txt \\
      --objective "lambdarank:GAP(g=[0.5,0.5])" --objective lambdarank:nDCG --objective lambdarank:AP \\
      -m "nDCG@10 AP P@10 GAP(g=[0.5,0.5])" --seeds 5 --save-scores scores.tsv --plot curves.svg
  gradeval crossval data.parquet --objective GAP --objective lightgbm:lambdarank --ranker tree \\
      --baseline lightgbm:lambdarank""",
)
@click.argument("parts", metavar="PARTS...", type=FILE, nargs=-1, required=True)
@declared_option(declared_by(crossval)["objectives"], "objectives", "--objective", metavar="OBJECTIVE", multiple=True)
@measures_option(MEASURES)
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Measures of -m and --validate-by as a community defines them (letor).",
)
@columns_options
@weights_option
@ranker_options
@declared_options(
    declared_by(crossval, CrossValidation.table),
    *"validate_by folds empty seeds baseline alpha jobs work".split(),
    validate_by={"shell_complete": complete_measures},
    seeds={"type": click.IntRange(1), "metavar": "N"},
    jobs={"default": 0},
)
@click.option(
    "--save-scores",
    type=FILE,
    metavar="FILE",
    help="Write the scores of all topics, as .parquet, .tsv, .csv or .jsonl. "
    "Tests of these with --scores do not count how trainings vary; crossval does.",
)
@outcome_options(digits=4)
def command(
    parts: tuple[str, ...],
    objectives: tuple[str, ...],
    measures: tuple[str, ...],
    preset: str | None,
    weights: str | None,
    validate_by: str | None,
    folds: int,
    seeds: int,
    baseline: str | None,
    empty: Empty,
    alpha: float,
    jobs: int,
    work: str | None,
    save_scores: str | None,
    **options: Any,
) -> None:
    """Train rankers for some objectives on folds of PARTS (LETOR text, Parquet, csv or tsv), and test them by measures.

    Fold 1 tests on the last part, validates on the one before and trains on the others; each fold moves on by one part;
    a single file is split into five. The table has a row for each training objective and a column for each test
    measure: the mean over all topics with its interval; * is the best. ▲ and ▼ are significantly better and worse than
    the baseline, by a paired t test with Holm's correction; without one ▼ is not the single best.
    Values are expected over the orders of equal scores.
    """
    settings = Settings.of(options, objectives)
    given, output = settings.with_categories(take_columns(options)), Output.of(options)
    written = [*(("-o", place) for place in output.output), ("--plot", output.plot), ("--save-scores", save_scores)]
    for option, place in written:
        if place is not None:
            refuse_overwriting(place, (*parts, *([] if weights is None else [weights]), *_models_in(work)), option)
    _require_scores(save_scores)
    _require_different(written)
    tested, notes = configure_measures(preset, measures or [MEASURES])
    validated_by = None if validate_by is None else _one_measure(preset, validate_by)
    take_notes(notes)
    settings.require_engine(keeps=work is not None)
    with require_engine("training"):
        parsed = settings.objectives(objectives)
    names = list(map(str, parsed))
    baseline = _known_baseline(baseline, names)
    print_notes(settings.notes)
    with output.open() as write:
        features, by_query_or_row = read_training_files(parts, weights, given)
        given.require_met()
        print_notes([Note.method(describe_columns(features[0].columns, features[0].categories))])
        if len(features) > 1:
            refuse_unused(["folds"], "is for a single file, and these are the folds")
        own = validated_by is None and any(isinstance(one, EngineObjective) for one in parsed)
        trainings = (len(tested) if own else 1) * len(parsed) * seeds * (len(features) if len(features) > 1 else folds)
        with (
            show_progress("training", "trainings", trainings) as bar,
            require_engine("training"),
            _say_how_to_go_on(work),
        ):
            validation = crossval(
                features,
                parsed,
                tested,
                settings.ranker_class,
                folds=folds,
                seeds=seeds,
                validate_by=validated_by,
                empty=empty,
                sample_weight=by_query_or_row,
                jobs=jobs,
                work=work,
                progress=lambda training, done, total: bar(done, total, _describe(training)),
                **settings.parameters,
            )
        table = validation.table(output.digits, baseline=baseline, alpha=alpha)
        print_notes(table.notes)
        if save_scores is not None:
            _save(validation.scores, save_scores)
        write(table, lambda: _draw(validation))


def _one_measure(preset: str | None, text: str) -> Measure:
    measures, _ = configure_measures(preset, text, pairs=False)
    if len(measures) != 1:
        raise InputError(f"--validate-by {text!r}: validation watches one measure; name one")
    return measures[0]


@contextmanager
def _say_how_to_go_on(work: str | None) -> Iterator[None]:
    """After an interruption, say how the cross-validation can be resumed."""
    try:
        yield
    except KeyboardInterrupt:
        if work is None:
            print_notes([Note.answer("nothing was kept; with --work FOLDER the same command would go on")])
        else:
            print_notes([Note.answer(f"{work} holds what is trained so far: the same command goes on from there")])
        raise


def _known_baseline(text: str | None, names: Sequence[str]) -> str | None:
    """The name of the baseline, however it was spelled."""
    if text is None:
        return None
    from gradeval.ltr.crossvalidation import parse_trained

    if len(names) < 2:
        raise InputError(f"--baseline {text}: there is nothing to test against it; give --objective another time")
    name = str(parse_trained(text))
    if name not in names:
        raise InputError(f"--baseline {text}: is none of the objectives{nearest(name, names)}: {', '.join(names)}")
    return name


def _models_in(work: str | None) -> list[str]:
    """The folders of the models that exist already, from which the command goes on."""
    if work is None or not os.path.isdir(work):
        return []
    return [entry.path for entry in os.scandir(work) if entry.is_dir()]


def _require_different(written: Sequence[tuple[str, str | None]]) -> None:
    named: dict[str, str] = {}
    for option, place in written:
        if place is None or place == STANDARD:
            continue
        first = named.setdefault(os.path.realpath(place), option)
        if first != option:
            raise InputError(f"{option} {place}: is where {first} goes; name another file")


def _require_scores(place: str | None) -> None:
    if place is None:
        return
    if not place.lower().endswith(SCORES):
        raise InputError(f"--save-scores {place}: does not end in one of {', '.join(SCORES)}; name the file so")
    if place.lower().endswith(".parquet"):
        from gradeval.tables.arrow import require_pyarrow

        require_pyarrow("--save-scores with .parquet needs")


def _describe(training: Training) -> str:
    valid = training.curve[training.best - 1].valid
    return f"{training.objective}, fold {training.fold}: {training.measure} {valid:.4f} on validation"


def _save(scores: Scores, place: str) -> None:
    """Write the scores of topics as ``compare --scores`` reads them."""
    if choose_format(place).name == "parquet":
        scores.save(place)
        return
    axes: dict[str, Sequence[Any]] = {"run": scores.runs, "topic": scores.topics, "measure": scores.measures}
    Table([], Records.over(axes, value=scores.values, seeds=scores.seeds)).save(place)


def _draw(validation: CrossValidation) -> Any:
    from gradeval.charts.learning_charts import crossvalidation_chart

    return crossvalidation_chart(validation)

"""``gradeval train``: train a ranker for any measure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from gradeval._core import InputError
from gradeval.arguments import read_fields
from gradeval.atomic_files import STANDARD
from gradeval.cli.declared_options import declared_by, declared_options
from gradeval.cli.help_sections import HEADINGS, OF_RANKERS, SectionedCommand
from gradeval.cli.notices import print_notes, take_notes
from gradeval.cli.options import FILE, complete_measures, digits_option, notes_option, refuse_overwriting, refuse_unused
from gradeval.cli.output import Output, format_option, plot_option
from gradeval.cli.ranker_options import (
    DECLARED,
    Settings,
    columns_options,
    ranker_options,
    read_feature_files,
    read_training_files,
    take_columns,
    weights_option,
)
from gradeval.features.feature_arrays import describe_columns
from gradeval.features.features import Features
from gradeval.files.feature_columns import FeatureColumns
from gradeval.files.input_formats import file_of
from gradeval.files.plain_text import read_decimal
from gradeval.ltr.data.task import describe_overlap
from gradeval.ltr.data.trainable import describe_unlearnable
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.kinds import ranker_class, require_engine
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.messages import plural
from gradeval.progress import show_progress
from gradeval.synonyms import SPLIT
from gradeval.warning_categories import Note

if TYPE_CHECKING:
    from gradeval.formula.arithmetic import Array
    from gradeval.ltr import Epoch

CHECKPOINT = ".checkpoint"


@click.command(
    "train",
    cls=SectionedCommand,
    own=OF_RANKERS[0],
    sections=dict.fromkeys(["ranker", *DECLARED], OF_RANKERS[1])
    | dict.fromkeys(["valid_files", "columns", "leave_out", "weights", "clicks", "position"], HEADINGS[0])
    | {"model": HEADINGS[3]},
    epilog="""\b
Examples:
  gradeval train S1.txt S2.txt S3.txt --valid S4.txt --objective "lambdarank:GAP(g=[0.5,0.5])" -o gap-trees
  gradeval train train.txt --valid valid.txt --objective softrank:nDCG --ranker neural --hidden 20 -o ndcg-neural
  gradeval train train.txt --valid valid.txt --objective lambdarank:Q --ranker tree -o q-trees --plot curve.svg
  gradeval train train.txt --valid valid.txt --objective lambdarank:Q --ranker tree -o q-trees --resume
  gradeval train train.txt --valid valid.txt --objective GAP --ranker auto -o chosen
  gradeval train train.txt --valid valid.txt --objective listnet --validate-by nDCG@10 -o baseline
  gradeval train shown.txt --clicks clicks.tsv --objective lambdarank:AP --ranker tree -o from-clicks
  gradeval rank q-trees test.txt -o q-trees.run""",
)
@click.argument("train_files", metavar="TRAIN...", type=FILE, nargs=-1, required=True)
@click.option(
    "--valid",
    "valid_files",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Validation data, by which training stops and keeps the best epoch; may be repeated.  [default: none]",
)
@declared_options(read_fields(Ranker), "objective", objective={"metavar": "OBJECTIVE"})
@click.option(
    "-o", "--output", "model", metavar="MODEL", help="Folder of the model; a model that is there is replaced."
)
@declared_options(declared_by(Ranker.fit), "resume", "validate_by", validate_by={"shell_complete": complete_measures})
@columns_options
@weights_option
@click.option(
    "--clicks",
    type=FILE,
    metavar="FILE",
    help="Learn from clicks on the documents of TRAIN. A tsv of session, topic, document, rank, click, corrected for "
    "the ranks at which they were shown; the grades of TRAIN count for nothing.",
)
@click.option(
    "--position",
    metavar="COLUMN",
    help="Column of TRAIN with the position at which each document was shown. Grades are clicks, and corrected for it.",
)
@declared_options(declared_by(Ranker.fit), "init_model")
@ranker_options
@declared_options(read_fields(Ranker), "seed")
@format_option("Format of the report; tsv, csv and jsonl hold the learning curve.")
@plot_option("Draw the learning curve")
@digits_option(4, "table, markdown and latex")
@notes_option
def command(
    train_files: tuple[str, ...],
    valid_files: tuple[str, ...],
    objective: str,
    model: str | None,
    resume: bool,
    validate_by: str | None,
    weights: str | None,
    clicks: str | None,
    position: str | None,
    init_model: str | None,
    seed: int,
    form: str | None,
    plot: str | None,
    digits: int,
    **options: Any,
) -> None:
    """Train a ranker on the features of TRAIN (LETOR text, Parquet, csv or tsv) for any graded measure.

    The report tells which epoch was kept; as tsv, csv or jsonl it is the learning curve, of --ranker auto what was
    tried. Validation is expected over the orders of equal scores; queries without relevant documents count 0. With -o a
    training that is killed leaves MODEL.checkpoint, from which --resume goes on and comes to the same model.
    """
    settings = Settings.of(options, [objective])
    given = settings.with_categories(take_columns(options))
    output = Output.of({"form": form, "output": [STANDARD], "plot": plot, "digits": digits})
    for place in valid_files:
        if 0 < read_decimal(place) < 1 and not os.path.exists(place):
            raise InputError(f"--valid {place}: is a share, where a file is expected; {SPLIT}")
    inputs = (*train_files, *valid_files, *(place for place in (weights, clicks) if place is not None))
    _require(model, resume, validate_by, inputs, holds_out=settings.ranker_class.holds_out)
    if clicks is not None:
        refuse_unused(["position", "weights"], "is for the rows of TRAIN, and with --clicks these are the pages shown")
    option = "--clicks" if clicks is not None else "--position"
    if (clicks, position) != (None, None) and not settings.ranker_class.takes_positions:
        raise InputError(f"{option} has no effect on --ranker {settings.ranker}; take --ranker tree")
    if init_model is not None and settings.ranker_class is not ranker_class("tree"):
        raise InputError(f"--init-model has no effect on --ranker {settings.ranker}; take --ranker tree")
    if model is not None:
        refuse_overwriting(os.path.normpath(model) + CHECKPOINT, inputs, f"-o {model}:")
    if plot is not None:
        refuse_overwriting(plot, inputs if model is None else (*inputs, model), "--plot")
    settings.require_engine(keeps=model is not None)
    with require_engine("training"):
        from gradeval.ltr.rankers.trees import TreeRanker

        ranker = settings.ranker_class(
            Objective.parse(objective, **settings.of_objective), seed=seed, **settings.parameters
        )
    print_notes(settings.notes)
    with output.open() as write:
        training, validation, shown, weighted = _data(train_files, valid_files, clicks, position, weights, given)
        validation_measure = _validation_measure(ranker, validate_by)
        checkpoint = None if model is None else os.path.normpath(model) + CHECKPOINT
        take_notes(_about_start(model, checkpoint, resume))
        overlap = describe_overlap(training, validation)
        doubts = [*filter(None, [overlap]), *describe_unlearnable(training, validation)]
        print_notes([Note.method(describe_columns(training.columns, training.categories)), *doubts])
        epochs = ranker.most_epochs
        with (
            show_progress("training", "epochs", epochs) as bar,
            require_engine("training"),
            _say_how_to_resume(checkpoint),
        ):
            ranker.fit(
                training,
                validation,
                None if validation is None and not ranker.holds_out else validation_measure,
                sample_weight=weighted,
                position=shown,
                init_model=None if init_model is None else TreeRanker.load(init_model),
                progress=lambda epoch: bar(epoch.number, epochs, _describe(epoch, validation_measure)),
                checkpoint=checkpoint,
                resume=resume,
            )
        if model is not None:
            with require_engine("training"):
                ranker.save(model)
            with suppress(OSError):
                os.unlink(str(checkpoint))
        table = ranker.report.table(output.digits)
        print_notes([*_notes(ranker, model), *table.notes])
        write(table, lambda: _draw(ranker))


def _about_start(model: str | None, checkpoint: str | None, resume: bool) -> Iterator[str]:
    """Where a training begins, if that may be unexpected."""
    if model is None or checkpoint is None:
        return
    if os.path.exists(checkpoint):
        if not resume:
            yield f"{checkpoint} is of a training that was interrupted; this one begins anew (--resume goes on)"
    elif resume:
        done = f"; it replaces {model}, which is trained to its end" if os.path.exists(model) else ""
        yield f"there is no {checkpoint} to go on from: the training begins at the beginning{done}"


@contextmanager
def _say_how_to_resume(checkpoint: str | None) -> Iterator[None]:
    """After an interruption, say how the training can be resumed."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is not None and os.path.exists(checkpoint):
            print_notes(
                [Note.answer(f"{checkpoint} holds what is trained so far: the same command with --resume goes on")]
            )
        raise


def _require(
    model: str | None, resume: bool, validate_by: str | None, inputs: tuple[str, ...], *, holds_out: bool
) -> None:
    """Refuse before the training what would fail after it."""
    if resume and model is None:
        raise InputError("--resume goes on from MODEL.checkpoint; name the model: -o MODEL")
    validates = bool(click.get_current_context().params["valid_files"]) or holds_out
    if validate_by is not None and not validates:
        raise InputError(f"--validate-by {validate_by} is what validation watches; give --valid FILE, too")
    if not validates:
        refuse_unused(["patience"], "waits for a better validation, and there is none without --valid FILE")
    if [file_of(place) for place in inputs].count(STANDARD) > 1:
        raise InputError("- -: standard input can be read once; name a file for the others")
    if model is None:
        return
    if model in ("", STANDARD):
        raise InputError(f"-o {model or repr(model)}: a model is a folder; name one, as in -o model")
    from gradeval.ltr.saving import require_replaceable_folder

    require_replaceable_folder(os.path.realpath(model), f"-o {model}")
    target = os.path.realpath(model) if os.path.islink(os.path.normpath(model)) else os.path.normpath(model)
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise InputError(f"-o {model}: there is no folder {folder} to make it in; create it first")
    if not os.access(folder, os.W_OK):
        raise InputError(f"-o {model}: nothing can be written to {folder}; choose another place")


def _data(
    train_files: tuple[str, ...],
    valid_files: tuple[str, ...],
    clicks: str | None,
    position: str | None,
    weights: str | None,
    given: FeatureColumns,
) -> tuple[Features, Features | None, Array | None, list[float] | None]:
    """The training data, the validation data, the positions at which the training data was shown, and its weights."""
    from gradeval.ltr.data.clicked_pages import ClickedPages, take_column

    parts, weighted = read_training_files(train_files, weights, given, clicked=clicks is not None)
    train, shown = Features.concat(parts), None
    of_valid = replace(given, categories=train.categories)
    if position is not None:
        train, shown = take_column(train, position)
        of_valid = replace(of_valid, leave_out=(*given.leave_out, position))
    valid = Features.concat(read_feature_files(valid_files, of_valid, train.columns)) if valid_files else None
    given.require_met()
    if clicks is not None:
        from gradeval.files.click_log import read_clicks

        log = read_clicks(clicks)
        pages = ClickedPages.of(train, log)
        queries, rows = plural(len(pages.features.topics), "page"), plural(len(pages.features), "document")
        take_notes([*filter(None, [log.about_ranks]), f"{queries} with a click, of {rows}"])
        if pages.unknown:
            has = "has" if pages.unknown == 1 else "have"
            take_notes([f"{plural(pages.unknown, 'document')} shown {has} no features in {train.name}: left out"])
        return pages.features, valid, pages.position, None
    return train, valid, shown, weighted


def _validation_measure(ranker: Ranker, validate_by: str | None) -> Any:
    from gradeval.formula.spelling import parse_measure

    return ranker.objective.measure if validate_by is None else parse_measure(validate_by)


def _describe(epoch: Epoch, measure: Any) -> str:
    if epoch.valid is None:
        return f"{epoch.objective:.4f} on the training queries"
    return f"{measure} {epoch.valid:.4f}"


def _notes(ranker: Ranker, model: str | None) -> list[Note]:
    notes: list[Note] = [Note.method(f"seed {ranker.seed}")]
    if ranker.objective.draws == "auto":
        notes.append(Note.method(f"draws {ranker.require_trained().objective['draws']}, chosen by validation"))
    if model is None:
        notes.append(Note("the model was not kept; -o MODEL keeps it"))
    if ranker.curve[-1].valid is None and not ranker.holds_out:
        notes.append(Note(f"without --valid nothing stops early: all {plural(len(ranker.curve), 'epoch')} are kept"))
    if len(ranker.curve) == ranker.most_epochs and ranker.best == len(ranker.curve) and ranker.curve[-1].valid:
        notes.append(Note(f"the last of {plural(len(ranker.curve), 'epoch')} is the best: more --epochs may be better"))
    return notes


def _draw(ranker: Ranker) -> Any:
    from gradeval.charts.learning_charts import learning_curve_chart

    return learning_curve_chart(ranker.learning_curve)

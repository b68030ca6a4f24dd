"""``gradeval explain``: a measure's documentation, parameters and a worked example; or what a ranker looks at."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from gradeval._core import InputError
from gradeval.arguments import parse_whole
from gradeval.cli.declared_options import declared_by, declared_options
from gradeval.cli.help_sections import HEADINGS, SectionedCommand
from gradeval.cli.notices import print_notes
from gradeval.cli.options import (
    FILE,
    complete_measures,
    join_lists,
    note_unused,
    number_option,
    read_columns,
    refuse_unused,
)
from gradeval.cli.output import Output, outcome_options
from gradeval.explanation.acting import MOST
from gradeval.explanation.explain import explain as explain_by_name
from gradeval.explanation.judge_statistics import EXPLAINED_WITH, STATISTICS, StatisticExplanation, explain_statistic
from gradeval.explanation.references import bibtex, cited_by, source_of
from gradeval.files.feature_columns import FeatureColumns
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import read_decimal
from gradeval.formula.spelling import parse_measure, split_measures
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.progress import show_progress
from gradeval.warning_categories import Note, NoteWeight

if TYPE_CHECKING:
    from gradeval.features.features import Features
    from gradeval.ltr.rankers.ranker import Ranker


def _complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Folders, measures and statistics whose names begin as typed."""
    statistics = [CompletionItem(name) for name in (*STATISTICS, *EXPLAINED_WITH) if name.startswith(incomplete)]
    return [CompletionItem(incomplete, type="dir"), *complete_measures(ctx, parameter, incomplete), *statistics]


ONLY_OF_MODELS = ("features", "columns", "leave_out", "by", "samples", "form", "output", "caption", "label", "digits")
"""The options that do nothing for measures; their help says so."""


@click.command(
    cls=SectionedCommand,
    own=HEADINGS[0],
    sections=dict.fromkeys(["experiment", "seed"], HEADINGS[1]),
    daily=["experiment", "grades", "pool", "bibtex", "seed", "features", "by", "form", "output"],
    epilog="""\b
Examples:
  gradeval explain nDCG
  gradeval explain "Q(beta=1)@10"
  gradeval explain "GAP(g=[0.1,0.9])"
  gradeval explain map_cut_100
  gradeval explain AP GAP nDCG@10 --bibtex >> paper.bib
  gradeval explain skill
  gradeval explain "xGAP(g=[0.5,0.5])" --experiment 10000 --seed 1
  gradeval explain "GAP(g=[0.2,0.8])" --grades 2,0,1,-,2 --pool 9,4,3
  gradeval explain gap-trees
  gradeval explain gap-trees --features S5.txt --by nDCG@10 -o importance.csv""",
)
@click.argument("measures", metavar="MEASURE...|MODEL", nargs=-1, required=True, shell_complete=_complete)
@number_option(
    "--experiment", 2, None, "Make the random experiment that defines AP, GAP, xGAP, eGAP or muAP N times.", MOST
)
@click.option(
    "--grades",
    metavar="LIST",
    help="A ranking of your own: its grades from rank 1 on. As in 3,0,2,-,1 (-: unjudged); its steps alone are shown.",
)
@click.option(
    "--pool", metavar="LIST", help="Documents that there are of each grade from 0 on, needs --grades.  [default: those]"
)
@click.option("--bibtex", is_flag=True, help="Print the texts behind the measures as entries of BibTeX, each once.")
@click.option(
    "--features",
    "features",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Documents with grades, to measure what features are worth on; may be repeated.",
)
@declared_options(
    declared_by(FeatureColumns.of),
    "columns",
    "leave_out",
    columns={"callback": read_columns, "metavar": "query=Q,doc=D,grade=G", "multiple": True},
    leave_out={"callback": join_lists, "multiple": True},
)
@click.option(
    "--by",
    metavar="MEASURE",
    shell_complete=complete_measures,
    help="Measure to rate features by, needs --features.  [default: the measure of the objective]",
)
@number_option("--samples", 1, 5, "Permutations of each feature.", 10_000)
@number_option("--seed", 0, 0, "Seed of the experiment, or of the permutations.")
@outcome_options(4, plot=False)
def explain(
    measures: tuple[str, ...],
    experiment: int | None,
    grades: str | None,
    pool: str | None,
    bibtex: bool,
    features: tuple[str, ...],
    columns: Columns | None,
    leave_out: tuple[str, ...] | None,
    by: str | None,
    samples: int,
    seed: int,
    **options: Any,
) -> None:
    """Explain measures: formula, conventions, source, parameters, and an example worked out on the spot.

    With --experiment: the steps of the random experiment whose expectation the measure is, a few draws in words, the
    share of draws that ended in 1 with its standard error, and the exact value. With --grades both are of your ranking.
    With --bibtex: entries of BibTeX alone; of several measures each entry once.

    MEASURE may be a statistic of 'gradeval judges', too: its meaning and source.

    Or explain MODEL, a folder that 'gradeval train' wrote: how important each feature is to it (gain and split of
    trees, the weight of a linear ranker, the largest slope of a network). With --features also by a measure: how much
    its mean falls when the values of the feature are permuted within each query; for trees the mean of absolute SHAP
    values, too. A folder that is called as a measure is: ./GAP.
    """
    measures = tuple(part for one in measures for part in _measures_of_text(one))
    models = [one for one in measures if explain_statistic(one) is None and not _is_spelled(one) and names_model(one)]
    if models:
        if measures[1:]:
            raise InputError(f"{models[0]} is a model, which is explained alone; leave out the rest")
        refuse_unused(["experiment", "grades", "pool", "bibtex"], "is about measures")
        output = Output.of(options, (*features, *files_of(models[0])))
        explain_model(models[0], features, FeatureColumns.of(columns, leave_out), by, samples, seed, output)
        return
    refuse_unused(ONLY_OF_MODELS, f"is for models alone, and {measures[0]} is none")
    if bibtex:
        refuse_unused(["experiment", "grades", "pool", "seed"], "does nothing where --bibtex prints texts to cite")
        click.echo(_entries_of(measures))
        return
    if experiment is None:
        note_unused(["seed"], "does not apply without --experiment")
    if grades is None:
        refuse_unused(["pool"], "needs --grades, the ranking that the documents are of")
    own = None if grades is None else [_read_grade(grades, part.strip()) for part in grades.split(",")]
    counts = None if pool is None else [parse_whole(part.strip()) for part in pool.split(",")]
    explained = [explain_by_name(one, experiment=experiment, seed=seed, grades=own, pool=counts) for one in measures]
    click.echo("\n\n".join(map(str, explained)))


for _option in explain.params:
    if isinstance(_option, click.Option) and _option.name in ONLY_OF_MODELS:
        _option.help = f"MODEL: {_option.help}"


def _entries_of(measures: Sequence[str]) -> str:
    """The entries of BibTeX of some measures, each once; a note names measures without any where others have some."""
    keys: list[str] = []
    without: list[str] = []
    for name in measures:
        explained = explain_by_name(name)
        if isinstance(explained, StatisticExplanation):
            raise InputError(f"--bibtex has the texts of measures, and {name} is a statistic of judges; leave it out")
        keys += cited_by(explained.measure)
        if not explained.bibtex:
            source = source_of(explained.measure).rstrip(".")
            without.append(f"{explained.measure} has no entry of BibTeX; its source is {source}")
    if not (entries := bibtex(keys)):
        raise InputError("; ".join(without))
    print_notes([Note(text, own_weight=NoteWeight.OMISSION) for text in without])
    return entries


def _read_grade(text: str, part: str) -> float | None:
    """A grade of a list; None for what nobody judged."""
    grade = None if part == "-" else read_decimal(part)
    if grade is not None and math.isnan(grade):
        raise InputError(f"--grades {text}: {part!r} is not a grade; accepted: a list as in 3,0,2,-,1 (-: unjudged)")
    return grade


def _measures_of_text(text: str) -> list[str]:
    """The measures of a text with several, as -m takes them; any other text as it is."""
    parts = split_measures(text) if any(map(str.isspace, text)) or "," in text else []
    return parts if parts and all(map(_is_spelled, parts)) else [text]


def _is_spelled(text: str) -> bool:
    """Whether a text is a measure."""
    try:
        parse_measure(text)
    except InputError:
        return False
    return True


def names_model(place: str) -> bool:
    """Whether a place is the folder of a model, told by a card in it, which may be damaged."""
    from gradeval.ltr.saving import CARD

    return os.path.isfile(os.path.join(place, CARD))


def explain_model(
    model: str, files: Sequence[str], given: FeatureColumns, by: str | None, samples: int, seed: int, output: Output
) -> None:
    """Print the importance of each feature of a model, with data also by what a measure loses without it."""
    if not files:
        without = "needs data to measure on, and there are none without --features FILE"
        refuse_unused(["columns", "leave_out", "by", "samples"], without)
    measure = None if by is None else parse_measure(by)
    with output.open() as write, show_progress("permuting", "features") as bar:
        ranker, features = load_explained(model, files, given)
        given.require_met()
        from gradeval.ltr.importance import feature_importance

        explained = feature_importance(
            ranker, features, measure if files else None, samples=samples, seed=seed, progress=bar
        )
        table = explained.table(output.digits)
        print_notes(table.notes)
        write(table, lambda: None)


def load_explained(model: str, files: Sequence[str], given: FeatureColumns) -> tuple[Ranker, Features | None]:
    """A ranker from its folder, and the features of files as it was trained on them; ``given``: their columns."""
    with require_engine(f"explaining {model}"):
        # Here, as it imports torch: reports and measures need none.
        from gradeval.cli.ranker_options import match_features, read_feature_files
        from gradeval.ltr.rankers.ranker import load_ranker

        ranker = load_ranker(model)
        if not files:
            return ranker, None
        card = ranker.require_trained()
        given = replace(given, categories=card.categories)
        parts = [match_features(part, ranker) for part in read_feature_files(files, given, card.columns)]
        return ranker, parts[0].concat(parts)


def files_of(model: str) -> list[str]:
    """The files in the folder of a model."""
    try:
        return [os.path.join(model, name) for name in sorted(os.listdir(model))]
    except OSError as error:
        why = f"cannot be read ({error.strerror}); a model is a folder that 'gradeval train' wrote"
        raise InputError(f"{model}: {why}") from None

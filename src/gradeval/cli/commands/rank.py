"""``gradeval rank``: let a trained ranker rank documents."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.cli.help_sections import HEADINGS, SectionedCommand
from gradeval.cli.notices import print_notes
from gradeval.cli.options import FILE, refuse_overwriting
from gradeval.cli.output import one_output_option
from gradeval.cli.ranker_options import columns_options, match_features, take_columns
from gradeval.files.plain_text import BLANK, require_columns
from gradeval.files.readers import read_features
from gradeval.files.trec import write_rankings
from gradeval.messages import plural

if TYPE_CHECKING:
    from gradeval.features.features import Features
    from gradeval.formula.arithmetic import Array


@click.command(
    cls=SectionedCommand,
    own=HEADINGS[0],
    sections={"columns": HEADINGS[0]},
    epilog="""\b
Examples:
  gradeval rank gap-trees S5.txt -o gap-trees.run
  gradeval rank gap-trees S5.txt | gradeval evaluate letor:S5.txt - --preset letor
  gradeval rank gap-trees new.txt.gz --tag trees-v2 -o new.run""",
)
@click.argument("model", type=click.Path(readable=False))
@click.argument("features", type=FILE)
@one_output_option
@columns_options
@click.option("--tag", metavar="NAME", help="Name of the run, its last column.  [default: the name of the model]")
def rank(model: str, features: str, output: str, tag: str | None, **options: Any) -> None:
    """Rank the documents of FEATURES (LETOR, Parquet, csv or tsv) by a MODEL of 'gradeval train', as a TREC run.

    Grades are not needed: lines of LETOR text may lack them, tables the column. Topics and documents are the file's;
    documents without an id are called TOPIC-ROW, as in letor:FILE. The features must be those that the model was
    trained on; the last ones may be missing, they are 0 then.
    """
    if os.path.isfile(model):
        raise InputError(
            f"{model}: a file; name the folder of a model, which holds card.json (did you mean 'gradeval ranks', "
            "which compares runs?)"
        )
    said = take_columns(options)
    refuse_overwriting(output, [features, model])
    name = os.path.basename(os.path.abspath(model)) if tag is None else tag
    if not name or BLANK.search(name):
        called = f"the model is called {name!r}, which" if tag is None else f"--tag {tag!r}:"
        raise InputError(f"{called} would not be one column; give a name without blanks: --tag NAME")
    from gradeval.ltr.rankers.ranker import load_ranker

    ranker = load_ranker(model)
    card = ranker.require_trained()
    given = read_features(features, given=replace(said, wanted=card.columns, categories=card.categories))
    said.require_met()
    rows = match_features(given, ranker)
    scores = ranker.score(rows)
    tied = rows.count_ties(scores)
    if tied == len(rows) and len(given.columns) < len(rows.columns):
        raise InputError(
            f"{given.name}: has {len(given.columns)} of the {len(rows.columns)} features of {model}, and by these all "
            "documents have the score of another; give the features of the training"
        )
    if tied:
        share = f"{plural(tied, 'document')} of {len(rows)} share their score with another of their topic"
        print_notes([f"{share}; they stand in the order of {rows.name}, which evaluate keeps with --ties order"])
    write_ranking(rows, scores, name, output)


def write_ranking(features: Features, scores: Array, tag: str, path: str) -> None:
    """Write a run as TREC text: each topic by score descending, equal scores in the order of the rows, as LETOR."""
    docs = features.docs
    require_columns(features.topics, "topic", features.name)  # before any line goes to standard output
    require_columns(docs, "document", features.name)
    for topic, (begin, end) in zip(features.topics, pairwise(features.offsets.tolist()), strict=True):
        if (again := find_twice(docs[begin:end])) is not None:
            raise InputError(
                f"{features.name}: document {again!r} of topic {topic} is given twice; a run names it once per topic"
            )

    def ranked(begin: int, end: int) -> list[tuple[str, float]]:
        order = begin + np.argsort(-scores[begin:end], kind="stable")
        return [(docs[row], float(scores[row])) for row in order.tolist()]

    spans = zip(features.topics, pairwise(features.offsets.tolist()), strict=True)
    write_rankings(((topic, ranked(*span)) for topic, span in spans), path, tag)

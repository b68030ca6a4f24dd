"""``gradeval simulate users``: features of a collection, judged by its labels and by virtual users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from gradeval._core import InputError
from gradeval.cli.notices import tell
from gradeval.cli.options import (
    FILE,
    MOST_SAMPLES,
    choice_option,
    measures_option,
    name_option_in_errors,
    number_option,
    require_inputs,
    seed_option,
)
from gradeval.cli.output import Output, outcome_options
from gradeval.formula.spelling import parse_measures
from gradeval.progress import show_progress
from gradeval.scores.scores import Empty

if TYPE_CHECKING:
    from gradeval.features.features import Features
    from gradeval.papers.user_study import User


@click.command(
    short_help="Measure rankings by the eyes of virtual users.",
    epilog="""\b
Examples:
  gradeval simulate users ohsumed/S?.txt --plot users.svg
  gradeval simulate users train.txt --strategies 1,2,3,4 --users 4:2,4:5,4:50
  gradeval simulate users ohsumed/S?.txt -m "AP GAP Q ERR muAP NDCNG\"""",
)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILES...")
@measures_option("muAP, nDCG(dcg='exp-log2'), NDCNG, and the means of the last two over all cutoffs")
@click.option(
    "--strategies",
    default="1,5,9,11,15,19,21,22",
    show_default=True,
    metavar="LIST",
    help="Features that rank the documents, each by itself.",
)
@click.option(
    "--users",
    default="1:ranks,9:values",
    show_default=True,
    metavar="LIST",
    help="Features taken for grades: FEATURE or FEATURE:values as they are, FEATURE:ranks by their rank among the "
    "distinct values, FEATURE:N on a scale of N grades.",
)
@choice_option(
    "--empty",
    Empty,
    "Topics in which nothing is relevant, or nothing from a threshold on, count 0, are left out, or count 1.",
)
@number_option("--samples", 2, 2000, "Resamples of the topics, for the intervals.", MOST_SAMPLES)
@seed_option("Seed of the resamples.")
@outcome_options(digits=3)
def users(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    strategies: str,
    users: str,
    empty: Empty,
    samples: int,
    seed: int,
    **options: Any,
) -> None:
    """Rank documents by single features, and measure that against the labels and against virtual users.

    A virtual user is a feature whose values are taken for grades: more of them than any person gives. A measure that
    does not depend on the number of grades says the same for users who think alike. After Scheel, Lommatzsch &
    Albayrak (2011), figures 6 to 8; their choice for OHSUMED of LETOR 2.0 is the default.

    FILES are the parts of one collection in LETOR's format. Intervals hold 95% of the means over resampled topics. The
    last table is Pearson's correlation of the users' grades. tsv, csv and jsonl hold more measures, and AP for every
    grade of a user as the threshold.
    """
    from gradeval.papers.user_study import study_users

    output = Output.of(options, files)
    chosen = parse_measures(measures) if measures else None
    with output.open() as write:
        features = _read(files)
        ranked = [name.strip() for name in strategies.split(",")]
        _require(ranked, f"--strategies {strategies}", features)
        virtual = list(_users(users, features))
        with show_progress("judging", "topics") as progress:
            study = study_users(
                features, virtual, ranked, measures=chosen, empty=empty, samples=samples, seed=seed, progress=progress
            )
        tell(study.notes)
        write(study.table(output.digits), lambda: study.plot().altair)


def _read(files: Sequence[str]) -> Features:
    from gradeval.features.features import Features
    from gradeval.files.places import read_features

    require_inputs(files)
    parts = [read_features(place) for place in files]
    return Features.concat(parts, name=parts[0].name + (f" and {len(parts) - 1} more" if parts[1:] else ""))


def _users(text: str, features: Features) -> Iterator[User]:
    """The users of --users."""
    from gradeval.papers.user_study import User

    for part in (part.strip() for part in text.split(",")):
        _require([part.rsplit(":", 1)[0]], f"--users {text}", features)
        with name_option_in_errors("--users", text):
            user = User.parse(part)
        yield user


def _require(names: Sequence[str], option: str, features: Features) -> None:
    """Refuse what is no feature of the files."""
    columns = features.columns
    for name in names:
        if name not in columns:
            raise InputError(
                f"{option}: {features.name} has no feature {name!r} among its {len(columns)} "
                f"({columns[0]} to {columns[-1]}); name others, as in {','.join(columns[:3])}"
            )

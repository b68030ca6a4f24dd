"""``gradeval simulate users``: features of a collection, judged by its labels and by virtual users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from gradeval._core import InputError
from gradeval.cli.notices import list_some, plural, tell
from gradeval.cli.options import (
    FILE,
    MOST_SAMPLES,
    choice_option,
    measures_option,
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
    from gradeval.papers.user_study import User, UserStudy

KINDS = "FEATURE or FEATURE:values, FEATURE:ranks, or FEATURE:N with a number of grades N from 2"


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
        tell(_notes(features, study))

        def draw() -> Any:
            from gradeval.charts.users_chart import users_chart

            return users_chart(study)

        write(study.table(output.digits), draw)


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
        feature, kind = part.rsplit(":", 1) if ":" in part else (part, "values")
        _require([feature], f"--users {text}", features)
        if kind in ("values", "ranks"):
            yield User(feature, kind)
        elif kind.isascii() and kind.isdecimal() and 2 <= int(kind) < 2**31:
            yield User(feature, int(kind))
        else:
            raise InputError(f"--users {text}: {part!r} ends in {kind!r}; accepted: {KINDS}")


def _require(names: Sequence[str], option: str, features: Features) -> None:
    """Refuse what is no feature of the files."""
    columns = features.columns
    for name in names:
        if name not in columns:
            raise InputError(
                f"{option}: {features.name} has no feature {name!r} among its {len(columns)} "
                f"({columns[0]} to {columns[-1]}); name others, as in {','.join(columns[:3])}"
            )


def _notes(features: Features, study: UserStudy) -> Iterator[str]:
    from gradeval.papers.user_study import COUNT, SIDES

    count = COUNT[study.judgments[0].policy]
    topics = len(features.topics)
    size = f"{plural(topics, 'topic')}, {plural(len(features), 'document')}"
    yield f"{features.name}: {size}; intervals: {plural(study.samples, 'sample')}, seed {study.seed}"
    if study.constant:
        have = "has" if len(study.constant) == 1 else "have"
        which = f"{'feature' if have == 'has' else 'features'} {list_some(study.constant)}"
        yield f"{which} {have} one value throughout every topic: documents stay in the order of the file"
    for judgment in study.judgments:
        if judgment.empty:
            yield f"{judgment.user}: nothing is relevant in {judgment.empty} of {topics} topics; they {count}"
        if len(judgment.thresholds) <= SIDES and judgment.without[-1] > judgment.empty:
            lacking = f"{judgment.without[-1]} of {topics} topics have nothing of grade {judgment.thresholds[-1]:g}"
            yield f"{judgment.user}, AP by threshold: {lacking}; topics without a grade {count} there (--empty)"
        if judgment.flat:
            flat = f"{judgment.flat} of {topics} topics"
            yield f"{judgment.user}: all documents have one positive grade in {flat}; they count 1"

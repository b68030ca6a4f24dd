"""``gradeval simulate clicks``: draw sessions of users who look at a ranking and click."""

from __future__ import annotations

import click

from gradeval.cli.options.inputs import refuse_overwriting, require_inputs
from gradeval.cli.options.options import FILE, number_option, seed_option
from gradeval.cli.options.outcome import output_option
from gradeval.cli.options.reading import Reading, levels_option, read_judgments, recode_option
from gradeval.cli.options.values import name_option_in_errors, parse_numbers
from gradeval.cli.screen.notices import plural, tell
from gradeval.formats.places import open_run
from gradeval.formats.text.clicks import write_clicks
from gradeval.studies.clicks.sessions import simulate_clicks


@click.command(
    "clicks",
    short_help="Draw clicks of users on a run.",
    epilog="""\b
Examples:
  gradeval simulate clicks qrels.txt runs/elm.txt -o clicks.tsv
  gradeval simulate clicks qrels.txt runs/elm.txt --g 0.2,0.3,0.5 --slips 0.05 | gradeval clicks - qrels.txt""",
)
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option(
    "--g", metavar="LIST", help="The share of users whose threshold each positive grade is.  [default: uniform]"
)
@number_option("--sessions", 1, 10_000, "Sessions, one user and one topic each.")
@number_option("--depth", 1, 10, "Documents that a session shows.")
@click.option(
    "--bias",
    type=click.FloatRange(0, 100),
    default=1.0,
    show_default=True,
    metavar="X",
    help="Rank r is looked at with probability 1/r^X.",
)
@click.option(
    "--slips",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="Of what is looked at and not relevant to the user, how much is clicked on.",
)
@seed_option("The same seed draws the same clicks.")
@levels_option
@recode_option
@output_option
def command(
    qrels: str,
    run: str,
    g: str | None,
    sessions: int,
    depth: int,
    bias: float,
    slips: float,
    seed: int,
    levels: tuple[float, ...] | None,
    recode: dict[float, float],
    output: str,
) -> None:
    """Draw sessions of users on RUN: tsv with the columns session, topic, document, rank, click.

    A user finds relevant what reaches the own threshold (--g), looks at rank r with probability 1/r^bias, and clicks on
    what is looked at and relevant. Unjudged documents are of grade 0.
    """
    require_inputs([qrels, run])
    refuse_overwriting(output, [qrels, run])
    users = parse_numbers("--g", g, "shares as in 0.2,0.8") if g is not None else None
    judgments, notes = read_judgments(qrels, Reading(levels=levels, recode=recode))
    tell(notes)
    with name_option_in_errors("--g", g):
        clicks = simulate_clicks(
            judgments, open_run(run), g=users, sessions=sessions, depth=depth, bias=bias, slips=slips, seed=seed
        )
    write_clicks(clicks, output)
    size = f"{plural(sessions, 'session')}, {plural(len(clicks), 'document')} shown"
    tell([f"{size}, {plural(int(clicks.click.sum()), 'click')}, seed {seed}"])

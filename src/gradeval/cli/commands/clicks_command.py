"""``gradeval clicks``: which share of users finds documents relevant from each grade on, read off their clicks."""

from __future__ import annotations

from typing import Any

import click

from gradeval.cli.inputs import require_inputs
from gradeval.cli.notices import tell
from gradeval.cli.options import FILE, MOST_SAMPLES, choice_option, number_option, seed_option
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.reading import Reading, levels_option, read_judgments, recode_option
from gradeval.files.click_log import read_clicks
from gradeval.studies.clicks import Estimator, estimate_g


@click.command(
    "clicks",
    epilog="""\b
Examples:
  gradeval clicks clicks.tsv qrels.txt
  gradeval simulate clicks qrels.txt runs/elm.txt --g 0.2,0.3,0.5 | gradeval clicks - qrels.txt
  gradeval clicks clicks.tsv qrels.txt --estimator click-share
  gradeval clicks clicks.tsv.gz qrels.txt --recode 3=2 --plot users.svg""",
)
@click.argument("log", metavar="CLICKS", type=FILE)
@click.argument("qrels", type=FILE)
@choice_option(
    "--estimator",
    Estimator,
    "Shares of users by a model of which ranks are looked at; or shares of clicks by grade, as Robertson et al. write.",
)
@number_option("--samples", 20, 1000, "Bootstrap samples of the sessions, for the intervals.", MOST_SAMPLES)
@seed_option("Seed of the bootstrap.")
@levels_option
@recode_option
@outcome_options(digits=4)
def command(
    log: str,
    qrels: str,
    estimator: Estimator,
    samples: int,
    seed: int,
    levels: tuple[float, ...] | None,
    recode: dict[float, float],
    **options: Any,
) -> None:
    """Estimate from CLICKS which share of users finds documents relevant from each grade of QRELS on: the g of GAP.

    CLICKS is a tsv with the header session, topic, document, rank, click: a line for each document shown to a user,
    click 1 or 0. Position bias is divided out by a position-based model (EM); the top grade is taken to be relevant to
    all; clicks that do not fit that model are refused. The last note is the measure to go on with. Intervals hold all
    shares at once with 95% confidence.
    """
    output = Output.of(options, [log, qrels])
    require_inputs([log, qrels])
    with output.open() as write:
        clicks = read_clicks(log)
        judgments, notes = read_judgments(qrels, Reading(levels=levels, recode=recode))
        tell(notes)
        users = estimate_g(clicks, judgments, estimator=estimator, samples=samples, seed=seed)
        tell(users.notes)

        def draw() -> Any:
            from gradeval.charts.clicked_users_chart import clicked_users_chart

            return clicked_users_chart(users)

        write(users.table(output.digits), draw)

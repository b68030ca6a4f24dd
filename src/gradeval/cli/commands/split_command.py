"""``gradeval split``: a log of ratings as a part to train from and one to test with."""

from __future__ import annotations

from typing import Any

import click

from gradeval.cli.help_sections import HEADINGS, SectionedCommand
from gradeval.cli.notices import print_notes
from gradeval.cli.options import FILE, number_option, refuse_overwriting, require_inputs
from gradeval.files.rating_log import split_log
from gradeval.warning_categories import Note


@click.command(
    cls=SectionedCommand,
    own=HEADINGS[0],
    sections=dict.fromkeys(["train", "test"], HEADINGS[3]) | dict.fromkeys(["user", "time"], HEADINGS[2]),
    epilog="""\b
Examples:
  gradeval split ratings.csv --train train.csv --test test.csv --last 1
  gradeval split ratings.dat --train train.dat --test test.dat --share 0.2
  gradeval split u.data --train u.train --test u.test --share 0.2 --random --seed 7""",
)
@click.argument("log", type=FILE)
@click.option("--train", type=FILE, required=True, metavar="FILE", help="Write the lines to train from here.")
@click.option("--test", type=FILE, required=True, metavar="FILE", help="Write the lines to test with here.")
@number_option("--last", 1, None, "Test with the last N lines of each user. Users with no more are for training only.")
@click.option("--share", type=float, metavar="X", help="Test with this share of the lines of each user, the last ones.")
@click.option("--random", "at_random", is_flag=True, help="Draw the lines of --share instead.")
@number_option("--seed", 0, 0, "The seed of --random.")
@click.option("--user", metavar="NAME", help="The column of the users; without a header its number from 1.")
@click.option("--time", metavar="NAME", help="The column of the times; without a header its number from 1.")
def split(log: str, train: str, test: str, **settings: Any) -> None:
    """Split LOG, ratings with their times, into two files of its lines; leave the last out, or a share of each user.

    LOG has columns user, item, rating, time, with names or without. The lines stay as they are, with the header in both
    files. 'gradeval evaluate TEST PREDICTIONS' scores what was predicted for the test part. Each user is in both parts.
    Tables of queries are refused, as rankers need queries whole: 'gradeval crossval' does that.
    """
    require_inputs([log])
    for option, output in (("--train", train), ("--test", test)):
        refuse_overwriting(output, [log], option)
    print_notes([Note.answer(str(split_log(log, train=train, test=test, **settings)))])

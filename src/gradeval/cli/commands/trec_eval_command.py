"""``gradeval trec_eval``: the options of trec_eval, and its output byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import click
from click.shell_completion import CompletionItem

from gradeval._core import InputError
from gradeval.atomic_files import whole_file
from gradeval.cli.help_sections import SectionedCommand
from gradeval.cli.notices import print_notes
from gradeval.cli.options import FILE, number_option, refuse_overwriting, require_inputs
from gradeval.cli.output import one_output_option
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.compat.trec_eval import Options, Version, print_trec_eval, read_reference
from gradeval.compat.trec_eval_judges import print_averages, read_judges
from gradeval.compat.trec_eval_measures import MEASURES, NICKNAMES
from gradeval.files.readers import read_qrels, read_run
from gradeval.messages import list_some, plural
from gradeval.scores.notes import about_reading
from gradeval.version import __version__

REMOVE = "-remove-unjudged"
"""As Pyserini spells it: with one dash, which click would read as many options."""


class TrecEval(SectionedCommand):
    """A command that reads Pyserini's ``-remove-unjudged``, too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        return super().parse_args(ctx, [f"-{word}" if word == REMOVE else word for word in args])


def complete_names(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of measures that begin as typed, for completion in a shell."""
    return [CompletionItem(name) for name in [*NICKNAMES, *MEASURES] if name.startswith(incomplete)]


@click.command(
    name="trec_eval",
    cls=TrecEval,
    epilog="""\b
Examples:
  gradeval trec_eval qrels.txt runs/elm.txt
  gradeval trec_eval -q -c -M 1000 qrels.txt runs/elm.txt
  gradeval trec_eval -m map -m ndcg_cut.10,20 -m P.5 -l 2 qrels.txt runs/elm.txt
  gradeval trec_eval -m all_trec --preset trec9 qrels.txt runs/elm.txt -o elm.eval
  gradeval trec_eval -R qrels_jg judges.txt runs/elm.txt
  gradeval trec_eval -m ndcg_cut.10 -m judged.10 -remove-unjudged qrels.txt runs/elm.txt

Several runs, intervals, tables and other measures: 'gradeval evaluate'.""",
)
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option("-q", "--query_eval_wanted", "by_topic", is_flag=True, help="Print the values of every topic, too.")
@click.option(
    "-n",
    "--nosummary",
    "summary",
    is_flag=True,
    default=True,
    flag_value=False,
    help="Leave out the values over all topics.",
)
@click.option(
    "-c",
    "--complete_rel_info_wanted",
    "complete",
    is_flag=True,
    help="Average over all topics of QRELS; those that the run misses count 0.",
)
@number_option("-l --level_for_rel level", 1, 1, "Documents are relevant from this grade on.")
@number_option("-M --Max_retrieved_per_topic depth", 1, None, "Only the first N documents of each topic.")
@click.option("-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Leave documents without a judgment out.")
@click.option(
    "-N",
    "--Number_docs_in_coll",
    "documents",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Documents of the collection, for utility.",
)
@click.option(
    "-m",
    "--measure",
    "names",
    multiple=True,
    metavar="NAME[.VALUES]",
    shell_complete=complete_names,
    help="official, set, all_trec, or a measure, as in P.5,10; may be repeated.  [default: official]",
)
@click.option(
    "-R",
    "--Rel_info_format",
    "relation",
    callback=lambda _, __, relation: _require_relation(relation),
    default="qrels",
    show_default=True,
    metavar="[qrels|qrels_jg]",
    help="What QRELS holds: grades, or grades of several judges. Their names stand in the second column.",
)
@click.option(
    "-Z",
    "--Zscore",
    "zscores",
    type=FILE,
    metavar="FILE",
    help="Print how many standard deviations values differ from the means in FILE. Its lines: topic name mean "
    "deviation.",
)
@click.option(
    "-T",
    "--Results_format",
    type=click.Choice(["trec_results"]),
    expose_value=False,
    help="Taken as by trec_eval, without effect.",
)
@click.option("-D", "--Debug_level", type=int, expose_value=False, metavar="N", help="Read, and without effect.")
@click.option(
    "-v",
    "--version",
    "tell_version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: _print_version(ctx) if wanted else None,
    help="Print which version of trec_eval this is.",
)
@click.option(f"-{REMOVE}", "remove_unjudged", is_flag=True, help="Pyserini's: remove unjudged documents first.")
@click.option(
    "--preset",
    "version",
    type=click.Choice(get_args(Version)),
    default="trec",
    show_default=True,
    help="trec_eval 10; 9: ties in single precision, recall levels otherwise; 9 on arm64.",
)
@one_output_option
def trec_eval(
    qrels: str, run: str, names: tuple[str, ...], output: str, relation: str, zscores: str | None, **options: Any
) -> None:
    """Print what trec_eval prints for RUN against QRELS, byte for byte.

    What was left out is said on standard error.
    """
    inputs = [qrels, run, *([zscores] if zscores else [])]
    require_inputs(inputs)
    refuse_overwriting(output, inputs)
    if relation != "qrels" and (zscores or options["judged_only"] or options["remove_unjudged"]):
        raise InputError(f"-R {relation} goes with -q, -n, -c, -l, -M and -m only; leave the other options out")
    with whole_file(output) as file:
        if relation != "qrels":
            for line in print_averages(read_judges(qrels), read_run(run), names, Options(**options)):
                file.write(line.encode())
            return
        judgments, ranking = read_qrels(qrels), read_run(run)
        chosen = Options(**options, reference=read_reference(zscores) if zscores else None)
        for line in print_trec_eval(judgments, ranking, names, chosen):
            file.write(line.encode())
        print_notes(_left_out(judgments, ranking, chosen))


def _require_relation(relation: str) -> str:
    if relation in ("prefs", "qrels_prefs"):
        raise InputError(
            f"-R {relation}: preferences between documents are not computed here; trec_eval 10 itself does so"
        )
    if relation not in ("qrels", "qrels_jg"):
        raise InputError(f"-R {relation}: accepted are qrels and qrels_jg")
    return relation


def _print_version(ctx: click.Context) -> None:
    click.echo(f"trec_eval version 10.0 (gradeval {__version__})")
    ctx.exit()


def _left_out(qrels: Qrels, run: Run, options: Options) -> Iterator[str]:
    yield from map(str, about_reading(qrels))
    judged, answered = set(qrels.topics), set(run.topics)
    if ignored := [topic for topic in run.topics if topic not in judged]:
        yield f"{plural(len(ignored), 'topic')} without judgments ({list_some(ignored)}) ignored"
    if missing := [topic for topic in qrels.topics if topic not in answered]:
        what = "count 0" if options.complete else "left out of the averages, -c counts them 0"
        yield f"{plural(len(missing), 'topic')} of {qrels.name} ({list_some(missing)}) missing from the run: {what}"

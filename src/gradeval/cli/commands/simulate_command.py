"""``gradeval simulate``: draw test collections and clicks from models."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gradeval._core import InputError
from gradeval.arguments import Number, Several
from gradeval.atomic_files import whole_folder
from gradeval.cli.declared_options import ValueOfKind
from gradeval.cli.help_sections import HEADINGS, SectionedCommand
from gradeval.cli.notices import print_notes, say, take_notes
from gradeval.cli.options import FILE, Recoding, notes_option, number_option, refuse_overwriting, require_inputs
from gradeval.cli.output import one_output_option
from gradeval.cli.reading import Reading, read_judgments, reading_options
from gradeval.collection.qrels import Qrels
from gradeval.files.click_log import write_clicks
from gradeval.files.readers import open_run
from gradeval.files.trec import write_qrels, write_rankings
from gradeval.messages import naming, plural
from gradeval.scores.notes import about_reading
from gradeval.studies.simulate import simulate_clicks
from gradeval.warning_categories import Note

if TYPE_CHECKING:
    from gradeval.studies.simulate import SimulatedCollection


@click.command(
    "clicks",
    cls=SectionedCommand,
    own=HEADINGS[0],
    sections={"depth": HEADINGS[0], "seed": HEADINGS[1]},
    short_help="Draw clicks of users on a run.",
    epilog="""\b
Examples:
  gradeval simulate clicks qrels.txt runs/elm.txt -o clicks.tsv
  gradeval simulate clicks qrels.txt runs/elm.txt --g 0.2,0.3,0.5 --slips 0.05 | gradeval clicks - qrels.txt""",
)
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option(
    "--g",
    type=ValueOfKind(Several(Number(least=0, most=1, kind="a share"), "shares as in 0.2,0.8")),
    metavar="LIST",
    help="The share of users whose threshold each positive grade is.  [default: uniform]",
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
    help="The share of documents, looked at but not relevant, that are clicked on.",
)
@number_option("--seed", 0, 0, "The seed of the clicks; the same one draws the same clicks.")
@reading_options("exclude", "levels", "recode")
@one_output_option
@notes_option
def clicks(
    qrels: str,
    run: str,
    g: tuple[float, ...] | None,
    exclude: tuple[str, ...],
    levels: tuple[float, ...] | None,
    recode: Recoding,
    output: str,
    **settings: Any,
) -> None:
    """Draw sessions of users on RUN: tsv with the columns session, topic, document, rank, click.

    A user finds relevant what reaches the own threshold (--g), looks at rank r with probability 1/r^bias, and clicks on
    what is looked at and relevant. Unjudged documents are of grade 0.
    """
    reading = Reading(exclude=exclude, levels=levels, recode=recode)
    inputs = [qrels, run, *reading.excluding()]
    require_inputs(inputs)
    refuse_overwriting(output, inputs)
    [judgments], notes = read_judgments([qrels], reading)
    recode.require_met()
    take_notes([*notes, *about_reading(judgments)])
    with nullcontext() if g is None else naming("g", g):
        clicks = simulate_clicks(judgments, open_run(run), g=g, **settings)
    write_clicks(clicks, output)
    size = f"{plural(settings['sessions'], 'session')}, {plural(len(clicks), 'document')} shown"
    print_notes([Note.answer(f"{size}, {plural(int(clicks.click.sum()), 'click')}, seed {settings['seed']}")])


F = TypeVar("F", bound=Callable[..., Any])


def _share(name: str, default: float, what: str) -> Callable[[F], F]:
    return click.option(name, type=float, default=default, show_default=True, metavar="SHARE", help=what)


@click.group(
    epilog="""\b
Examples:
  gradeval simulate collection sample && gradeval evaluate sample/qrels.txt sample/runs/*
  gradeval simulate clicks qrels.txt runs/elm.txt -o clicks.tsv"""
)
def simulate() -> None:
    """Draw test collections or clicks from a model, seeded."""


simulate.add_command(clicks)


@simulate.command(
    cls=SectionedCommand,
    own=HEADINGS[0],
    sections=dict.fromkeys(("topics", "levels", "depth"), HEADINGS[0]) | {"seed": HEADINGS[1], "force": HEADINGS[3]},
    short_help="Write a simulated collection.",
    epilog="""\b
Examples:
  gradeval simulate collection sample
  gradeval simulate collection sample --levels 3 --shares 5,3,1
  gradeval simulate collection large --topics 200 --systems 50 --depth 1000 --documents 5000 --seed 7""",
)
@click.argument("out_dir", type=click.Path(path_type=Path))
@number_option("--topics", 1, 30, "Number of topics.")
@number_option("--systems", 1, 12, "Number of systems, one run each.")
@number_option("--levels", 2, 4, "Number of grades, 0 included.")
@number_option("--depth", 1, 100, "Documents that a run returns for a topic.")
@number_option("--documents", 1, 500, "Candidate documents of a topic.")
@_share("--ties", 0.2, "Share of a run's lines whose score is tied.")
@_share("--judged-share", 0.5, "Share of the retrieved documents that are judged.")
@click.option(
    "--spread",
    type=float,
    default=0.5,
    show_default=True,
    metavar="X",
    help="How unequal the systems are; 0: by chance alone.",
)
@number_option("--missing", 0, 1, "Number of runs that miss one topic.")
@click.option(
    "--shares",
    default=None,
    metavar="SHARES",
    help="The shares of the grades: uniform, dirichlet:A (drawn anew for each topic), or weights. One for each grade "
    "from 0 on, as in 5,3,1.  [default: each rarer than the one below]",
)
@number_option("--seed", 0, 1, "The seed of everything random; the same one writes the same files.")
@click.option("--force", is_flag=True, help="Replace qrels.txt and runs/ in a folder that is not empty.")
def collection(out_dir: Path, force: bool, seed: int, **model: Any) -> None:
    """Write a simulated collection to OUT_DIR: qrels.txt and runs/NAME.txt, in TREC format.

    Systems of unequal quality retrieve documents of skewed grades; scores are tied here and there; the best
    ranks of two thirds of the runs are judged, the rest is not. All files are written, or none.
    """
    from gradeval.studies.simulate import simulate_collection

    if out_dir.exists() and not out_dir.is_dir():
        raise InputError(f"{out_dir}: is a file; accepted: a new or empty folder")
    if out_dir.exists() and any(out_dir.iterdir()) and not force:
        raise InputError(
            f"{out_dir}: is not empty; accepted: a new or empty folder (--force replaces qrels.txt and runs/)"
        )
    simulated = simulate_collection(seed=seed, **model)
    try:
        _write(simulated, out_dir.resolve())
    except OSError as error:
        raise InputError(
            f"{out_dir}: cannot be written ({error.strerror}); accepted: a folder in a writable place"
        ) from error
    say(f"{out_dir}: {_contents(simulated)}, seed {seed}")


def _contents(simulated: SimulatedCollection) -> str:
    """The size of the collection, in words."""
    judged = sum(len(grades) for grades in simulated.qrels.values())
    lines = sum(len(ranking) for run in simulated.runs.values() for ranking in run.values())
    sizes = {"topic": len(simulated.qrels), "judgment": judged, "run": len(simulated.runs), "line": lines}
    return ", ".join(plural(number, what) for what, number in sizes.items())


def _write(simulated: SimulatedCollection, out_dir: Path) -> None:
    """Write a new folder, whole or not at all; of one that is there replace ``runs`` and ``qrels.txt``."""
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    qrels = Qrels.from_dict(simulated.qrels)
    if out_dir.exists():
        with whole_folder(out_dir / "runs") as runs:
            _write_runs(simulated, Path(runs))
            write_qrels(qrels, out_dir / "qrels.txt")
        return
    with whole_folder(out_dir) as folder:
        runs_folder = Path(folder, "runs")
        runs_folder.mkdir()
        _write_runs(simulated, runs_folder)
        write_qrels(qrels, Path(folder, "qrels.txt"))


def _write_runs(simulated: SimulatedCollection, folder: Path) -> None:
    for name, run in simulated.runs.items():
        rankings = ((topic, scores.items()) for topic, scores in run.items())
        write_rankings(rankings, folder / f"{name}.txt", name, spell=repr)

"""Where the result of a command goes: a format, a file, a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from glob import glob
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeVar

import click

from gradeval._core import InputError
from gradeval.atomic_files import STANDARD, whole_file
from gradeval.cli.notices import take_notes
from gradeval.cli.options import FILE, digits_option, format_by_ending, note_unused, notes_option, refuse_overwriting
from gradeval.files.folders import list_files
from gradeval.tables.format import FORMATS
from gradeval.tables.table import Table
from gradeval.warning_categories import Note, NoteWeight

if TYPE_CHECKING:
    from gradeval.charts.specification import Undrawable

F = TypeVar("F", bound=Callable[..., Any])

ENDINGS = {name: FORMATS[name].ending for name in ("table", "tsv", "csv", "jsonl", "markdown", "latex", "html")}
"""The formats that every command writes, with the endings that choose them."""

output_option = click.option(
    "-o",
    "--output",
    type=FILE,
    multiple=True,
    default=[STANDARD],
    metavar="FILE",
    help="Write a file, whole or not at all. May be given several times: -o gate.xml -o gate.md.",
)
"""-o of commands that have a result in several formats."""
one_output_option = click.option(
    "-o", "--output", type=FILE, default=STANDARD, metavar="FILE", help="Write a file, whole or not at all."
)
"""-o of commands that write one format."""


def format_option(what: str, formats: Iterable[str] = ENDINGS) -> Callable[[F], F]:
    """The option --format."""
    return click.option("--format", "form", type=click.Choice(list(formats)), help=what)


def plot_option(what: str = "Draw a picture, too") -> Callable[[F], F]:
    """The option --plot."""
    return click.option("--plot", type=FILE, metavar="FILE", help=f"{what}: .png, .svg, .pdf or .html.")


def naming_options(command: F) -> F:
    """The options --caption and --label, of commands that write tables for papers."""
    caption = (
        "The caption in LaTeX, Markdown and HTML. What marks mean stays behind it. An empty one leaves captions out. "
        "Default: what was computed."
    )
    label = (
        "The label in LaTeX; of several tables each has its title behind it. An empty one leaves labels out. "
        "Default: from the first words of the table."
    )
    command = click.option("--label", metavar="TEXT", help=label)(command)
    return click.option("--caption", metavar="TEXT", help=caption)(command)


NAMED = ("latex", "markdown", "html")
"""The formats that have captions or labels."""


def outcome_options(digits: int, *, plot: bool = True, named: bool = True) -> Callable[[F], F]:
    """The options of the output; ``digits``: the default of --digits; ``plot``: is there a picture? ``named``: are
    there --caption and --label?"""
    options: list[Callable[[Any], Any]] = [
        format_option("tsv, csv, jsonl: a value a line, exact; html: a page.  [default: as FILE ends, or table]"),
        output_option,
        *([naming_options] if named else []),
        *([plot_option()] if plot else []),
        digits_option(digits, "table, markdown and latex"),
        notes_option,
    ]

    def add(command: F) -> F:
        for decorate in reversed(options):
            command = decorate(command)
        return command

    return add


DRAWING = ("altair", "vl_convert")
"""The packages that draw."""


class Output(NamedTuple):
    """The values of ``outcome_options``; ``output``: the files that are written, each in its format."""

    output: dict[str, str]
    digits: int
    plot: str | None = None
    caption: str | None = None
    label: str | None = None

    @classmethod
    def of(
        cls, options: dict[str, Any], inputs: Sequence[str] | None = None, endings: Mapping[str, str] = ENDINGS
    ) -> Self:
        """Take these options out of the options of a command; an error where the picture cannot be drawn.

        ``inputs``: the files that the command reads, by default the files of ``collection_options``; ``endings``: of
        its formats.
        """
        form, places = options.pop("form"), options.pop("output")
        output = cls(
            formats_of(places, form, endings),
            **{name: options.pop(name) for name in ("digits", "plot", "caption", "label") if name in options},
        )
        if not {*output.output.values()} & {*NAMED}:
            note_unused(
                [name for name in ("caption", "label") if getattr(output, name) is not None],
                f"stands in {', '.join(NAMED)} alone",
            )
        inputs = inputs_of(click.get_current_context().params) if inputs is None else inputs
        for place, format in output.output.items():
            refuse_overwriting(place, inputs)
            if format == "html":
                require_page(place)
        if output.plot is not None:
            from gradeval.charts.rendering import require_charts

            refuse_overwriting(output.plot, inputs, "--plot")
            require_charts(output.plot)
        return output

    @contextmanager
    def open(self, *, labelled: bool = False) -> Iterator[Callable[[Table, Callable[[], Any]], None]]:
        """Open the files, and yield a function that writes a table and, with --plot, the chart that ``draw`` returns.

        Files are opened before the work begins, so that one that cannot be written is an error at once. ``labelled``:
        have the tables labels of one's own, though ``label`` is None?
        """
        with open_result(self.output, self.plot) as finish:

            def write(plain: Table, draw: Callable[[], Any]) -> None:
                table = plain.renamed(self.caption, self.label)
                place = next((place for place, format in self.output.items() if format == "latex"), "")

                def write_one(file: IO[bytes], format: str) -> Undrawable | None:
                    if format == "html":
                        return write_page(file, table, draw)
                    table.write(file, format, place="" if labelled or self.label is not None else place)
                    return None

                finish(write_one, draw)

            yield write


def formats_of(places: Sequence[str], form: str | None, endings: Mapping[str, str]) -> dict[str, str]:
    """By file its format: --format, or what its ending says; --format with several files is an error."""
    if form is None:
        return {place: format_by_ending(place, endings) for place in places}
    if len({*places}) > 1:
        raise InputError(f"--format {form}: is of one file, and there are {len(places)}; endings choose the formats")
    return {places[0]: form}


WriteResult: TypeAlias = Callable[[IO[bytes], str], "Undrawable | None"]
"""Writes a result to a file in a format, and returns an error to be raised when all is written."""


@contextmanager
def open_result(
    output: Mapping[str, str], plot: str | None
) -> Iterator[Callable[[WriteResult, Callable[[], Any]], None]]:
    """Open the files of a result and of its picture, and yield a function that writes first the ones, then the other.

    ``output``: by file its format. The function takes one that writes the result, which is called for each file, and
    one that draws the picture. A picture that cannot be drawn takes nothing from the result, which is complete by then.
    """
    with ExitStack() as pictures, ExitStack() as results:
        picture = pictures.enter_context(whole_file(plot)) if plot is not None else None
        opened = [results.enter_context(ExitStack()) for _ in output]
        files = [each.enter_context(whole_file(place)) for each, place in zip(opened, output, strict=True)]

        def finish(write: WriteResult, draw: Callable[[], Any]) -> None:
            failure: Exception | None = None
            for each, file, format in zip(opened, files, output.values(), strict=True):
                try:
                    failure = write(file, format) or failure
                    each.close()
                except (
                    BrokenPipeError
                ) as error:  # who reads the table has read enough; the rest is asked for all the same
                    failure = error
            if picture is not None and plot is not None:
                from gradeval.charts.rendering import render
                from gradeval.charts.specification import drawing_fails_in_a_line

                with drawing_fails_in_a_line(plot):
                    chart = draw()
                picture.write(render(chart, plot))
                pictures.close()
            if failure is not None:
                raise failure

        yield finish


def require_page(place: str) -> None:
    """Refuse to go on where a package is missing that a page needs; without those that draw it has no picture."""
    from importlib.util import find_spec

    from gradeval.charts.rendering import require_packages
    from gradeval.extras import install_hint  # here, as most have it

    if all(map(find_spec, DRAWING)):
        require_packages(f"-o {place}", "altair", "jinja2", "vl_convert")
        return
    require_packages(f"-o {place}", "jinja2")

    said = f"{place} has no picture: {install_hint('charts')} adds what draws it"
    take_notes([Note(said, own_weight=NoteWeight.MEANING)])


def write_page(
    file: IO[bytes],
    table: Table,
    draw: Callable[[], Any],
    heading: str | None = None,
    runs: str = "",
    folded: Mapping[str, Table] | None = None,
) -> Undrawable | None:
    """Write the result of the command as a page: its tables, and its chart where it has one.

    ``heading``: by default what the command does, in a line; ``runs``: what the title says of the runs;
    ``folded``: further tables by their titles, which a click opens.

    Where a chart was asked for with the tables and this result has none, a note says why. A failure to draw is
    returned, too. Where no package draws, the page has no chart, as ``require_page`` has said.
    """
    from importlib.util import find_spec

    from gradeval.charts.specification import Undrawable, drawing_fails_in_a_line
    from gradeval.page.writing import result_page

    context = click.get_current_context()
    words = (
        ": ".join(filter(None, [context.command_path, runs])),
        heading or context.command.get_short_help_str(200),
        table,
    )
    try:
        with drawing_fails_in_a_line("chart"):
            chart = draw() if all(map(find_spec, DRAWING)) else None
            page = result_page(*words, chart, table.notes, folded)
    except InputError as error:
        file.write(result_page(*words, None, [*table.notes, str(error)], folded).encode())
        return error if isinstance(error, Undrawable) else None
    file.write(page.encode())
    return None


def inputs_of(parameters: dict[str, Any]) -> list[str]:
    """The files that a command reads, by the values of ``collection_options``."""
    scores = _files_of_scores(parameters.get("scores") or ())
    single = [place for name in ("qrels", "topics", "by", "queries") if isinstance(place := parameters.get(name), str)]
    runs = parameters.get("run_files") or ()
    named = [
        place for _, qrels, pattern in parameters.get("collections") or () for place in (qrels, pattern, *glob(pattern))
    ]
    return [
        *single,
        *(parameters.get("exclude") or ()),
        *runs,
        *list_files(runs, parameters.get("folder")),
        *scores,
        *named,
    ]


def _files_of_scores(texts: Sequence[str]) -> list[str]:
    """The files that --scores may mean: the name of a measure and a path may both have a =."""
    if not texts:
        return []
    from gradeval.scores.score_files import list_score_files  # here, as most commands read runs

    places = [part for text in texts for part in (text, text.partition("=")[2], text.rpartition("=")[2]) if part]
    return places + [file.rpartition("=")[2] for file in list_score_files(texts)]

"""Commands made from studies: options are parameters, help is the docstring, notes and chart are the result's."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from textwrap import indent
from typing import Any

import click
from click.shell_completion import CompletionItem

from gradeval._core import InputError
from gradeval.arguments import Flag, Kind, Names, OneOf, Several, shown
from gradeval.cli.collection import Collection, collection_options
from gradeval.cli.inputs import refuse_overwriting, require_inputs, require_known
from gradeval.cli.notices import begin_with, tell
from gradeval.cli.options import FILE, is_set, measures_option
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.progress_bar import show_progress
from gradeval.cli.sections import HEADINGS, SectionedCommand
from gradeval.cli.steps import open_ready_scores, read_collection
from gradeval.scores.scores import Scores
from gradeval.scores.selection import Named
from gradeval.studies.study import CHOICES, ByOthers, Parameter, Study

GIVEN = {*CHOICES, "threads", "progress"}
"""Parameters that the options of all commands give."""


SHORT = {"per-topic": "-q"}
"""Options that have a short form."""
INDENT = "  "  # of the examples


class Word(click.ParamType[Any]):
    """A value of a kind: the library says what is accepted, in its own words."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = kind.metavar

    def convert(self, value: Any, parameter: click.Parameter | None, _: click.Context | None) -> Any:
        """The value that a text stands for."""
        if not isinstance(value, str) or parameter is None:
            return value
        name, parsed = str(parameter.name), self.kind.parse(value)
        try:
            checked = self.kind.check(name, parsed)
            return parsed if parameter.multiple else checked
        except InputError as error:
            given, typed, text = f"{name}={shown(parsed)}", f"{parameter.opts[-1]} {value}", str(error)
            raise InputError(text.replace(given, typed, 1) if given in text else f"{typed}: {text}") from None

    def shell_complete(self, _: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The words that begin as typed."""
        kind = self.kind.one if isinstance(self.kind, Several) else self.kind
        words = kind.words if isinstance(kind, OneOf) else ()
        before, comma, last = incomplete.rpartition(",") if kind is not self.kind else ("", "", incomplete)
        return [CompletionItem(before + comma + word) for word in words if word.startswith(last)]


def command_of(study: Study[Any]) -> click.Command:
    """The command of a study."""

    own = [one for one in study.parameters.values() if one.name not in GIVEN]
    of_table = list(study.of_table.values())
    others = [one.name for one in own if isinstance(one.kind, ByOthers)]

    def run(measures: tuple[str, ...] = (), **values: Any) -> None:
        taken, shown = ({one.name: values.pop(one.name) for one in some} for some in (own, of_table))
        context = click.get_current_context()
        settings = {name: value for name, value in taken.items() if is_set(context, name)}
        collection, output = Collection.take(values), Output.of(values)
        files = [settings[name] for name in others]
        _require_files(collection, output, files)
        with output.open() as write:
            data, notes = _read(collection)
            tell(notes)
            _require_topics(collection, data.topics)
            for name in others:
                settings[name], notes = read_collection(replace(collection, qrels=settings[name]))
                tell(begin_with(f"{name}: ", notes))
            settings |= {name: getattr(collection, name) for name in ("missing", "empty")}
            settings |= {"topics": collection.topic_choice(), "runs": collection.runs, "preset": collection.preset}
            settings |= {"threads": collection.threads}
            with show_progress(study.name) as progress:
                settings = {name: value for name, value in settings.items() if name in study.parameters}
                settings |= {"progress": progress} if "progress" in study.parameters else {}
                with _options_named(collection):
                    result = study.silently(data, **_measures(measures), **settings)
            tell(result.notes)
            write(result.table(output.digits, **shown), lambda: result.plot().altair)

    text = (inspect.getdoc(study.function) or "").partition("\nParameters\n")[0]
    sections = {one.name: HEADINGS[0] for one in own if isinstance(one.kind, Names | ByOthers)}
    sections |= {one.name: HEADINGS[3] for one in of_table}
    run = collection_options(ready=study.needs is Scores and not others)(outcome_options(study.digits)(run))
    command: click.Command = click.command(
        study.name,
        SectionedCommand,
        help=text,
        epilog=f"\b\nExamples:\n{indent(study.examples, INDENT)}",
        sections=sections,
    )(measures_option(study.measures)(run) if study.chooses_measures else run)
    place = int(study.chooses_measures)
    command.params[place:place] = map(option_of, [*own, *of_table])
    return command


def option_of(parameter: Parameter) -> click.Option:
    """The option of a parameter."""
    name = parameter.name.replace("_", "-")
    if isinstance(parameter.kind, Flag):
        short = [SHORT[name]] if name in SHORT else []
        return click.Option([*short, f"--{name}"], is_flag=True, default=parameter.default, help=parameter.help)
    if isinstance(parameter.kind, ByOthers):
        return click.Option([f"--{name}"], type=FILE, required=True, metavar="QRELS", help=parameter.help)
    default = parameter.default
    if isinstance(default, tuple):
        default = ",".join(f"{one:g}" if isinstance(one, float) else str(one) for one in default)
    return click.Option(
        [f"--{name}"],
        type=Word(parameter.kind),
        **({"required": True} if parameter.required else {"default": default}),
        multiple=isinstance(parameter.kind, Names),
        show_default=default is not None and not parameter.required,
        metavar=parameter.kind.metavar,
        help=parameter.help,
    )


def _read(collection: Collection) -> tuple[Any, Any]:
    """What the study takes, and what there is to say of the files."""
    return open_ready_scores(collection) if collection.scores else read_collection(collection)


def _require_files(collection: Collection, output: Output, files: Sequence[str]) -> None:
    """Refuse to read standard input twice, and to replace one of further files."""
    require_inputs([*filter(None, [collection.qrels]), *collection.run_files, *files])
    for place, option in ((output.output, "-o"), (output.plot, "--plot")):
        if place is not None:
            refuse_overwriting(place, files, option)


def _require_topics(collection: Collection, known: Sequence[str]) -> None:
    """Refuse an unknown topic that may have been meant as the name of a file."""
    selection = collection.topic_selection()
    if isinstance(selection, Named):
        require_known(collection.topics or "", selection.names, known, collection.qrels or "the scores")


@contextmanager
def _options_named(collection: Collection) -> Iterator[None]:
    """Begin errors about a selection of topics or runs with its option."""
    try:
        yield
    except InputError as error:
        message = str(error)
        choices = (("--topics", collection.topics, "no topic "), ("--runs", collection.runs, "no run "))
        for option, text, unknown in choices:
            if text is not None and message.startswith((f"{text}: ", unknown)):
                raise InputError(f"{option} {text}: {message.removeprefix(f'{text}: ')}") from None
        raise


def _measures(measures: Sequence[str]) -> dict[str, Any]:
    """The measures that were asked for."""
    return {"measures": measures} if measures else {}

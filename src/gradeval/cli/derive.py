"""Commands made from studies: options are parameters, help is the docstring, notes and chart are the result's."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from textwrap import indent
from typing import Any, NamedTuple, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.arguments import Declared, InFile, Names
from gradeval.cli.declared_options import option_of
from gradeval.cli.help_sections import HEADINGS, SectionedCommand
from gradeval.cli.next_command import spell_again
from gradeval.cli.notices import print_notes, take_notes, within
from gradeval.cli.options import FILE, is_set, measures_option, require_inputs
from gradeval.cli.output import Output, inputs_of, outcome_options
from gradeval.cli.reading import (
    READ,
    Collection,
    Reading,
    choice_of_topics,
    collection_options,
    name_of_file,
    open_collection,
    open_collection_runs,
    open_ready_scores,
    open_with_others,
    read_judgments,
    reading_options,
    require_topics,
)
from gradeval.collection.qrels import Qrels
from gradeval.files.accepted import refuse_swapped
from gradeval.files.click_log import read_clicks
from gradeval.files.folders import list_files
from gradeval.files.input_formats import file_of
from gradeval.progress import show_progress
from gradeval.scores.scores import Scores
from gradeval.studies.judges.accepted_judges import about_refused
from gradeval.studies.study import CHOICES, Study
from gradeval.studies.study_parameters import ByOthers, Data, ExtraMeasure
from gradeval.warning_categories import Note


def _given(study: Study[Any]) -> set[str]:
    """The parameters that are read like data, not like settings of a study."""
    if study.needs:
        return {*CHOICES, "threads", "progress"}
    chosen = {"topics", "runs", "preset"}  # by and queries may be parameters of its own
    return {*chosen, *READ, "progress"} if reads_judgments(study) else {"progress"}


INDENT = "  "  # of the examples


def command_of(
    study: Study[Any], present: Callable[[Any, Sequence[Any]], Any] = lambda result, _: result
) -> click.Command:
    """The command of a study; ``present``: what is shown of its result and its data."""
    own = [one for one in study.parameters.values() if one.name not in _given(study)]
    of_table = list(study.of_table.values())
    by_others = [one.name for one in own if isinstance(one.kind, ByOthers)]
    extra = [one.name for one in own if isinstance(one.kind, ExtraMeasure)]

    def run(measures: tuple[str, ...] = (), **values: Any) -> None:
        taken, shown = ({one.name: values.pop(one.name) for one in some} for some in (own, of_table))
        settings = {name: value for name, value in taken.items() if is_set(name)}
        others = {name: Other.of(name, str(taken[name])) for name in by_others if taken[name] is not None}
        settings |= {name: other.place for name, other in others.items()}
        files = [
            str(settings.get(one.name, taken[one.name]))
            for one in own
            if isinstance(one.kind, InFile) and taken[one.name] is not None
        ]
        also = [str(taken[name]) for name in extra if taken[name] is not None]
        source = Compared(values, others, study.takes_means, also) if study.needs else OwnData(study, values)
        output = Output.of(values, [*source.files, *files])
        require_inputs([*source.inputs, *files], measures)
        with output.open(labelled=shown.get("label") is not None) as write:
            data, notes = source.read()
            take_notes(notes)
            source.require_topics(data)
            settings |= source.settings() | ({"measures": measures} if measures else {})
            with show_progress(study.name) as progress:
                settings = {
                    name: value
                    for name, value in settings.items()
                    if name in {*study.parameters, "judging", "measures"}
                }
                settings |= {"progress": progress} if "progress" in study.parameters else {}
                result = present(study.silently(*data, **settings), data)
            print_notes([*result.notes, *source.say_more(study, result, data)])
            write(result.table(output.digits, **shown), lambda: result.plot().altair)

    text = (inspect.getdoc(study.function) or "").partition("\nParameters\n")[0]
    sections = {one.name: HEADINGS[0 if isinstance(one.kind, Names | InFile) else 1] for one in own}
    sections |= {one.name: HEADINGS[3] for one in of_table} | dict.fromkeys(study.data, HEADINGS[0])
    run = outcome_options(study.digits, named="caption" not in study.of_table)(run)
    data = (
        collection_options(
            ready=study.needs is Scores and not by_others, several=study.several, sliced=study.takes_slices
        )
        if study.needs
        else own_data_options(study)
    )
    run = data(run)
    command: click.Command = click.command(
        study.name.replace("_", "-"),
        SectionedCommand,
        help=text,
        epilog=f"\b\nExamples:\n{indent(study.examples, INDENT)}",
        sections=sections,
    )(measures_option(study.measures)(run) if study.chooses_measures else run)
    place = next((place for place, one in enumerate(command.params) if one.name == "measures"), -1) + 1
    command.params[place:place] = map(option_of, [*own, *of_table])
    return command


class Other(NamedTuple):
    """The judgments of others, as [NAME=]FILE gives them: a file, and what --recode calls its grades."""

    place: str
    names: list[str]

    @classmethod
    def of(cls, option: str, text: str) -> Self:
        """The value of an option, by whose own name its grades are known, too."""
        name, place = split_name(f"--{option}", text) or (name_of_file(text), text)
        return cls(place, [name, option])


class Compared:
    """The data of a study that compares runs by measures: judgments and runs, or ready scores.

    ``others``: judgments of the same runs by others, by the parameters that take them; ``means``: may scores be means
    alone? ``extra``: more measures that are needed than --measures names.
    """

    def __init__(self, values: dict[str, Any], others: Mapping[str, Other], means: bool, extra: Sequence[str]) -> None:
        self.others, self.takes_means, self.extra = others, means, extra
        self.read_others: dict[str, Qrels] = {}
        self.collection = Collection.take(values, means)
        self.topics, self.runs = self.collection.topics, self.collection.runs
        self.inputs = [
            *filter(None, [self.collection.qrels, self.collection.by, self.collection.queries]),
            *self.collection.run_files,
            *self.collection.excluding(),
        ]
        self.files = inputs_of(click.get_current_context().params)

    def read(self) -> tuple[list[Any], Sequence[Note]]:
        """What the study takes, and what there is to say of the files; several collections by their names."""
        if self.collection.scores:
            scores = open_ready_scores(self.collection, self.takes_means, self.extra)
            return [scores], scores.notes
        if not self.collection.collections:
            beside = [(other.place, other.names) for other in self.others.values()]
            assessors, runs, notes = open_with_others(self.collection, beside)
            self.read_others = dict(zip(self.others, assessors[1:], strict=True))
            self.collection.recode.require_met()  # of all of them
            return [assessors[0], runs], notes
        read = {name: open_collection(one) for name, one in self.collection.each()}
        self.collection.recode.require_met()
        said = [note for name, (*_, notes) in read.items() for note in within(name, notes)]
        return [{name: (judgments, runs) for name, (judgments, runs, _) in read.items()}], said

    def settings(self) -> dict[str, Any]:
        """What the options of all such commands say to the study."""
        one, judging = self.collection, self.collection.asked("ties negative depth threads")
        chosen: dict[str, Any] = {"topics": choice_of_topics(one.topics), "runs": one.runs, "preset": one.preset}
        chosen |= one.slicing()
        chosen |= self.read_others
        return chosen | one.asked("missing empty") | {"threads": one.threads, "judging": judging}

    def say_more(self, study: Study[Any], result: Any, data: Sequence[Any]) -> list[Note]:
        """The command that shows all topics of two runs in two files, if there is one; the baseline comes first."""
        files, decision = self.collection.run_files, getattr(result, "decision", None)
        if not study.of_two or decision is None or decision.unjudged:
            return []
        if len(files) != 2 or not all(map(os.path.isfile, map(file_of, files))):
            return []
        ordered = files if decision.baseline == data[1][0].name else files[::-1]
        command = spell_again(study.of_two, [str(self.collection.qrels), *ordered])
        return [] if command is None else [Note.answer(f"all {result.unit} that lost or won: {command}")]

    def require_topics(self, data: Sequence[Any]) -> None:
        """Refuse an unknown topic that may have been meant as the name of a file."""
        if not self.collection.collections:
            require_topics(self.topics, data[0].topics, self.collection.qrels or "the scores")


F = TypeVar("F", bound=Callable[..., Any])
JUDGES = "The judgments of a judge: a file, a folder or a pattern. May be repeated."


def own_data_options(study: Study[Any]) -> Callable[[F], F]:
    """The arguments and options that give the data of a study, and say how they are read."""
    kinds = kinds_of(study)
    unused = set(READ) - {*study.parameters, "levels", "recode", "shift", "exclude"}
    unused -= {
        "input_format",
        "columns",
        "encoding",
        "folder",
        "repeated",
        *(("names", "skip_bad") if "runs" in kinds.values() else ()),
    }

    def add(command: F) -> F:
        if reads_judgments(study):
            chosen = [name for name in ("topics", "runs", "preset") if name in study.parameters]
            command = reading_options(*chosen, *(name for name in READ if name not in unused))(command)
        for one in reversed(study.data.values()):
            command = _taking(one)(command)
        return command

    return add


def kinds_of(study: Study[Any]) -> dict[str, str]:
    """How each of the data of a study is read."""
    return {name: one.kind.reads for name, one in study.data.items() if isinstance(one.kind, Data)}


def reads_judgments(study: Study[Any]) -> bool:
    """Is there something to say of how judgments and runs are read?"""
    return not {"judgments", "judges", "runs"}.isdisjoint(kinds_of(study).values())


def _taking(one: Declared) -> Callable[[F], F]:
    """What takes the files of some data on the command line."""
    assert isinstance(one.kind, Data)
    shown = one.kind.metavar
    if one.kind.reads == "judges":
        return click.option("--judge", one.name, type=FILE, multiple=True, required=True, metavar=shown, help=JUDGES)
    several = one.kind.reads in ("runs", "features")
    shown = f"{shown}..." if several else shown
    return click.argument(
        one.name,
        type=FILE,
        nargs=-1 if several else 1,
        required=one.required,
        metavar=shown if one.required else f"[{shown}]",
    )


class OwnData:
    """The data of a study that has a kind of its own: their files, and how these are read."""

    def __init__(self, study: Study[Any], values: dict[str, Any]) -> None:
        self.study, self.kinds = study, kinds_of(study)
        given = {name: values.pop(name) for name in study.data}
        self.places = {name: [one] if isinstance(one, str) else list(one) for name, one in given.items()}
        judges = next((name for name, kind in self.kinds.items() if kind == "judges"), None)
        self.judges = {} if judges is None else name_judges(self.places[judges])
        self.named = [] if judges is None else self.places[judges]
        if judges is not None:
            self.places[judges] = list(self.judges.values())
        self.topics, self.runs, self.preset = (values.pop(name, None) for name in ("topics", "runs", "preset"))
        self.read_by = {name: values.pop(name) for name in READ if name in values}
        self.reading = Reading(**self.read_by)
        self.inputs = [place for places in (*self.places.values(), self.reading.excluding()) for place in places]
        chosen = [] if self.topics is None else [self.topics]
        self.files = [*self.inputs, *chosen, *list_files(self.inputs, self.reading.folder)]

    def read(self) -> tuple[list[Any], list[Note]]:
        """The data, and notes on their files. Runs that are not given are None."""
        reading = replace(self.reading, levels=None) if "levels" in self.study.parameters else self.reading
        graded = [name for name, kind in self.kinds.items() if kind in ("judgments", "judges")]
        refused: dict[str, InputError] | None = {} if self._may_leave_out() else None
        names = [[one] for name in graded for one in self._names_of(name)]
        self._refuse_swapped()
        places = [place for name in graded for place in self.places[name]]
        assessors, notes = read_judgments(places, reading, self.named, names, refused)
        if refused:
            notes += [about_refused(*one) for one in refused.items()]
        left = iter(assessors)
        data: list[Any] = []
        for name, kind in self.kinds.items():
            if kind == "judgments":
                data.append(next(left))
            elif kind == "judges":
                data.append({judge: next(left) for judge in self.judges if judge not in (refused or {})})
            elif kind == "clicks":
                data.append(read_clicks(self.places[name][0]))
            elif kind == "features":
                data.append(self.places[name])
            else:
                files = self.places[name]
                opened, more = open_collection_runs(files, reading, are_all=False) if files else (None, [])
                data.append(opened)
                notes += more
        reading.columns.require_met("--columns")
        reading.recode.require_met()
        return data, notes

    def _may_leave_out(self) -> bool:
        """May a judge be left out that cannot be read?"""
        kinds = (one.kind for one in self.study.data.values())
        return len(self.judges) > 1 and any(isinstance(kind, Data) and kind.each_alone for kind in kinds)

    def _names_of(self, data: str) -> list[str]:
        """What the judgments of these data are called."""
        return [*self.judges] if self.kinds[data] == "judges" else [name_of_file(one) for one in self.places[data]]

    def _refuse_swapped(self) -> None:
        """Refuse runs where judgments, or the judgments of a judge, are expected, and judgments among the runs."""
        runs = [place for name, kind in self.kinds.items() if kind == "runs" for place in self.places[name]]
        first = [place for name, kind in self.kinds.items() if kind == "judgments" for place in self.places[name]]
        command = click.get_current_context().command_path
        for place in first:
            refuse_swapped(place, runs, self.reading.columns, command)
        for place in self.judges.values():
            words = f"{command} {shlex.join(first)} --judge"
            refuse_swapped(place, runs, self.reading.columns, words, "JUDGE")

    def say_more(self, *_: Any) -> list[Note]:
        """Nothing: such data have no command that shows more."""
        return []

    def settings(self) -> dict[str, Any]:
        """What the options say to the study that others have, too."""
        given = {name: value for name, value in self.read_by.items() if is_set(name) and name != "exclude"}
        return {**given, "topics": choice_of_topics(self.topics), "runs": self.runs, "preset": self.preset}

    def require_topics(self, data: Sequence[Any]) -> None:
        """Refuse an unknown topic that may have been meant as the name of a file."""
        if self.topics is not None:
            require_topics(self.topics, data[0].topics, data[0].name)


def name_judges(texts: Sequence[str]) -> dict[str, str]:
    """The places of judges by name, from the values of --judge: NAME=FILE, a file, a folder or a pattern.

    A file without a name is called by its own, without the ending.
    """
    places: dict[str, str] = {}
    for text in texts:
        for name, place in _name_files(text):
            if name in places:
                raise InputError(
                    f"--judge {text}: two judges are called {name!r} ({places[name]} and {place}); name them, as in "
                    f"{name}-2={place}"
                )
            places[name] = place
    return places


def _name_files(text: str) -> list[tuple[str, str]]:
    named = split_name("--judge", text)
    return [named] if named else [(name_of_file(file), file) for file in list_files([text])]


def split_name(option: str, text: str) -> tuple[str, str] | None:
    """The name and the place of NAME=FILE; None where the whole text is a place."""
    name, sign, place = text.partition("=")
    if not sign or os.path.exists(text) or file_of(text) != text:
        return None
    if not name or not place:
        raise InputError(f"{option} {text}: accepted: NAME=FILE or FILE")
    return name, place

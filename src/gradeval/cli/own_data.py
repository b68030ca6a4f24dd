"""Data of a study's own kind on the command line: judgments, runs, a click log, the judgments of several judges."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import click

from gradeval._core import InputError
from gradeval.cli.collection import choice_of_topics, require_topics, selection_options
from gradeval.cli.notices import Note
from gradeval.cli.options import FILE, is_set
from gradeval.cli.reading import Reading, open_collection_runs, read_assessors, reading_options
from gradeval.files.click_log import read_clicks
from gradeval.files.places import file_of, list_run_files
from gradeval.studies.study import Data, Parameter, Study

F = TypeVar("F", bound=Callable[..., Any])
JUDGES = "The judgments of a judge, or a folder or pattern of such files; may be repeated."


def own_data_options(study: Study[Any]) -> Callable[[F], F]:
    """The arguments and options that give the data of a study, and say how they are read."""
    kinds = kinds_of(study)
    unused = set(Reading.__dataclass_fields__) - {*study.parameters, "levels", "recode", "shift"}
    unused -= {"input_format", "columns", *(("names", "skip_bad") if "runs" in kinds.values() else ())}

    def add(command: F) -> F:
        command = selection_options(set(study.parameters))(reading_options(without=unused)(command))
        for one in reversed(study.data.values()):
            command = _taking(one)(command)
        return command

    return add


def kinds_of(study: Study[Any]) -> dict[str, str]:
    """How each of the data of a study is read."""
    return {name: one.kind.reads for name, one in study.data.items() if isinstance(one.kind, Data)}


def _taking(one: Parameter) -> Callable[[F], F]:
    """What takes the files of some data on the command line."""
    assert isinstance(one.kind, Data)
    shown = one.kind.metavar
    if one.kind.reads == "judges":
        return click.option("--judge", one.name, type=FILE, multiple=True, required=True, metavar=shown, help=JUDGES)
    several = one.kind.reads == "runs"
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
        if judges is not None:
            self.places[judges] = list(self.judges.values())
        self.topics, self.runs, self.preset = (values.pop(name, None) for name in ("topics", "runs", "preset"))
        self.reading = Reading(**{name: values.pop(name) for name in Reading.__dataclass_fields__ if name in values})
        self.inputs = [place for places in self.places.values() for place in places]
        chosen = [] if self.topics is None else [self.topics]
        self.files = [*self.inputs, *chosen, *list_run_files(self.inputs)]

    def read(self) -> tuple[list[Any], list[Note]]:
        """The data, and notes on their files. Runs that are not given are None."""
        reading = replace(self.reading, levels=None) if "levels" in self.study.parameters else self.reading
        graded = [name for name, kind in self.kinds.items() if kind in ("judgments", "judges")]
        assessors, notes = read_assessors([place for name in graded for place in self.places[name]], reading)
        left = iter(assessors)
        data: list[Any] = []
        for name, kind in self.kinds.items():
            if kind == "judgments":
                data.append(next(left))
            elif kind == "judges":
                data.append({judge: next(left) for judge in self.judges})
            elif kind == "clicks":
                data.append(read_clicks(self.places[name][0]))
            else:
                files = self.places[name]
                opened, more = open_collection_runs(files, reading) if files else (None, [])
                data.append(opened)
                notes += more
        reading.columns.require_met("--columns")
        return data, notes

    def settings(self) -> dict[str, Any]:
        """What the options say to the study that others have, too."""
        context = click.get_current_context()
        given = {name: getattr(self.reading, name) for name in Reading.__dataclass_fields__ if is_set(context, name)}
        return {**given, "topics": choice_of_topics(self.topics), "runs": self.runs, "preset": self.preset}

    def require_topics(self, data: Sequence[Any]) -> None:
        """Refuse an unknown topic that may have been meant as the name of a file."""
        if self.topics is not None:
            require_topics(self.topics, data[0].topics, data[0].name)

    def judged_by(self, grades: str) -> Any:
        """No study of data of its own kind takes other grades beside them."""
        raise NotImplementedError(grades)


def name_judges(texts: Sequence[str]) -> dict[str, str]:
    """The places of judges by name, from the values of --judge: NAME=FILE, a file, a folder or a pattern.

    A file without a name is called by its own, without the ending.
    """
    places: dict[str, str] = {}
    for text in texts:
        for name, place in _named(text):
            if name in places:
                raise InputError(
                    f"--judge {text}: two judges are called {name!r} ({places[name]} and {place}); name them, as in "
                    f"{name}-2={place}"
                )
            places[name] = place
    return places


def _named(text: str) -> Iterator[tuple[str, str]]:
    name, sign, place = text.partition("=")
    if sign and not os.path.exists(text):
        if not name or not place:
            raise InputError(f"--judge {text}: accepted: NAME=FILE or FILE")
        yield name, place
        return
    for file in list_run_files([text]):
        yield os.path.splitext(os.path.basename(file_of(file)))[0], file

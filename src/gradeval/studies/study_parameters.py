"""What a study takes beside its data: parameters, read off signatures, and the kinds that only studies have."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

from gradeval._core import InputError
from gradeval.arguments import Anything, Given, Kind, kind_of_annotation
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores


@dataclass(eq=False, repr=False)
class InFile(Anything):
    """What a command takes the name of a file for."""

    metavar: str = "FILE"


@dataclass(eq=False, repr=False)
class Data(InFile):
    """Data of a study's own kind, a parameter that is given by position; ``reads``: how a command reads it.

    "judgments" and "clicks" are a file each, "runs" and "features" the files of runs and the parts of a collection,
    "judges" further judgments by their names, which an option of this name gives.
    """

    reads: Literal["judgments", "runs", "clicks", "judges", "features"] = "judgments"


@dataclass(eq=False, repr=False)
class ByOthers(InFile):
    """Grades by others than those of the first parameter: judgments, judged runs or scores, of the same runs."""

    metavar: str = "QRELS"


OtherScores: TypeAlias = Annotated[Scores, ByOthers()]
"""What a study needs beside its data: the scores of the same runs by the same measures, by other grades."""


@dataclass(eq=False, repr=False)
class ExtraMeasure(Anything):
    """A measure that a study needs beside those that are chosen: it is read as they are, and among the scores."""

    metavar: str = "MEASURE"

    def check(self, name: str, value: Any) -> Any:
        """The measure, or its spelling."""
        if not isinstance(value, str | Measure):
            raise InputError(Given(name, value), " is not a measure, as in 'AP'")
        return value


Reference: TypeAlias = Annotated[Measure | None, ExtraMeasure()]
"""A measure, or its spelling, with which others are compared; the function is given the Measure."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a study, or of its table."""

    name: str
    kind: Kind
    default: Any
    optional: bool
    help: str

    @property
    def required(self) -> bool:
        """Must it be given?"""
        return self.default is inspect.Parameter.empty

    def check(self, value: Any, name: str = "") -> Any:
        """The value in its plain form, or an InputError; ``name``: what the user calls the parameter."""
        return None if value is None and self.optional else self.kind.check(name or self.name, value)


def read_helps(docstring: str) -> dict[str, str]:
    """What the section Parameters of a docstring says of each parameter."""
    section = docstring.partition("\nParameters\n")[2].partition("\n\n")[0] or docstring
    texts: dict[str, str] = {}
    for names, text in re.findall(r"^(\w[\w, ]*) : (.*(?:\n +.*)*)", section, re.M):
        plain = " ".join(text.replace("``", "").split())
        texts |= {name: plain[:1].upper() + plain[1:] for name in names.split(", ")}
    return texts


def read_parameters(
    function: Callable[..., Any], helps: dict[str, str], wanted: Callable[[inspect.Parameter], bool]
) -> dict[str, Parameter]:
    """Those parameters of a function that are wanted, by their names."""
    hints = get_type_hints(function, include_extras=True)
    found = filter(wanted, inspect.signature(function).parameters.values())
    return {one.name: read_parameter(one.name, hints[one.name], one.default, helps) for one in found}


def read_parameter(name: str, annotation: Any, default: Any, helps: dict[str, str]) -> Parameter:
    """A parameter, from its annotation."""
    kind, optional = kind_of_annotation(annotation)
    plain = False if name == "progress" else default  # the study is always given one
    return Parameter(name, kind, plain, optional or plain is None, helps.get(name, ""))

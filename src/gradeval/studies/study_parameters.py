"""The kinds of parameters that only studies have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from gradeval._core import InputError
from gradeval.arguments import Anything, InFile
from gradeval.formula.definition import Measure
from gradeval.messages import Given
from gradeval.scores.scores import Scores


@dataclass(eq=False, repr=False)
class Data(InFile):
    """Data of a study's own kind, a parameter that is given by position; ``reads``: how a command reads it.

    "judgments" and "clicks" are a file each, "runs" and "features" the files of runs and the parts of a collection,
    "judges" further judgments by their names, which an option of this name gives. ``each_alone``: may one be left out
    that cannot be read, as each is studied by itself?
    """

    reads: Literal["judgments", "runs", "clicks", "judges", "features"] = "judgments"
    each_alone: bool = False


@dataclass(eq=False, repr=False)
class ByOthers(InFile):
    """Grades by others than the first parameter: judgments, judged runs or scores, of the same runs."""

    metavar: str = "[NAME=]QRELS"


OtherScores: TypeAlias = Annotated[Scores, ByOthers()]
"""What a study needs besides its data: the scores of the same runs by the same measures, by other grades."""


@dataclass(eq=False, repr=False)
class ExtraMeasure(Anything):
    """A measure that a study needs besides those that are chosen: it is read as they are, and among the scores."""

    metavar: str = "MEASURE"

    def check(self, name: str, value: Any) -> Any:
        """The measure, or its spelling."""
        if not isinstance(value, str | Measure):
            raise InputError(Given(name, value), " is not a measure, as in 'AP'")
        return value


Reference: TypeAlias = Annotated[Measure | None, ExtraMeasure()]
"""A measure, or its spelling, with which others are compared; the function is given the Measure."""

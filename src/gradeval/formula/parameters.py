"""The kinds of parameters of measures: which values each accepts, and how they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeAlias, get_args, get_origin

from gradeval._core import InputError


class ByGrade(tuple[tuple[float, float], ...]):
    """A frozen table {grade: value}, in ascending order of grade."""

    __slots__ = ()


class AcceptedValues(Protocol):
    """The values that a parameter accepts: in words for error messages, and as a check."""

    @property
    def accepts(self) -> str:
        """The accepted values in words."""

    def read(self, value: Any) -> Any:
        """The value in its canonical, hashable form; ValueError where it is not accepted."""


LARGEST = 2.0**53  # up to here doubles hold every whole number


def _finite_number(value: Any) -> float:
    if isinstance(value, bool) or not hasattr(value, "__float__") or not math.isfinite(float(value)):
        raise ValueError
    number = float(value)
    return int(number) if number.is_integer() and abs(number) <= LARGEST else number


class FiniteNumber(NamedTuple):
    """A finite number above ``low`` (or equal to it if ``closed``) and at most ``high``."""

    accepts: str
    low: float = -math.inf
    high: float = math.inf
    closed: bool = False
    whole: bool = False

    def read(self, value: Any) -> float:
        number = _finite_number(value)
        if number < self.low or (number == self.low and not self.closed) or number > self.high:
            raise ValueError
        if self.whole and not isinstance(number, int):
            raise ValueError
        return number


class Choice(NamedTuple):
    """One of a few words."""

    words: tuple[Any, ...]

    @property
    def accepts(self) -> str:
        return " or ".join(map(write, self.words))

    def read(self, value: Any) -> Any:
        return self.words[self.words.index(value)]

    def meant(self, value: str) -> Any:
        """The one word of which a text is the beginning, in any case, or another name; None where there is none."""
        from gradeval.synonyms import meant_by  # here, as only errors need it

        alike = [word for word in self.words if _bare(str(word)).startswith(_bare(value) or " ")]
        meant = alike or meant_by(value, self.words)
        return meant[0] if len(meant) == 1 else None


class GradeTable(NamedTuple):
    """{grade: value} with non-negative values."""

    accepts: str = "{grade: value} with values of at least 0, as in {1:1,2:3}"

    def read(self, value: Any) -> ByGrade:
        pairs = dict(value) if isinstance(value, Mapping | ByGrade) else {}
        table = ByGrade(sorted((_finite_number(grade), _finite_number(number)) for grade, number in pairs.items()))
        if not table or any(number < 0 for _, number in table):
            raise ValueError
        return table


class Distribution(NamedTuple):
    """Probabilities that sum to 1 within 1e-6: one per positive level, or {grade: probability}."""

    accepts: str = "probabilities that sum to 1, one per positive level as in [0.5,0.5], or {grade: p}"

    def read(self, value: Any) -> ByGrade | tuple[float, ...]:
        table: ByGrade | tuple[float, ...]
        if isinstance(value, Mapping | ByGrade):
            table = GradeTable().read(value)
            numbers = [p for _, p in table]
        else:
            if isinstance(value, str | bytes | Set):  # a set has no order
                raise ValueError
            table = tuple(_finite_number(p) for p in value)
            numbers = list(table)
        if any(p < 0 for p in numbers):
            raise ValueError
        if abs(math.fsum(numbers) - 1) > 1e-6:
            raise InputError(f"they sum to {math.fsum(numbers):g}")
        return table


Threshold: TypeAlias = Annotated[float, FiniteNumber("a grade above 0", low=0)]
Cutoff: TypeAlias = Annotated[
    int, FiniteNumber("a whole number of ranks from 1 to 2^31 - 1", low=0, high=2**31 - 1, whole=True)
]
Recall: TypeAlias = Annotated[float, FiniteNumber("a recall from 0 to 1", low=0, high=1, closed=True)]
Weight: TypeAlias = Annotated[float, FiniteNumber("a number of at least 0", low=0, closed=True)]
Positive: TypeAlias = Annotated[float, FiniteNumber("a number above 0", low=0)]
Base: TypeAlias = Annotated[float, FiniteNumber("a number above 1, to 2^53", low=1, high=LARGEST)]
Persistence: TypeAlias = Annotated[
    float, FiniteNumber("a probability from 0 to below 1", low=0, high=1 - 1e-15, closed=True)
]
Gains: TypeAlias = Annotated[ByGrade, GradeTable()]
Users: TypeAlias = Annotated[ByGrade | tuple[float, ...], Distribution()]


MEANINGS = {
    "rel": "The lowest grade that is relevant",
    "cutoff": "Only the first ranks count, down to this one",
    "recall": "The recall at which precision is read",
    "gains": "What a document of a grade is worth",
    "g": "The share of users to whom each grade is the lowest that is relevant",
    "p": "The persistence: the probability that a user goes on to the next document",
    "T": "How much a user wants to find, in documents of the top grade",
    "beta": "The weight of the second part: of recall against precision, or of gain against counts",
    "norm": "What divides a value at a cutoff: the whole pool (R), or the best list of that length (min)",
    "renormalise": "Divide by the value of the ideal list, which then scores 1",
    "normalize": "Divide by the value of the ideal ranking",
    "levels": "Whose grades count as levels: of the topic (query) or of the collection (global)",
    "multiple": "The ranking is cut at so many times the number of relevant documents",
    "mode": "How recall is matched to ranks: exactly, or as trec_eval 9 or 10 rounds it",
    "dcg": "The gain of a grade: the grade (log2) or 2^grade - 1 (exp-log2)",
    "discount": "How gain falls with the rank",
    "base": "The base of the logarithm of the discount",
    "scale_max": "The highest grade of the scale",
    "variant": "Which published definition",
    "A": "What a relevant document in the set is worth",
    "B": "What another document in the set costs",
    "s": "How many documents that are not relevant take the value to 0",
    "p1": "What a relevant document in the set is worth",
    "p2": "What another document in the set is worth",
    "p3": "What a relevant document outside the set is worth",
    "p4": "What another document outside the set is worth",
    "documents": "The size of the whole collection",
}
"""What a parameter of measures means, by its name."""

PLAIN: dict[type, AcceptedValues] = {
    bool: Choice((True, False)),
    int: FiniteNumber("a whole number", whole=True),
    float: FiniteNumber("a number"),
}


def kind_of_default(default: Any) -> tuple[AcceptedValues, bool]:
    """The kind of a parameter without annotation: its default value's, any number where it is None."""
    return PLAIN.get(type(default), PLAIN[float]), default is None


def kind_of(annotation: Any) -> tuple[AcceptedValues, bool]:
    """The kind of an annotation, and whether None is allowed, too."""
    if get_origin(annotation) is Annotated:
        return get_args(annotation)[1], False
    if get_origin(annotation) is Literal:
        return Choice(get_args(annotation)), False
    if annotation in PLAIN:
        return PLAIN[annotation], False
    parts = [part for part in get_args(annotation) if part is not NoneType]
    if len(parts) == 1:
        return kind_of(parts[0])[0], True
    raise TypeError(f"no kind of parameter for {annotation!r}: annotate it with one of gradeval.formula.parameters")


def meant_value(kind: AcceptedValues, value: Any) -> Any:
    """The accepted value that a text was meant to be; any other value, and a text that means none, as it is."""
    if not isinstance(value, str):
        return value
    if isinstance(kind, Choice):
        meant = value if value in kind.words else kind.meant(value)
        return value if meant is None else meant
    return float(value) if isinstance(kind, FiniteNumber) and value.isdecimal() else value


def _bare(word: str) -> str:
    return re.sub(r"[-_ ]", "", word.casefold())


def write(value: Any) -> str:
    """A value as it stands in a measure's name: [0.1,0.9], {1:1,2:3}, 'exp-log2', 2."""
    match value:
        case ByGrade() | dict():
            return "{" + ",".join(f"{write(grade)}:{write(number)}" for grade, number in dict(value).items()) + "}"
        case tuple() | list():
            return "[" + ",".join(map(write, value)) + "]"
        case _:
            return repr(value)

"""What a parameter may be: one declaration gives the check, the message and the help, in Python and for commands.

    samples: Annotated[int, Whole(2, 100_000)] = 2000

Functions check a value on the spot, kinds (``Whole``, ``Share``, ``OneOf`` ...) declare the same in a signature. Each
returns the value as a plain Python object, or raises an InputError that names the parameter, what was passed and what
is accepted. Text, True and numbers of the wrong kind are never taken for numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache, wraps
from inspect import Parameter, cleandoc, signature
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from gradeval._core import InputError
from gradeval.messages import Given, capitalised, nearest, unbox

MOST = 2**31 - 1  # the compiled core and the engines of learning count up to here
FEW = 3  # words that a message lists with "or"
NONE = "none"  # what a command calls None


def whole(name: str, value: object, least: int, most: int = MOST, *, unit: str = "") -> int:
    """A whole number in a range; 2.0, "2" and True are refused. ``unit`` says what it counts, as in "ranks"."""
    plain = _as_number(value)
    if isinstance(plain, int) and least <= plain <= most:
        return plain
    kind = f"a whole number of {unit}" if unit else "a whole number"
    end = "" if most == MOST and not (isinstance(plain, int) and plain > most) else f" to {most}"
    raise InputError(Given(name, value), f" is not {kind} from {least}{end}")


def number(
    name: str,
    value: object,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    kind: str = "a number",
) -> float:
    """A finite number in a range, whose ends belong to it (``least``, ``most``) or not (``above``, ``below``)."""
    plain = _as_number(value)
    if (
        plain is not None
        and _is_finite(plain)
        and (least is None or plain >= least)
        and (above is None or plain > above)
        and (most is None or plain <= most)
        and (below is None or plain < below)
    ):
        return float(plain)
    begin = f" from {least:g}" if least is not None else f" above {above:g}" if above is not None else ""
    end = f" below {below:g}" if below is not None else f" {most:g}" if most is not None else ""
    link = (" to" if least is not None else ", up to" if most is not None else " and") if begin and end else ""
    accepted = f"{kind}{begin}{link}{end}" if begin or end else "a finite number"
    raise InputError(Given(name, value), f" is not {accepted}")


def share(name: str, value: object, example: float) -> float:
    """A share above 0 and below 1, such as a level of significance."""
    plain = _as_number(value)
    if plain is None or not 0 < plain < 1:
        raise InputError(Given(name, value), f" is not between 0 and 1, as in {example:g}")
    return float(plain)


def one_of(name: str, value: object, accepted: Iterable[str | None]) -> None:
    """Require one of some words (or None, where that is among them)."""
    words = accepted if isinstance(accepted, tuple) else tuple(accepted)
    if (value is None or isinstance(value, str)) and value in words:
        return
    from gradeval.synonyms import meant_by  # here, as words are seldom wrong

    *others, last = map(repr, words)
    listed = f"{', '.join(others)} or {last}" if len(words) <= FEW else f"one of {', '.join(map(str, words))}"
    meant = meant_by(value, [*filter(None, words)]) if isinstance(value, str) else []
    raise InputError(Given(name, value), f" is not {listed}{f'; did you mean {meant[0]}?' if meant else ''}")


def flag(name: str, value: object) -> bool:
    """True or False; an InputError for anything else, such as "no"."""
    if not isinstance(unbox(value), bool):
        raise InputError(Given(name, value), " is not True or False")
    return bool(value)


def seed(value: object) -> int:
    """A seed for random numbers: a whole number from 0."""
    plain = _as_number(value)
    if not isinstance(plain, int) or plain < 0:
        raise InputError(Given("seed", value), " is not a whole number from 0")
    return plain


def threads(value: object) -> int:
    """A number of threads; 0 stands for one on each core."""
    plain = _as_number(value)
    if not isinstance(plain, int) or not 0 <= plain <= MOST:
        raise InputError(Given("threads", value), " is not a number of threads from 1, or 0 for all cores")
    return plain


T = TypeVar("T")


def find_twice(names: Iterable[T]) -> T | None:
    """The first name that stands there before already; None where each is there once."""
    seen: set[T] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


P = ParamSpec("P")
R = TypeVar("R")


def known_arguments(**meant: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function, or the constructor of a class, answer arguments that it does not take by an InputError.

    ``meant`` says of some words that it does not take what a user probably wants, as in ``valid="give eval_set"``.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if isinstance(function, type):
            function.__init__ = known_arguments(**meant)(function.__init__)  # type: ignore[misc]  # of a class
            return cast(Callable[P, R], function)

        @wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> R:
            try:
                return function(*args, **options)
            except TypeError:
                require_arguments(function, args, options, meant)
                raise

        return call

    return decorate


def require_arguments(
    function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any], meant: Mapping[str, str]
) -> None:
    """An InputError where a call gives what the function does not take, or lacks what it needs."""
    form = signature(function)
    try:
        form.bind(*args, **options)
    except TypeError as error:
        is_method = next(iter(form.parameters)) in ("self", "cls")
        owner = args[0] if is_method and isinstance(args[0], type) else type(args[0]) if is_method else None
        name = function.__name__ if owner is None else f"{owner.__name__}.{function.__name__}"
        taken = [one for one, parameter in form.parameters.items() if parameter.kind is not Parameter.VAR_KEYWORD]
        taken, place = taken[is_method:], name.removesuffix(".__init__")
        if owner is not None and function.__name__ != "__init__":
            meant = {**_made_with(owner, options, taken), **meant}
        if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in form.parameters.values()):
            require_known(place, options, taken, meant)
        raise InputError(f"{place}: {error}; it takes {', '.join(taken) or 'none'}") from None


def _made_with(owner: type, given: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """What to give instead of words that a method does not know, where the constructor takes them."""
    from gradeval.synonyms import meant_by  # here, as words are seldom wrong

    made = [*signature(owner).parameters]
    found = {word: [word] if word in made else meant_by(word, made) for word in given if not meant_by(word, known)}
    return {word: f"give it as {owner.__name__}({names[0]}=...)" for word, names in found.items() if names}


def require_known(place: str, given: Iterable[str], known: Sequence[str], meant: Mapping[str, str]) -> None:
    """An InputError for the first word that is not known; ``meant`` says of some what to give instead."""
    for word in given:
        if word not in known:
            from gradeval.synonyms import instead_of, meant_by  # here, as words are seldom wrong

            named, lacking = meant_by(word, known), instead_of(word, known, "{}=".format)
            near = f" (did you mean {named[0]}?)" if named else f": {lacking}" if lacking else nearest(word, known)
            hint = f": {meant[word]}" if word in meant else near
            raise InputError(f"{place}: there is no {word!r}{hint}; it takes {', '.join(known) or 'none'}") from None


def _as_number(value: object) -> int | float | None:
    """A number as a Python int or float; None where the value is no number."""
    plain = unbox(value)
    return plain if isinstance(plain, int | float) and not isinstance(plain, bool) else None


def _is_finite(value: int | float) -> bool:
    return value.bit_length() < 1024 if isinstance(value, int) else math.isfinite(value)


class Kind:
    """What a parameter of a function may be.

    ``metavar`` is what the help of a command shows in place of a value. ``check`` gives the value in its plain form, or
    an InputError that says what is accepted; ``parse`` gives the value that a word of the command line stands for, or
    the text itself where it stands for none.
    """

    @property
    def metavar(self) -> str:
        return "TEXT"

    def check(self, _: str, value: Any) -> Any:
        return value

    def parse(self, text: str) -> Any:
        return text


# Kinds are made at every start: to compare, to print and to freeze them would take most of its time.
@dataclass(eq=False, repr=False)
class Anything(Kind):
    """A value that the function checks itself."""

    metavar: str = "TEXT"


@dataclass(eq=False, repr=False)
class InFile(Anything):
    """What a command takes the name of a file for."""

    metavar: str = "FILE"


@dataclass(eq=False, repr=False)
class Whole(Kind):
    """A whole number in a range; ``unit`` says what it counts."""

    least: int
    most: int = MOST
    unit: str = ""
    metavar: str = "N"

    def check(self, name: str, value: Any) -> int:
        return whole(name, value, self.least, self.most, unit=self.unit)

    def parse(self, text: str) -> Any:
        return parse_whole(text)


class Resamples(Whole):
    """A number of resamples behind intervals; 0: no intervals. One has no spread."""

    def check(self, name: str, value: Any) -> int:
        number = super().check(name, value)
        if number == 1:
            raise InputError(Given(name, 1), ": one resample has no spread; accepted: 0 (no intervals), or 2 and more")
        return number


@dataclass(eq=False, repr=False)
class Number(Kind):
    """A finite number in a range whose ends belong to it (``least``, ``most``) or not (``above``, ``below``)."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    kind: str = "a number"
    metavar: str = "X"

    def check(self, name: str, value: Any) -> float:
        return number(name, value, least=self.least, above=self.above, most=self.most, below=self.below, kind=self.kind)

    def parse(self, text: str) -> Any:
        return parse_number(text)


@dataclass(eq=False, repr=False)
class Share(Kind):
    """A share above 0 and below 1."""

    example: float
    metavar: str = "LEVEL"

    def check(self, name: str, value: Any) -> float:
        return share(name, value, self.example)

    def parse(self, text: str) -> Any:
        return parse_number(text)


@dataclass(eq=False, repr=False)
class OneOf(Kind):
    """One of some words; None among them is the word "none" on the command line."""

    words: tuple[str | None, ...]

    @property
    def metavar(self) -> str:
        return f"[{'|'.join(word or NONE for word in self.words)}]"

    def check(self, name: str, value: Any) -> str | None:
        one_of(name, value, self.words)
        return None if value is None else str(value)

    def parse(self, text: str) -> str | None:
        return None if text == NONE and None in self.words else text


@dataclass(eq=False, repr=False)
class Flag(Kind):
    """True or False, which a command line gives by the name of the option alone."""

    metavar: str = ""

    def check(self, name: str, value: Any) -> bool:
        return flag(name, value)

    def parse(self, text: str) -> Any:
        return {"True": True, "False": False}.get(text, text)


@dataclass(eq=False, repr=False)
class Names(Kind):
    """A name or several; on the command line the option is repeated, as names may hold commas."""

    metavar: str = "NAME"

    def check(self, name: str, value: Any) -> tuple[str, ...]:
        names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
        for one in names:
            if not isinstance(one, str):
                raise InputError(Given(name, one), " is not a name; accepted: a name, or several")
        return names


@dataclass(eq=False, repr=False)
class Several(Kind):
    """Several values of a kind, in a list, or a single number; on the command line with commas between them."""

    one: Kind
    accepts: str
    metavar: str = "LIST"

    def check(self, name: str, value: Any) -> tuple[Any, ...]:
        several = (value,) if _as_number(value) is not None else value
        if isinstance(several, str | bytes) or not isinstance(several, Iterable):
            raise InputError(Given(name, value), f": accepted are {self.accepts}")
        values = tuple(self.one.check(name, each) for each in several)
        if not values:
            raise InputError(f"{name} is empty: accepted are {self.accepts}")
        return values

    def parse(self, text: str) -> Sequence[Any]:
        return [self.one.parse(part.strip()) for part in text.split(",")]


@dataclass(eq=False, repr=False)
class Each(Several):
    """One value of a kind, or several, with each of which a study is done; the results stand side by side."""

    def check(self, name: str, value: Any) -> tuple[Any, ...]:
        values = super().check(name, value if isinstance(value, list | tuple) else [value])
        if (twice := find_twice(values)) is not None:
            raise InputError(f"{name}: {twice} is given twice; accepted are different {self.accepts}")
        return values


@dataclass(eq=False, repr=False)
class _Count(Kind):
    """A whole number that is called the same wherever it is accepted."""

    accept: Callable[[object], int]
    metavar: str = "N"

    def check(self, _: str, value: Any) -> int:
        return self.accept(value)

    def parse(self, text: str) -> Any:
        return parse_whole(text)


Alpha: TypeAlias = Annotated[float, Share(0.05)]
"""A level of significance: tests reject where p is below it, and intervals cover 1 - alpha."""
Seed: TypeAlias = Annotated[int, _Count(seed)]
"""One seed is one set of resamples of the topics, in every study."""
Threads: TypeAlias = Annotated[int, _Count(threads)]
"""Threads: 0 takes all cores. The answer is the same."""


def parse_whole(text: str) -> Any:
    """A whole number as Python writes it; the text itself where it is none."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else text


def parse_number(text: str) -> Any:
    """A number as Python writes it; the text itself where it is none."""
    try:
        return float(text) if text.isascii() and "_" not in text else text
    except ValueError:
        return text


def kind_of_annotation(annotation: Any) -> tuple[Kind, bool]:
    """The kind that an annotation declares, and whether None is accepted, too."""
    if get_origin(annotation) is Annotated:
        kinds = [one for one in get_args(annotation)[1:] if isinstance(one, Kind)]
        return (kinds[0], False) if kinds else kind_of_annotation(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        words = get_args(annotation)
        return OneOf(tuple(word for word in words if word is not None)), None in words
    if get_origin(annotation) in (Union, UnionType):
        parts = get_args(annotation)
        kinds = [part for part in parts if part is not NoneType]
        return kind_of_annotation(kinds[0])[0] if len(kinds) == 1 else Anything(), NoneType in parts
    return PLAIN.get(annotation, Anything()), annotation is NoneType


PLAIN: dict[Any, Kind] = {bool: Flag(), int: Whole(-MOST), float: Number()}


@dataclass(frozen=True)
class Declared:
    """A parameter as a signature or a field declares it."""

    name: str
    kind: Kind
    default: Any
    optional: bool
    help: str

    @property
    def required(self) -> bool:
        """Must it be given?"""
        return self.default is Parameter.empty

    def check(self, value: Any, name: str = "") -> Any:
        """The value in its plain form, or an InputError; ``name``: what the user calls the parameter."""
        return None if value is None and self.optional else self.kind.check(name or self.name, value)


def read_helps(docstring: str) -> dict[str, str]:
    """What the section Parameters of a docstring says of each parameter."""
    section = docstring.partition("\nParameters\n")[2].partition("\n\n")[0] or docstring
    texts: dict[str, str] = {}
    for names, text in re.findall(r"^(\w[\w, ]*) : (.*(?:\n +.*)*)", section, re.M):
        plain = " ".join(text.replace("``", "").split())
        texts |= {name: capitalised(plain) for name in names.split(", ")}
    return texts


def read_parameters(
    function: Callable[..., Any], helps: dict[str, str], wanted: Callable[[Parameter], bool]
) -> dict[str, Declared]:
    """The parameters of a function that are wanted, by their names."""
    hints = get_type_hints(function, include_extras=True)
    found = filter(wanted, signature(function).parameters.values())
    return {one.name: read_parameter(one.name, hints[one.name], one.default, helps) for one in found}


def check_arguments(function: Callable[..., Any], **given: Any) -> list[Any]:
    """Some arguments of a function in their plain form, checked as its signature declares; else an InputError."""
    declared = read_parameters(function, {}, lambda one: one.name in given)
    return [declared[name].check(value) for name, value in given.items()]


def read_parameter(name: str, annotation: Any, default: Any, helps: dict[str, str]) -> Declared:
    """A parameter, from its annotation."""
    kind, optional = kind_of_annotation(annotation)
    return Declared(name, kind, default, optional or default is None, helps.get(name, ""))


@cache
def read_fields(of: type) -> dict[str, Declared]:
    """The parameters that a dataclass is made with, which its fields declare, by their names."""
    hints = get_type_hints(of, include_extras=True)
    helps: dict[str, str] = {}
    for one in reversed(of.__mro__):
        helps |= read_helps(cleandoc(one.__doc__ or ""))
    made = {
        field.name: Parameter.empty if field.default is MISSING else field.default for field in fields(of) if field.init
    }
    return {name: read_parameter(name, hints[name], default, helps) for name, default in made.items()}

"""What a message is made of: text and what was given, so that no code needs to read it.

The errors of the core get their parts here. Texts of users are shortened, and their control characters are written out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self, TypeAlias

from gradeval._core import InputError

LONGEST = 40  # characters of a wrong value that a message repeats
LISTED = 6  # names that a message lists before it counts the rest


class Given(NamedTuple):
    """A parameter and its value, as a part of a message: ``samples=0``, which a command spells ``--samples 0``.

    ``text``: the value as the message writes it. Default: its repr, cut where it is long.
    """

    parameter: str
    value: Any
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.parameter}={shown(self.value) if self.text is None else visible(self.text)}"


def plain(parameter: str, value: object) -> Given:
    """A parameter whose value a message writes without quotes, cut where it is long."""
    text = str(value)
    return Given(parameter, value, text[:LONGEST] + "..." * (len(text) > LONGEST))


class Typed(NamedTuple):
    """What to type, as a part of a message: on a command line, and in Python."""

    command: str
    python: str

    def __str__(self) -> str:
        return self.python


MessagePart: TypeAlias = str | Given | Typed
"""A part of a message: text, what was given, or what to type."""

InputError.__doc__ = """Something that the user passed is wrong: a file, a number, a name.

The message is one line: the place (``file:line``), what was given, what is accepted, and a remedy. The command line
prints it and ends with status 2. It is a ValueError.

It is made of parts, text and ``Given``, so that nobody needs to read it: InputError(Given("samples", 0), " is ...").

Attributes
----------
args : the parts of the sentence.
sentence : the parts as one text, without the places.
places : what stands before the sentence, each with a colon: ``within(place)`` is the same error in a place.
given : the parameters of which the message speaks, each with its value.
"""


class Said(str):
    """The sentence of an error, which it keeps: a command spells the parameters in it as options."""

    __slots__ = ("error",)
    error: InputError

    @classmethod
    def of(cls, error: InputError) -> Self:
        """What an error says."""
        said = cls(error)
        said.error = error
        return said


def _make_error(error: InputError, *parts: MessagePart) -> None:
    # Errors of the core are made here, too: whoever logs an error gets its text without control characters of a file.
    ValueError.__init__(error, *(part if isinstance(part, Given | Typed) else visible(str(part)) for part in parts))
    error.places = ()


def _put_within(error: InputError, place: str | Given) -> InputError:
    inside = type(error)(*error.args)
    inside.places = (place if isinstance(place, Given) else visible(place), *error.places)
    return inside


def _follow(error: InputError, words: str) -> InputError:
    longer = type(error)(*error.args, words)
    longer.places = error.places
    return longer


def _write_error(error: InputError, spell: Callable[[Given], str] = str) -> str:
    """The message, with parameters as ``spell`` spells them; as the command line has it where it is given one."""
    parts = [*(part for place in error.places for part in (place, ": ")), *error.args]
    told = (part.command if isinstance(part, Typed) and spell is not str else part for part in parts)
    return "".join(spell(part) if isinstance(part, Given) else str(part) for part in told)


def _find_given(error: InputError) -> list[Given]:
    return [part for part in (*error.places, *error.args) if isinstance(part, Given)]


for _name, _member in {
    "__init__": _make_error,
    "__str__": _write_error,
    "write": _write_error,
    "within": _put_within,
    "followed_by": _follow,
    "sentence": property(lambda error: "".join(map(str, error.args))),
    "given": property(_find_given),
}.items():
    setattr(InputError, _name, _member)


def nearest(name: str, known: Iterable[str]) -> str:
    """The text `` (did you mean ...?)`` with the nearest known names, empty if none is near."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def set_apart(name: str) -> str:
    """A name as it stands in a list: in quotes where it has a comma itself and neither quotes nor brackets."""
    return f"'{name}'" if ", " in name and not re.search("['\"()]", name) else name


def list_some(names: Sequence[str], many: int = LISTED) -> str:
    """List some names, and count the rest."""
    rest = len(names) - many
    return ", ".join(names[:many]) + (f" and {rest} more" if rest > 0 else "")


def list_topics(topics: Sequence[str], many: int = LISTED) -> str:
    """List some topics, and count the rest; queries may have commas themselves."""
    return list_some([*map(set_apart, topics[:many]), *topics[many:]], many)


def plural(number: int, what: str) -> str:
    """A number of things: 1 topic, 2 topics."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def join_names(names: Sequence[str], most: int | None = None) -> str:
    """Join names as in a sentence: a, b and c; of more than ``most`` the last ones are counted."""
    if most is not None and len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def capitalised(text: str) -> str:
    """A text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def as_sentence(text: object) -> str:
    """A note or a clause as a sentence: it begins with a capital letter and ends with a full stop or a question
    mark."""
    said = capitalised(str(text))
    return said if said.endswith("?") else f"{said}."


def shown(value: object) -> str:
    """A value as a message repeats it, cut where it is long."""
    text = " ".join(repr(unbox(value)).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


@contextmanager
def naming(name: str, value: object) -> Iterator[None]:
    """Begin errors with the parameter whose value is to blame, as in topics=few:9: ..."""
    try:
        yield
    except InputError as error:
        raise error.within(plain(name, value)) from None


CONTROLS = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Characters that move the cursor, break a line or change the direction of writing, and lone surrogates."""


def visible(text: str, keep: str = "") -> str:
    """A text with its control characters written out, as in ``\\n``, ``\\x1b`` and ``\\u202e``, except those to keep.

    Names come from files that anybody may have written: an escape sequence among them must not reach a terminal.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(
        CONTROLS, lambda match: match[0] if match[0] in keep else match[0].encode("unicode_escape").decode(), text
    )


def kind_of(value: object) -> str:
    """The type of a value with its article: an int, a list."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def unbox(value: Any) -> Any:
    """A scalar of NumPy as a Python object, anything else as it is; this module does not import NumPy."""
    numpy = sys.modules.get("numpy")
    return value.item() if numpy is not None and isinstance(value, numpy.generic) else value

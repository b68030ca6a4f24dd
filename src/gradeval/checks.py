"""Checks of the numbers and words that users pass, one for each kind, for the whole library.

Each function returns the value as a plain Python object, or raises an InputError that names the parameter, what was
passed and what is accepted. Text, True and numbers of the wrong kind are never taken for numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np

from gradeval._core import InputError

InputError.__doc__ = """Something that the user passed is wrong: a file, a number, a name.

The message is one line: the place (``file:line``), what was given, what is accepted, and a remedy. The command line
prints it and ends with status 2. It is a ValueError.
"""

MOST = 2**31 - 1  # the compiled core and the engines of learning count up to here
LONGEST = 40  # characters of a wrong value that a message repeats
FEW = 3  # words that a message lists with "or"


def whole(name: str, value: object, least: int, most: int = MOST, *, unit: str = "") -> int:
    """A whole number in a range; 2.0, "2" and True are refused. ``unit`` says what it counts, as in "ranks"."""
    plain = _plain(value)
    if isinstance(plain, int) and least <= plain <= most:
        return plain
    kind = f"a whole number of {unit}" if unit else "a whole number"
    end = "" if most == MOST and not (isinstance(plain, int) and plain > most) else f" to {most}"
    raise InputError(f"{name}={shown(value)} is not {kind} from {least}{end}")


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
    plain = _plain(value)
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
    raise InputError(f"{name}={shown(value)} is not {accepted}")


def share(name: str, value: object, example: float) -> float:
    """A share above 0 and below 1, such as a level of significance."""
    plain = _plain(value)
    if plain is None or not 0 < plain < 1:
        raise InputError(f"{name}={shown(value)} is not between 0 and 1, as in {example:g}")
    return float(plain)


def one_of(name: str, value: object, accepted: Iterable[str | None]) -> None:
    """Require one of some words (or None, where that is among them)."""
    words = accepted if isinstance(accepted, tuple) else tuple(accepted)
    if (value is None or isinstance(value, str)) and value in words:
        return
    *others, last = map(repr, words)
    listed = f"{', '.join(others)} or {last}" if len(words) <= FEW else f"one of {', '.join(map(str, words))}"
    raise InputError(f"{name}={shown(value)} is not {listed}")


def flag(name: str, value: object) -> bool:
    """True or False; an InputError for anything else, such as "no"."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}={shown(value)} is not True or False")
    return bool(value)


def seed(value: object) -> int:
    """A seed for random numbers: a whole number from 0."""
    plain = _plain(value)
    if not isinstance(plain, int) or plain < 0:
        raise InputError(f"seed={shown(value)} is not a whole number from 0")
    return plain


def threads(value: object) -> int:
    """A number of threads; 0 stands for one on each core."""
    plain = _plain(value)
    if not isinstance(plain, int) or not 0 <= plain <= MOST:
        raise InputError(f"threads={shown(value)} is not a number of threads from 1, or 0 for all cores")
    return plain


def shown(value: object) -> str:
    """A value as a message repeats it, cut where it is long."""
    text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that move the cursor, break a line or change the direction of writing, and lone surrogates."""


def visible(text: str, keep: str = "") -> str:
    """A text with its control characters written out, as in ``\\n``, ``\\x1b`` and ``\\u202e``, but for those to keep.

    Names come from files that anybody may have written: an escape sequence among them must not reach a terminal.
    """
    if text.isascii() and text.isprintable():
        return text
    return CONTROLS.sub(lambda match: match[0] if match[0] in keep else _write_out(match[0]), text)


def _write_out(control: str) -> str:
    return control.encode("unicode_escape").decode()


def kind_of(value: object) -> str:
    """The type of a value with its article: an int, a list."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def nearest(name: str, known: Iterable[str]) -> str:
    """The text `` (did you mean ...?)`` with the nearest known names, empty if none is near."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def _plain(value: object) -> int | float | None:
    """A number as a Python int or float; None where the value is no number."""
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, int | float) and not isinstance(plain, bool) else None


def _is_finite(value: int | float) -> bool:
    return value.bit_length() < 1024 if isinstance(value, int) else math.isfinite(value)

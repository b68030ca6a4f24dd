"""What users give as numbers: looked over once, and plain Python numbers from there on, which JSON can say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from gradeval._core import InputError

if TYPE_CHECKING:
    pass


MOST = 2**31 - 1  # engines count with so much
SIGMA = (1e-6, 1e6)  # beyond, scores or their squares leave what single precision can say
LONGEST = 40  # characters of what is no number that a message repeats


def whole(name: str, value: object, least: int, most: int = MOST) -> int:
    """A whole number of a range; an InputError for anything else, such as 2.0, "2" or True."""
    found = _real(value)
    if not isinstance(found, int) or not least <= found <= most:
        raise InputError(f"{name}={shown(value)} is not a whole number from {least} to {most}")
    return found


def number(name: str, value: object, *, most: float, zero: bool = False) -> float:
    """A number above 0 (``zero``: or 0) up to the most; an InputError for anything else, such as "0.1" or True."""
    found = _real(value)
    if found is None or not (0 < found <= most or (zero and found == 0)):
        raise InputError(f"{name}={shown(value)} is not a number {'from' if zero else 'above'} 0, up to {most:g}")
    return float(found)


def flag(name: str, value: object) -> bool:
    """Yes or no; an InputError for anything else, such as "no"."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}={shown(value)} is not True or False")
    return bool(value)


def sigma(value: object) -> float:
    """The steepness of lambdarank's logistic function, or the uncertainty of softrank's scores."""
    found = _real(value)
    if found is None or not SIGMA[0] <= found <= SIGMA[1]:
        raise InputError(f"sigma={shown(value)} is not a number from {SIGMA[0]:g} to {SIGMA[1]:g}")
    return float(found)


def truncation(value: object) -> int | None:
    """The number of first ranks of which one must be in a pair; None: any pair counts."""
    return None if value is None else whole("truncation", value, 1)


def shown(value: object) -> str:
    """A value as a message repeats it: not more than begins it."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _real(value: object) -> int | float | None:
    """The number that a value is; None if it is none."""
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, int | float) and not isinstance(plain, bool) else None


def require_seed(seed: object) -> None:
    """An InputError unless it is a whole number that a generator can begin with."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed={seed!r} is not a whole number from 0")


CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What moves a cursor, breaks a line, turns the direction of writing, or is no character."""


def visible(text: str, keep: str = "") -> str:
    """A text with its control characters written out, as in ``\\n``, ``\\x1b`` and ``\\u202e``, but for those to keep.

    Names come from files that anybody may have written: an escape sequence among them must not reach a terminal.
    """
    if text.isascii() and text.isprintable():
        return text
    return CONTROLS.sub(lambda found: found[0] if found[0] in keep else _written_out(found[0]), text)


def _written_out(control: str) -> str:
    return control.encode("unicode_escape").decode()


def nearest(name: str, known: Iterable[str]) -> str:
    """The words `` (did you mean ...?)`` with the nearest known names, or nothing."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(close)}?)" if close else ""

"""Ids of two sides of which one has something before or behind, as ``.html``, ``doc-`` or the beginning of a URL."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

MARK = re.compile(r"[!-/:-@\[-`{-~]+")
"""What stands between the parts of an id."""
OUTSIDE = "[^[:alnum:]_.#:/@%+~-]"
"""What stands around an id in a text, as a regular expression: blanks, quotes, commas and brackets."""
FEWEST = 2
"""Pairs with the same difference, from which on it is hardly chance."""


class Cut(NamedTuple):
    """An id without its beginning or its end, and that part, which has a mark where it was cut off."""

    rest: str
    affix: str
    behind: bool

    @property
    def shape(self) -> tuple[str, bool]:
        """The part with all its numbers alike: ``#0`` and ``#12`` are of one shape."""
        return re.sub(r"\d+", "0", self.affix), self.behind


def cut_id(one: str) -> Iterator[Cut]:
    """All ways to cut off what stands behind or before a mark."""
    for mark in MARK.finditer(one):
        if mark.start():
            yield Cut(one[: mark.start()], one[mark.start() :], True)
        if mark.end() < len(one):
            yield Cut(one[mark.end() :], one[: mark.end()], False)


def pair_affixed(here: Iterable[str], there: Collection[str]) -> Iterator[tuple[str, str]]:
    """Ids here, each with the id there from which it differs by a prefix or a suffix alone."""
    whole = {*there}
    longer = {cut.rest: other for other in there for cut in cut_id(other)}
    for one in here:
        other = next((cut.rest for cut in cut_id(one) if cut.rest in whole), None) or longer.get(one)
        if other is not None and one not in whole:
            yield one, other


def find_cut(pair: tuple[str, str]) -> tuple[int, Cut] | None:
    """Which of both ids has more than the other one, by its place in the pair, and what that is; None: neither."""
    for place in (0, 1):
        for cut in cut_id(pair[place]):
            if cut.rest == pair[1 - place]:
                return place, cut
    return None


def keep_likely(
    pairs: Sequence[tuple[str, str, str]], sides: tuple[Iterable[str], Iterable[str]] = ((), ()), least: int = FEWEST
) -> list[tuple[str, str, str]]:
    """The pairs behind their topics with the most frequent difference, ``least`` or more.

    ``sides``: ids of both. What is usual in ids of the other side is no difference, as where all end in ``-41``.
    """
    usual = [{cut.shape for one in ids for cut in cut_id(one)} for ids in sides]
    groups: dict[object, list[tuple[str, str, str]]] = {}
    for pair in pairs:
        found = find_cut(pair[1:])
        if found is not None and found[1].shape not in usual[1 - found[0]]:
            groups.setdefault((found[0], *found[1].shape), []).append(pair)
    most = max(groups.values(), key=len, default=[])
    return most if len(most) >= least else []


def remedy_of_affix(pairs: Sequence[tuple[str, str]], sides: tuple[str, str]) -> str:
    """How to remove what all ids of one side have before or behind them; empty where they differ otherwise."""
    cuts = [find_cut(pair) for pair in pairs]
    alike = {(side, cut.affix, cut.behind) for side, cut in filter(None, cuts)}
    if None in cuts or len(alike) != 1 or len(pairs) < FEWEST:
        return ""
    ((side, affix, behind),) = alike
    strip = f"{'removesuffix' if behind else 'removeprefix'}({affix!r})"
    return (
        f"remove {affix!r} from ids of the {sides[side]}: {_strip_text(affix, behind=behind)}in pandas df[COLUMN] = "
        f"df[COLUMN].astype(str).str.{strip}, where COLUMN has these ids; where COLUMN has lists of ids: "
        f"df[COLUMN] = df[COLUMN].map(lambda ids: [one.{strip} for one in ids])"
    )


def _strip_text(affix: str, *, behind: bool) -> str:
    """The line for files of text, where ids stand alone or within lists, as in JSON; nothing where it may cut numbers,
    or the shell may read it otherwise."""
    if "'" in affix or not re.search(r"[^\d.-]", affix):
        return ""
    pattern = re.sub(r"[][.*^$+?{}|()\\/]", r"\\\g<0>", affix)
    cut = rf'([^[:space:]"]){pattern}({OUTSIDE}|$)/\1\2' if behind else rf"(^|{OUTSIDE}){pattern}/\1"
    return f"in a file of text, also within lists: sed -E 's/{cut}/g' FILE > NEW; "

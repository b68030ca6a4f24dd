"""The texts of the topics and documents that a result or a page shows, and what to say of those that have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gradeval.files.accepted import GivenTexts
from gradeval.files.texts import Text, TextKind, read_texts, require_some
from gradeval.messages import list_some, plural
from gradeval.warning_categories import Note


class ShownTexts(NamedTuple):
    """Texts by the ids of the topics or documents that are shown, and what to say of them."""

    texts: Mapping[str, Text]
    notes: list[Note]


def read_shown(given: GivenTexts | None, kind: TextKind, ids: Sequence[str]) -> ShownTexts:
    """The texts of what is shown; none where none were given.

    Raises
    ------
    InputError : as ``read_texts``; none of the ids has a text there.
    """
    if given is None or not ids:
        return ShownTexts({}, [])
    texts = read_texts(given, kind, ids)
    require_some(texts, ids)
    notes = []
    if lacking := texts.lacking(ids):
        have = "has" if len(lacking) == 1 else "have"
        said = f"{len(lacking):,} of {plural(len(ids), kind)} {have} no text ({list_some(lacking)}); ids stand for it"
        notes.append(Note(said, place=texts.place))
    if texts.repeated:
        said = f"{plural(texts.repeated, 'text')} came again for a {kind} that had one; the first is shown"
        notes.append(Note(said, place=texts.place))
    return ShownTexts(texts.by_id, notes)

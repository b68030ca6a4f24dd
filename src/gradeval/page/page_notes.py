"""Which notes stand on a page: those that say what changes its numbers, or casts doubt on them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from gradeval.warning_categories import Note, NoteWeight


def choose_warnings(notes: Iterable[Note], places: Iterable[str]) -> list[str]:
    """Warnings, and notes that weigh as much, the weightiest first, as sentences and without folders.

    ``places``: the files that were read, as they were given.
    """
    kept = [note for note in notes if note.category is not None or note.weight >= NoteWeight.DOUBT]
    kept.sort(key=lambda note: -note.weight)
    said = [text if (text := str(note)).endswith("?") else f"{text}." for note in kept]
    return list(dict.fromkeys(_without_folders(text, places) for text in said))


def _without_folders(sentence: str, places: Iterable[str]) -> str:
    """A sentence without the folders of this machine in which the files lie."""
    folders = {os.path.dirname(place) for place in places if os.path.isabs(place)}
    for folder in sorted(folders - {os.sep}, key=len, reverse=True):
        sentence = sentence.replace(f"{folder}{os.sep}", "").replace(folder, os.path.basename(folder))
    return sentence

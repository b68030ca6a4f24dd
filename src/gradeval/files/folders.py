"""The files that places name: those that lie in a folder, those that fit a pattern, and single ones."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Iterable, Iterator

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.files.source import unreadable
from gradeval.warning_categories import FilesWarning, level_of_caller


def list_files(places: Iterable[Path]) -> list[str]:
    """The files of a folder (see ``files_in``) and of a pattern such as ``runs/*.gz``, in the order of their names;
    other places as they are, links among them."""
    return [file for place in places for file in _files_of(os.fspath(place))]


def _files_of(place: str) -> Iterator[str]:
    if os.path.isdir(place):
        yield from files_in(place)
    elif glob.has_magic(place) and not os.path.exists(place):
        yield from sorted(filter(os.path.isfile, glob.glob(place))) or [place]
    else:
        yield place


def files_in(folder: str, what: str = "files", endings: tuple[str, ...] = ("",)) -> list[str]:
    """The files in a folder whose names have one of these endings, in the order of their names; not hidden ones, nor
    those of folders in it. ``what``: how an error calls them.

    Folders in it, links that lead nowhere or out of the folder, pipes, sockets and devices are left out, with a
    FilesWarning that counts them: who may put links into a folder of submissions would else choose which files of its
    reader are read.
    """
    files: list[str] = []
    folders: list[str] = []
    links = nowhere = special = 0
    root = os.path.join(os.path.realpath(folder), "")
    for entry in _entries(folder):
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and (not entry.is_symlink() or _lies_in(root, entry.path)):
            folders.append(entry.name)
        elif not entry.name.endswith(endings):
            continue
        elif entry.is_symlink() and not _lies_in(root, entry.path):
            nowhere += not os.path.exists(entry.path)
            links += os.path.exists(entry.path)
        elif entry.is_file():
            files.append(entry.path)
        else:
            special += 1
    names = sorted(folders)
    shown = f" ({', '.join(names[:3])}{f' and {len(names) - 3} more' if names[3:] else ''})"
    parts = [
        f"{number} {one if number == 1 else several}"
        for number, one, several in (
            (len(folders), f"folder in it{shown}", f"folders in it{shown}"),
            (links, "link that leads out of it", "links that lead out of it"),
            (nowhere, "link that leads nowhere", "links that lead nowhere"),
            (special, "pipe or device", "pipes or devices"),
        )
        if number
    ]
    left_out = ", ".join(parts[:-1]) + " and " * (len(parts) > 1) + "".join(parts[-1:])
    if not files:
        but = f" but {left_out}, which are not read; name each to be read, as in" if left_out else "; name files, as in"
        raise InputError(f"{folder}: the folder holds no {what}{but} {os.path.join(folder, '*')}")
    if left_out:
        text = f"{folder}: left out of the folder: {left_out}; a file that is named by itself is read"
        warnings.warn(text, FilesWarning, stacklevel=level_of_caller())
    return sorted(files)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise unreadable(folder, error) from error


def _lies_in(root: str, link: str) -> bool:
    """Does the target of a link exist, below the root?"""
    return os.path.realpath(link).startswith(root) and os.path.exists(link)

"""The files that places name: what lies in a folder, what fits a pattern, and single files; what is plainly no run
(README.md, run.sh, judgments) is left out."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from shlex import quote
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.files.column_names import is_name_of_column
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.source import unreadable
from gradeval.messages import Given, Typed, list_some
from gradeval.warning_categories import FilesWarning, warn

Folder: TypeAlias = Literal["one", "several"]
"""Are the files of a folder the parts of one run, or of one set of judgments, or is each a run?"""

MARKERS = ("_SUCCESS", "_metadata", "_common_metadata")
"""What Spark and Dask leave in a folder of parts."""
PART = re.compile(r"part(-|[._]\d)")
"""How parts are called: part-00000-4e2c.snappy.parquet of Spark, part.0.parquet of Dask, part-0.parquet of pyarrow."""
KEY = re.compile(r"([^=/]+)=([^/]*)")
"""How a folder of Hive is called, as topic=301 is."""
ENDINGS = re.compile(r"(\.[A-Za-z]\w*)+$")
OF_MACOS = "__macosx"
"""The folder in which an archive that a Mac made keeps what other systems have no use for."""
OF_SYSTEMS = ("thumbs.db", "desktop.ini", ".ds_store", OF_MACOS)
"""What Windows and macOS leave in folders, in lower case."""
MOST_NAMED = 5
"""Files that a note names."""
NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""The value of such a folder whose rows have none."""


def list_files(places: Iterable[Path], folder: Folder | None = None) -> list[str]:
    """The files of a folder (see ``files_in``) and of a pattern such as ``runs/*.gz``, in the order of their names;
    other places as they are, links and folders of parts among them (see ``is_of_parts``); see ``without_junk``."""
    return [file for place in without_junk(places) for file in _files_of(os.fspath(place), folder)]


T = TypeVar("T")


def without_junk(places: Iterable[T]) -> list[T]:
    """The places except what Windows and macOS leave in folders (a shell may have expanded ``runs/*``): left out with a
    FilesWarning, where there are others. Anything but a place stays."""
    given = list(places)
    junk = [str(one) for one in given if is_junk(one)]
    if not junk or len(junk) == len(given):
        return given
    files = "file" if len(junk) == 1 else "files"
    names = list_some(sorted({*junk}), MOST_NAMED)
    warn(f"left out as {files} of the operating system: {names}; name it alone to read it", FilesWarning)
    return [one for one in given if not is_junk(one)]


def is_junk(place: object) -> bool:
    """Is it something that Windows or macOS left there, by its name: ``Thumbs.db``, ``._run.txt``, in ``__MACOSX``?"""
    if not isinstance(place, str | os.PathLike):
        return False
    folder, name = os.path.split(str(place).rstrip("/").lower())
    return name.startswith("._") or name in OF_SYSTEMS or OF_MACOS in folder.split("/")


def list_run_files(
    places: Iterable[Path],
    folder: Folder | None = None,
    format: str | None = None,
    columns: Columns = GUESSED,
    features: str = "FEATURES",
) -> list[str]:
    """The files of ``list_files``; those in folders and patterns that are plainly no runs are left out. ``features``:
    the file that a trained ranker may rank, as a message says.

    A FilesWarning says what is left out. A damaged run stays, for its reader to refuse; so does a file that is named by
    itself. Where the user names the ``format``, only archives, unfinished files and copies are left out.
    """
    files: list[str] = []
    for place in without_junk([os.fspath(place) for place in places]):
        listed = list_files([place], folder)
        several = os.path.isdir(place) and not is_of_parts(place, folder)
        if several or (glob.has_magic(place) and not os.path.exists(place)):
            listed = _without_strays(place, listed, format, columns, features)
        files += listed
    return files


def _without_strays(place: str, files: Sequence[str], format: str | None, columns: Columns, features: str) -> list[str]:
    from gradeval.files.shapes import ARCHIVE, COPY, RANKER, shape_of  # here, as most runs are named one by one

    shapes = {file: shape_of(file, columns) for file in files}
    if RANKER in shapes.values():
        raise _rank_first(place, features, "a run")
    what = {file: one.no_run for file, one in shapes.items() if format is None or one in (ARCHIVE, COPY)}
    strays = {file: kind for file, kind in what.items() if kind}
    if not strays:
        return list(files)
    names = list_some([f"{os.path.basename(file)} ({kind})" for file, kind in strays.items()], MOST_NAMED)
    if len(strays) == len(files):
        raise InputError(f"{place}: holds no run, but {names}; name the folder or the files of the runs")
    warn(f"{place}: left out, as no runs: {names}; a file that is named by itself is read", FilesWarning)
    return [file for file in files if file not in strays]


def _rank_first(folder: str, features: str, wanted: str) -> InputError:
    """The error for a model where a run or judgments are ``wanted``."""
    model = folder.rstrip(os.sep)
    typed = f"gradeval rank {quote(model)} {quote(features)} -o {quote(f'{model}.run')}"
    in_python = f"features.run(gradeval.ltr.load_ranker({model!r}).score(features))"
    return InputError(
        f"{model}: is a trained ranker, not {wanted}; rank documents by it first: ", Typed(typed, in_python)
    )


def name_other(file: str, columns: Columns = GUESSED) -> str:
    """What a file plainly is instead of a run, as "text"; empty: it may be a run, whole or damaged."""
    from gradeval.files.shapes import shape_of  # here, as most runs can be read

    return shape_of(file, columns).no_run


@contextmanager
def saying_how_to_leave_out(file: object, places: Sequence[object]) -> Iterator[None]:
    """Where a file that nobody named cannot be read, the error says how to leave it out of its folder.

    ``places``: the files and folders that were named.
    """
    try:
        yield
    except InputError as error:
        remedy = _how_to_leave_out(os.fspath(file), places) if isinstance(file, str | os.PathLike) else ""
        if not remedy:
            raise
        raise error.followed_by(remedy) from None


def _how_to_leave_out(file: str, places: Sequence[object]) -> str:
    """What an error adds about a file in a folder that was named, or that is no run among others; empty: nothing."""
    from gradeval.files.shapes import OF_JUDGMENTS  # here, as most runs can be read

    folder, ending = os.path.dirname(file), os.path.splitext(file)[1]
    alone = bool(folder) and all(os.path.dirname(str(place)) == folder for place in places)
    table = ending.lower() in (".csv", ".tsv", ".json", ".jsonl", ".parquet")  # one that cannot be read may be a run
    named = len(places) > 1 and not table and file in map(str, places)
    what = name_other(file) if named else ""
    if what == OF_JUDGMENTS:
        return "; it holds judgments: join files of judgments first, as in cat FILE OTHER > joined.txt"
    if alone and what:
        return f"; it is no run ({what}): give the folder {folder} instead, which leaves such files out"
    folders = (place for place in places if isinstance(place, str | os.PathLike) and os.path.isdir(place))
    if not os.path.isdir(folder) or not any(os.path.samefile(place, folder) for place in folders):
        return ""
    endings = Counter(os.path.splitext(other)[1] for other in os.listdir(folder))
    [(most, number)] = endings.most_common(1)
    if number <= endings[ending]:
        return f"; else move it out of {folder}"
    return f"; if it is of another kind, leave it out: '{folder}/*{most}'"


def _files_of(place: str, folder: Folder | None) -> Iterator[str]:
    if os.path.isdir(place):
        if is_of_parts(place, folder):
            yield place
        else:
            yield from files_in(place)
    elif glob.has_magic(place) and not os.path.exists(place):
        yield from without_junk(sorted(filter(os.path.isfile, glob.glob(place)))) or [place]
    else:
        yield place


def files_in(folder: str, what: str = "files", endings: tuple[str, ...] = ("",)) -> list[str]:
    """The files in a folder whose names have one of these endings, in the order of their names; not hidden files, nor
    files of its folders. ``what``: how an error calls them.

    Folders in it, links that lead nowhere or out of the folder, pipes, sockets and devices are left out, with a
    FilesWarning that counts them: else whoever puts links into a folder of submissions would choose which files of its
    reader are read.
    """
    files: list[str] = []
    folders: list[str] = []
    links = nowhere = special = 0
    root = os.path.join(os.path.realpath(folder), "")
    hidden: list[str] = []
    for entry in _entries(folder):
        if entry.name.startswith(".") or entry.name in MARKERS:
            continue
        if entry.is_dir() and (not entry.is_symlink() or _lies_in(root, entry.path)):
            (hidden if is_junk(entry.name) else folders).append(entry.name)
        elif not entry.name.endswith(endings):
            continue
        elif is_hidden(entry.name):
            hidden.append(entry.name)
        elif entry.is_symlink() and not _lies_in(root, entry.path):
            nowhere += not os.path.exists(entry.path)
            links += os.path.exists(entry.path)
        elif entry.is_file():
            files.append(entry.path)
        else:
            special += 1
    parts = [
        f"{number} {one if number == 1 else several}"
        for number, one, several in (
            (len(folders), f"folder in it{_list(folders)}", f"folders in it{_list(folders)}"),
            (len(hidden), f"hidden file{_list(hidden)}", f"hidden files{_list(hidden)}"),
            (links, "link that leads out of the folder", "links that lead out of the folder"),
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
        warn(f"{folder}: left out of the folder: {left_out}; a file that is named by itself is read", FilesWarning)
    return sorted(files)


def _list(names: list[str]) -> str:
    """Some names, in brackets."""
    return f" ({list_some(sorted(names), 3)})"


def is_hidden(name: str) -> bool:
    """Is it the name of a file that readers of partitions pass over, or that a system left there?"""
    return name.startswith((".", "_")) or name.endswith(".crc") or is_junk(name)


def is_of_parts(folder: str, asked: Folder | None = None) -> bool:
    """Are the files of a folder the parts of one run, or of one set of judgments?

    So ``asked`` says, else what the files are called: all part-* or in folders called key=value, or with _SUCCESS or
    _metadata. Files called key=value are parts where the key is the usual name of a column: mu=1000.run may be one of
    several runs.
    """
    if asked is not None:
        return asked == "one"
    some = False
    for entry in _entries(folder):
        if entry.name in MARKERS:
            return True
        if is_hidden(entry.name):
            continue
        key = KEY.match(entry.name)
        if not (PART.match(entry.name) or (key and (entry.is_dir() or is_name_of_column(key[1])))):
            return any(os.path.exists(os.path.join(folder, marker)) for marker in MARKERS)
        some = True
    return some


class PartFile(NamedTuple):
    """A part in a folder: its path, and what the folders around it are called after."""

    path: str
    keys: dict[str, str]


def list_parts(folder: str) -> list[PartFile]:
    """The parts in a folder and in its folders called key=value, in the order of their names, in which numbers count
    as such: part.10 follows part.9. Hidden files are passed over; the rest as ``files_in`` says."""
    root = os.path.join(os.path.realpath(folder), "")
    parts: list[PartFile] = []
    _add_parts(parts, root, folder, {})
    if not parts:
        raise InputError(
            f"{folder}: the folder holds no parts that are read; name files, as in {os.path.join(folder, '*')}"
        )
    return parts


def _add_parts(parts: list[PartFile], root: str, folder: str, keys: dict[str, str]) -> None:
    left_out: list[str] = []
    for entry in sorted(_entries(folder), key=lambda entry: (_in_numbers(entry.name), entry.name)):
        if is_hidden(entry.name):
            continue
        key = KEY.match(ENDINGS.sub("", entry.name) if entry.is_file() else entry.name)
        named = keys if key is None else {**keys, **_unquoted(key[1], key[2])}
        if entry.is_dir(follow_symlinks=False) and key is not None:
            _add_parts(parts, root, entry.path, named)
        elif entry.is_file() and (not entry.is_symlink() or _lies_in(root, entry.path)):
            parts.append(PartFile(entry.path, named if key and is_name_of_column(key[1]) else keys))
        else:
            left_out.append(entry.name)
    if left_out:
        warn(
            f"{folder}: left out of the folder: {len(left_out)}{_list(left_out)}; files in the folder and in its "
            "folders called key=value are read, but no pipes, devices or outside links",
            FilesWarning,
        )


def _unquoted(key: str, value: str) -> dict[str, str]:
    """What a folder says, where Spark and others write signs as %3A; nothing where its rows have no value."""
    from urllib.parse import unquote  # here, as few files lie in such folders

    return {} if value == NOTHING else {unquote(key): unquote(value)}


def _in_numbers(name: str) -> list[tuple[str, int]]:
    """A name, to be ordered by the numbers in it."""
    return [(text, int(number or -1)) for text, number in re.findall(r"([^\d]*)(\d*)", name, re.ASCII)]


FOLDS = "if they are folds, score each with its judgments and take the mean by topic: docs/ratings.md, Folds"
"""What to do about files of folds."""
OF_JUDGMENTS, USUAL_JUDGMENTS = "qrels", "test.tsv"
"""The folder in which a collection of BEIR has its judgments, and those that papers report on."""


def several_in_folder(folder: str, *, judgments: bool = False) -> InputError:
    """The error for a folder of several files where one run, or one set of ``judgments``, is asked for."""
    from gradeval.files.shapes import RANKER, shape_of  # here, as most folders are of parts

    if shape_of(os.path.join(folder, "card.json")) is RANKER:
        return _rank_first(folder, "FEATURES", "judgments" if judgments else "a run")
    inner = os.path.join(folder, OF_JUDGMENTS)
    if (
        judgments
        and os.path.isdir(inner)
        and (names := sorted(file.name for file in _entries(inner) if file.is_file()))
    ):
        name = USUAL_JUDGMENTS if USUAL_JUDGMENTS in names else names[0]
        return InputError(f"{folder}: is a folder that has its judgments in {inner}; write {os.path.join(inner, name)}")
    return InputError(
        f"{folder}: is a folder whose files are not called as parts are; name a file in it, as in "
        f"{os.path.join(folder, 'FILE')}; {FOLDS}; if all are parts of one, give ",
        Given("folder", "one"),
    )


def files_are_runs(folder: str) -> str:
    """What to do where a folder is read as one run, but its files may be runs: a pattern names them one by one."""
    return f"if each of its files is a run, name them: {quote(os.path.join(folder, '*'))}; {FOLDS}"


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise unreadable(folder, error) from error


def _lies_in(root: str, link: str) -> bool:
    """Does the target of a link exist, below the root?"""
    return os.path.realpath(link).startswith(root) and os.path.exists(link)

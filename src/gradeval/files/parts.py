"""Folders of parts: many files that are one run, or one set of judgments, as Spark, Dask and DuckDB write them."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from functools import cached_property

from gradeval._core import InputError, Lines, Pools
from gradeval.collection.qrels import rule_of_judgments
from gradeval.files.column_names import InputKind, is_name_of_run, place_among_runs
from gradeval.files.folders import files_are_runs, list_parts
from gradeval.files.run_tables import PartTopics, part_of_pools, require_apart
from gradeval.files.source import Buffer, Source


class FilePart(Source):
    """A file in a folder of parts, and what its folders are called after."""

    def __init__(self, path: str, keys: dict[str, str], whole: Source) -> None:
        super().__init__(path, repeated=whole.repeated, encoding=whole.encoding)
        self.keys = keys


class Parts(Source):
    """Some files that are read as if they were one, in their order."""

    def __init__(self, whole: Source, parts: Sequence[Source]) -> None:
        super().__init__(whole, repeated=whole.repeated, encoding=whole.encoding)
        self._parts = parts

    @property
    def parts(self) -> Sequence[Source]:
        """The files."""
        return self._parts

    @cached_property
    def plain(self) -> bytes | None:
        """None: parts are read into memory."""
        return None

    @cached_property
    def data(self) -> Buffer:
        """The text of all parts."""
        texts = [part.data.removeprefix(BOM_UTF8) for part in self._parts]
        return b"".join(text if text.endswith(b"\n") else text + b"\n" for text in texts)

    @property
    def beginning(self) -> bytes:
        """The first bytes of the first part."""
        return self._parts[0].beginning


def open_parts(whole: Source, kind: InputKind) -> list[tuple[str, Parts]]:
    """The parts of a folder that are not empty. Runs that lie in folders of their own, as run=bm25, are apart, each
    with its name; else there is one, without."""
    folder = whole.place
    files = [FilePart(file.path, file.keys, whole) for file in list_parts(folder)]
    filled = [file for file in files if file.beginning.strip()]
    if not filled:
        number = "its only part is" if len(files) == 1 else f"all {len(files)} parts are"
        raise InputError(
            f"{folder}: {number} empty; name a folder with lines of {'judgments' if kind == 'qrels' else 'a run'}"
        )
    by_name: dict[str, list[Source]] = {}
    for file in filled:
        naming = sorted(filter(is_name_of_run, file.keys), key=place_among_runs) if kind == "run" else []
        by_name.setdefault(" ".join(file.keys[name] for name in naming), []).append(file)
    return [(name, Parts(whole, parts)) for name, parts in by_name.items()]


def require_lines(parts: Parts, kind: InputKind) -> None:
    """Check each part of TREC text by itself, so that errors name the file; and that no two have a pair in common."""
    if kind == "qrels":
        rule = rule_of_judgments(parts.repeated)
        pools = [(Pools.of_bytes(one.data, one.place, rule), one.place) for one in parts.parts]
        if not parts.repeats:
            require_apart(parts.place, [part_of_pools(*one) for one in pools])
        return
    lines = [(one.place, Lines.of_bytes(one.data, one.place)) for one in parts.parts]
    (first, one), *others = lines
    if other := next(((place, more.tag()) for place, more in others if more.tag() != one.tag()), None):
        raise InputError(
            f"{other[0]}: the tag {other[1]!r} is another than {one.tag()!r} in {first}, and the folder is read as one "
            f"run; {files_are_runs(parts.place)}"
        )
    if parts.repeats:
        for _, one in lines:
            len(one.keeping("first"))
        return
    require_apart(parts.place, [PartTopics(place, one.topics(), one.of) for place, one in lines])

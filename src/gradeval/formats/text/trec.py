"""TREC text: judgments (topic iteration document grade) and runs (topic Q0 document rank score tag)."""

from __future__ import annotations

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import Path, name_place
from gradeval.files.whole import whole_file
from gradeval.formats.text.columns import BLANK, _require_columns, write_number


def write_run(run: Run, path: Path, tag: str | None = None) -> None:
    """Write a run as TREC text: each topic by score descending, then document id descending, ranks from 1.

    Scores are the shortest text that reads back exactly. ``tag`` is the last column; default: the run's name.
    """
    tag = tag if tag is not None else run.name
    place = name_place(path)
    if not tag or BLANK.search(tag):
        raise InputError(f"{place}: tag {tag!r} would not be one column; give a tag without blanks: tag=")
    with whole_file(path) as file:
        for topic in run.topics:
            _require_columns(topic, "topic", place)
            # Strings compare by code point, which is the order of their UTF-8 bytes.
            ranked = sorted(run.of(topic).items(), key=lambda line: (line[1], line[0]), reverse=True)
            lines = [
                f"{topic} Q0 {document} {rank} {write_number(score)} {tag}\n"
                for rank, (document, score) in enumerate(ranked, start=1)
            ]
            for document, _ in ranked:
                _require_columns(document, "document", place)
            file.write("".join(lines).encode())


def write_qrels(qrels: Qrels, path: Path) -> None:
    """Write judgments as TREC text, in their order and with their grades as given: read again, they are the
    same."""
    place = name_place(path)
    offsets = qrels.pools.offsets.tolist()
    with whole_file(path) as file:
        for number, topic in enumerate(qrels.topics):
            _require_columns(topic, "topic", place)
            documents = qrels.pools.documents(number)
            grades = qrels.grades[offsets[number] : offsets[number + 1]].tolist()
            for document in documents:
                _require_columns(document, "document", place)
            lines = [
                f"{topic} 0 {document} {write_number(grade)}\n"
                for document, grade in zip(documents, grades, strict=True)
            ]
            file.write("".join(lines).encode())

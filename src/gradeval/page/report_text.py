"""A report as JSON and as Markdown: the sections of the page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gradeval.messages import visible
from gradeval.page.section import Section
from gradeval.tables.long import jsonl
from gradeval.tables.markup import escape_markdown, markdown
from gradeval.tables.table import Table
from gradeval.version import __version__


def as_json(title: str, sections: Sequence[Section], byline: Mapping[str, str]) -> str:
    """The sentences and the exact values of all sections."""
    parts = [
        {
            "section": section.name,
            "question": section.heading,
            "answer": section.answer,
            "warnings": list(section.warnings),
            "tiles": dict(section.tiles),
            "facts": dict(section.facts),
            "details": list(section.details),
            "measures": dict(section.measures),
            "meaning": list(section.meaning),
            "redo": list(section.redo),
            "texts": dict(section.texts),
            "tables": {titled.title: _records_of_table(titled.table) for titled in section.tables},
        }
        for section in sections
    ]
    whole = {"gradeval": __version__, "title": title, **byline, "sections": parts}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def as_markdown(title: str, sections: Sequence[Section], byline: Mapping[str, str]) -> str:
    """Headings, sentences and tables, for a pull request or a wiki."""
    lines = [f"# {_escape_text(title)}\n", *([f"{_escape_text('; '.join(byline.values()))}\n"] if byline else [])]
    for section in sections:
        lines += [f"## {_escape_text(section.heading)}\n", f"**{_escape_text(section.answer)}**\n"]
        lines += [f"Note: {_escape_text(sentence)}\n" for sentence in section.warnings]
        lines += [
            f"{_escape_text(title)}: {_escape_text(sentence)}\n"
            for title, sentence in [*section.tiles, *section.facts, *section.measures]
        ]
        lines += [f"{_escape_text(sentence)}\n" for sentence in [*section.details, *section.meaning]]
        for titled in section.tables:
            lines += [f"### {_escape_text(titled.title)}\n", "".join(markdown(titled.table.grids))]
        blocks = [*((("Redo"), command) for command in section.redo), *section.texts]
        for heading, text in blocks:
            lines += [f"{_escape_text(heading)}:\n", _fenced(text)]
    return "\n".join(lines)


def _records_of_table(table: Table) -> list[dict[str, Any]]:
    return [json.loads(line) for piece in jsonl(table.records) for line in piece.splitlines()]


def _escape_text(text: str) -> str:
    """A text in a line of Markdown, in which nothing is markup."""
    return escape_markdown(visible(text))


def _fenced(text: str) -> str:
    """A block of text as it is; the fence is longer than any in it."""
    shown = visible(text, keep="\n")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence}\n{shown}\n{fence}\n"

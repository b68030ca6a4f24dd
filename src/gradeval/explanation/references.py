"""What to cite for measures and studies: entries of BibTeX, found by the sources that measures name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from gradeval.formula.definition import Measure

ENTRIES = Path(__file__).with_name("citations.bib")
NAMED = re.compile(r"((?:van )?[A-Z][^\W\d_]+)(?:, [A-Z][^\W\d_]+)*(?: & [A-Z][^\W\d_]+| et al\.)? \((\d{4})\)")
"""A text in a source: Järvelin & Kekäläinen (2002)."""
ACCENT = re.compile(r'\{\\"(\w)\}')


def read_entries() -> dict[str, str]:
    """The text of each entry, by its key."""
    entries = ENTRIES.read_text(encoding="utf-8").strip().split("\n\n")
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}


def source_of(measure: Measure) -> str:
    """The source that the docstring of a measure names, in one line; empty where it names none."""
    text = " ".join((measure.definition.formula.__doc__ or "").split())
    return text.partition("Source: ")[2].strip()


def cited_by(measure: Measure) -> list[str]:
    """The keys of the entries that the source of a measure names: the first author and the year."""
    return [_key(name, year) for name, year in NAMED.findall(source_of(measure))]


def references(measure: Measure) -> list[str]:
    """A line for each text that the source of a measure names: authors, year, title, where it appeared."""
    entries = read_entries()
    return [_reference(entries[key]) for key in cited_by(measure) if key in entries]


def bibtex(keys: Iterable[str]) -> str:
    """The entries of some keys, each once; a key without an entry is left out."""
    entries = read_entries()
    return "\n\n".join(entries[key] for key in dict.fromkeys(keys) if key in entries)


def _key(name: str, year: str) -> str:
    """manning2008: letters without accents and spaces, in lower case, and the year."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return plain.replace(" ", "").lower() + year


def _reference(entry: str) -> str:
    """An entry as a reader sees it."""
    fields = {name: _plain(text) for name, text in re.findall(r"^  (\w+)=\{(.*)\},?$", entry, re.MULTILINE)}
    authors = fields["author"].replace(" and ", "; ")
    where = fields.get("journal") or fields.get("booktitle") or fields["publisher"]
    volume = f" {fields['volume']}({fields['number']})" if {"volume", "number"} <= fields.keys() else ""
    doi = f", doi:{fields['doi']}" if "doi" in fields else ""
    return f"{authors} ({fields['year']}). {fields['title']}. {where}{volume}{doi}"


def _plain(text: str) -> str:
    """A field without LaTeX."""
    accented = ACCENT.sub(lambda found: unicodedata.normalize("NFC", found[1] + "\u0308"), text)
    return accented.replace("\\&", "&").replace("{", "").replace("}", "")

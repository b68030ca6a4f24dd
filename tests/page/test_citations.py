"""Entries of BibTeX, read as BibTeX is read."""

from __future__ import annotations

import re

import pytest

from gradeval.page.citations import OF_MEASURES, read_entries

NEEDED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
}


@pytest.mark.parametrize("key", read_entries())
def test_an_entry_has_the_fields_of_its_kind_and_balanced_braces(key: str) -> None:
    text = read_entries()[key]
    kind, name, body = re.fullmatch(r"@(\w+)\{(\w+),\n(.*)\n\}", text, re.DOTALL).groups()
    fields = dict(re.findall(r"^  (\w+)=\{(.*)\},?$", body, re.MULTILINE))
    assert name == key
    assert NEEDED[kind] <= set(fields)
    assert len(fields) == body.count("\n") + 1
    assert text.count("{") == text.count("}")
    assert key.endswith(fields["year"])
    assert "  " not in f"\n{body}".replace("\n  ", "\n")
    assert re.fullmatch(r"10\.\d{4,5}/\S+", fields.get("doi", "10.1000/none"))


def test_what_is_cited_for_measures_is_there() -> None:
    assert set(OF_MEASURES.values()) <= set(read_entries())

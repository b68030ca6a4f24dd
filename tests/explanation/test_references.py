"""Entries of BibTeX, read as BibTeX is read."""

from __future__ import annotations

import re

import pytest

from gradeval import explain, nDCG, parse_measure
from gradeval.explanation.references import cited_by, read_entries, references, source_of
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.papers.texts.sakai05 import TITLE

NEEDED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "incollection": {"author", "title", "booktitle", "publisher", "year"},
}
ACRONYM = re.compile(r"\b[A-Z][A-Z0-9/-]+\b")


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
    unprotected = re.sub(r"\{[^{}]*\}", "", fields["title"])  # which styles of BibTeX write in lower case
    assert ACRONYM.findall(unprotected) == []


MEASURES = list(REGISTRY.values())


@pytest.mark.parametrize("measure", MEASURES, ids=[measure.name for measure in MEASURES])
def test_every_text_that_a_source_names_has_an_entry(measure: Measure) -> None:
    keys, years = cited_by(measure), re.findall(r"\((\d{4})\)", source_of(measure))
    assert [key[-4:] for key in keys] == years
    assert set(keys) <= set(read_entries())
    assert len(references(measure)) == len(keys)


def test_every_measure_names_a_source() -> None:
    assert [measure.name for measure in MEASURES if not source_of(measure)] == []


@pytest.mark.parametrize(
    ("measure", "keys"),
    [
        ("GAP", ["robertson2010", "ferrante2014"]),
        ("nDCG", ["jarvelin2002", "burges2005"]),
        ("Q(beta=2)@10", ["sakai2005"]),
        ("gP@5", ["kekalainen2002"]),
        ("SetF", ["vanrijsbergen1979"]),
        ("P@5", ["manning2008"]),
        ("NumRet", []),
    ],
)
def test_the_first_author_and_the_year_find_an_entry(measure: str, keys: list[str]) -> None:
    assert cited_by(parse_measure(measure)) == keys


def test_the_text_of_the_q_measure_is_one_everywhere() -> None:
    (reference,) = references(parse_measure("Q"))
    title = re.search(r"title=\{(.*)\}", read_entries()["sakai2005"]).group(1).replace("{", "").replace("}", "")
    assert f"Sakai, Tetsuya (2005). {title}. AIRS 2004, LNCS 3411" == reference
    assert TITLE.casefold() == f"Sakai (2005): {title}".casefold()


def test_an_explanation_lists_the_references_without_latex() -> None:
    text = str(explain(nDCG))
    assert "\n  Järvelin, Kalervo; Kekäläinen, Jaana (2002). Cumulated gain-based evaluation of IR techniques." in text
    for measure in MEASURES:
        assert not set("{}\\") & set("".join(references(measure)))

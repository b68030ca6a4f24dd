"""What to cite: the sources of measures and studies, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gradeval.formula.definition import Measure
from gradeval.studies.report_results import Overview

ENTRIES = Path(__file__).with_name("citations.bib")

OF_MEASURES = {
    "nDCG": "jarvelin2002",
    "DCG": "jarvelin2002",
    "GAP": "robertson2010",
    "xGAP": "ferrante2014",
    "eGAP": "ferrante2014",
    "Q": "sakai2005",
    "RBP": "moffat2008",
    "ERR": "chapelle2009",
    "Bpref": "buckley2004",
}
"""By the name of a measure, what to cite for it."""


def citations(overview: Overview) -> str:
    """BibTeX entries for the measures and studies of a report."""
    entries = read_entries()
    return "\n\n".join(entries[key] for key in dict.fromkeys(_keys(overview)))


def read_entries() -> dict[str, str]:
    """The text of each entry, by its key."""
    entries = ENTRIES.read_text(encoding="utf-8").strip().split("\n\n")
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}


def sources(measures: Sequence[Measure]) -> str:
    """A line for each measure: where its definition comes from."""
    return "\n".join(f"{measure}: {_source(measure)}" for measure in measures)


def _keys(overview: Overview) -> Iterator[str]:
    for measure in overview.scores.measures:
        if measure.name in OF_MEASURES:
            yield OF_MEASURES[measure.name]
    studies: dict[str, object] = {
        "hsu1984 mogstad2024 romano2005": overview.ranks,
        "sakai2016": overview.sizes,
        "wilson1927": overview.bounds,
        "smucker2007 holm1979": overview.comparison or overview.pairs,
        "kendall1945": overview.correlations or overview.robust,
        "sakai2006": overview.discrimination,
        "buckley2004": overview.robust,
        "aslam2005 robertson2010": overview.informative,
        "zobel1998": overview.left_out,
    }
    for keys, study in studies.items():
        if study is not None:
            yield from keys.split()


def _source(measure: Measure) -> str:
    """The source that the docstring of a measure names, in one line."""
    text = " ".join((measure.definition.formula.__doc__ or "").split())
    _, mark, source = text.partition("Source: ")
    return source.strip() if mark else "see gradeval explain"

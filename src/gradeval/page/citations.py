"""What to cite: the sources of measures and studies, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradeval.explanation.references import bibtex, cited_by, source_of
from gradeval.formula.definition import Measure
from gradeval.studies.report_results import Overview


def citations(overview: Overview) -> str:
    """BibTeX entries for the measures and studies of a report."""
    return bibtex(_keys(overview))


def sources(measures: Sequence[Measure]) -> str:
    """A line for each measure: where its definition comes from."""
    return "\n".join(f"{measure}: {source_of(measure) or 'see gradeval explain'}" for measure in measures)


def _keys(overview: Overview) -> Iterator[str]:
    for measure in overview.scores.measures:
        yield from cited_by(measure)
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

"""What to cite: the sources of measures and studies, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradeval.formula.definition import Measure
from gradeval.studies.overview import Overview

ENTRIES: dict[str, tuple[str, str]] = {
    "jarvelin2002": (
        "article",
        'author={J{\\"a}rvelin, Kalervo and Kek{\\"a}l{\\"a}inen, Jaana}; title={Cumulated gain-based evaluation of '
        "IR techniques}; journal={ACM Transactions on Information Systems}; volume={20}; number={4}; year={2002}; "
        "doi={10.1145/582415.582418}",
    ),
    "robertson2010": (
        "inproceedings",
        "author={Robertson, Stephen E. and Kanoulas, Evangelos and Yilmaz, Emine}; title={Extending average precision "
        "to graded relevance judgments}; booktitle={SIGIR}; year={2010}; "
        "doi={10.1145/1835449.1835550}",
    ),
    "ferrante2014": (
        "inproceedings",
        "author={Ferrante, Marco and Ferro, Nicola and Maistro, Maria}; title={Rethinking how to extend average "
        "precision to graded relevance}; booktitle={CLEF}; year={2014}; "
        "doi={10.1007/978-3-319-11382-1_3}",
    ),
    "sakai2005": (
        "inproceedings",
        "author={Sakai, Tetsuya}; title={Ranking the NTCIR systems based on multigrade relevance}; "
        "booktitle={AIRS 2004, LNCS 3411}; year={2005}",
    ),
    "moffat2008": (
        "article",
        "author={Moffat, Alistair and Zobel, Justin}; title={Rank-biased precision for measurement of retrieval "
        "effectiveness}; journal={ACM Transactions on Information Systems}; volume={27}; number={1}; year={2008}; "
        "doi={10.1145/1416950.1416952}",
    ),
    "chapelle2009": (
        "inproceedings",
        "author={Chapelle, Olivier and Metzler, Donald and Zhang, Ya and Grinspan, Pierre}; title={Expected reciprocal "
        "rank for graded relevance}; booktitle={CIKM}; year={2009}; "
        "doi={10.1145/1645953.1646033}",
    ),
    "buckley2004": (
        "inproceedings",
        "author={Buckley, Chris and Voorhees, Ellen M.}; title={Retrieval evaluation with incomplete information}; "
        "booktitle={SIGIR}; year={2004}; "
        "doi={10.1145/1008992.1009000}",
    ),
    "mogstad2024": (
        "article",
        "author={Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel}; title={Inference for "
        "ranks with applications to mobility across neighbourhoods and academic achievement across countries}; "
        "journal={The Review of Economic Studies}; volume={91}; number={1}; year={2024}",
    ),
    "romano2005": (
        "article",
        "author={Romano, Joseph P. and Wolf, Michael}; title={Stepwise multiple testing as formalized data snooping}; "
        "journal={Econometrica}; volume={73}; number={4}; year={2005}; "
        "doi={10.1111/j.1468-0262.2005.00615.x}",
    ),
    "sakai2016": (
        "article",
        "author={Sakai, Tetsuya}; title={Topic set size design}; journal={Information Retrieval Journal}; "
        "volume={19}; number={3}; year={2016}; "
        "doi={10.1007/s10791-015-9273-z}",
    ),
    "sakai2006": (
        "inproceedings",
        "author={Sakai, Tetsuya}; title={Evaluating evaluation metrics based on the bootstrap}; booktitle={SIGIR}; "
        "year={2006}; "
        "doi={10.1145/1148170.1148261}",
    ),
    "smucker2007": (
        "inproceedings",
        "author={Smucker, Mark D. and Allan, James and Carterette, Ben}; title={A comparison of statistical "
        "significance tests for information retrieval evaluation}; booktitle={CIKM}; year={2007}; "
        "doi={10.1145/1321440.1321528}",
    ),
    "kendall1945": (
        "article",
        "author={Kendall, Maurice G.}; title={The treatment of ties in ranking problems}; journal={Biometrika}; "
        "volume={33}; number={3}; year={1945}; "
        "doi={10.1093/biomet/33.3.239}",
    ),
    "aslam2005": (
        "inproceedings",
        "author={Aslam, Javed A. and Yilmaz, Emine and Pavlu, Virgiliu}; title={The maximum entropy method for "
        "analyzing retrieval measures}; booktitle={SIGIR}; year={2005}; "
        "doi={10.1145/1076034.1076042}",
    ),
    "holm1979": (
        "article",
        "author={Holm, Sture}; title={A simple sequentially rejective multiple test procedure}; "
        "journal={Scandinavian Journal of Statistics}; volume={6}; number={2}; year={1979}",
    ),
    "efron1993": (
        "book",
        "author={Efron, Bradley and Tibshirani, Robert J.}; title={An introduction to the bootstrap}; "
        "publisher={Chapman and Hall}; year={1993}",
    ),
    "zobel1998": (
        "inproceedings",
        "author={Zobel, Justin}; title={How reliable are the results of large-scale information retrieval "
        "experiments?}; booktitle={SIGIR}; year={1998}; "
        "doi={10.1145/290941.291014}",
    ),
}
"""The kind and the fields of each entry."""

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
    return "\n\n".join(_entry(key) for key in dict.fromkeys(_keys(overview)))


def sources(measures: Sequence[Measure]) -> str:
    """A line for each measure: where its definition comes from."""
    return "\n".join(f"{measure}: {_source(measure)}" for measure in measures)


def _keys(overview: Overview) -> Iterator[str]:
    for measure in overview.scores.measures:
        if measure.name in OF_MEASURES:
            yield OF_MEASURES[measure.name]
    studies: dict[str, object] = {
        "mogstad2024 romano2005": overview.ranks,
        "sakai2016": overview.sizes,
        "efron1993": overview.bounds,
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


def _entry(key: str) -> str:
    kind, fields = ENTRIES[key]
    lines = ",\n".join(f"  {field.strip()}" for field in fields.split(";"))
    return f"@{kind}{{{key},\n{lines}\n}}"


def _source(measure: Measure) -> str:
    """The source that the docstring of a measure names, in one line."""
    text = " ".join((measure.definition.formula.__doc__ or "").split())
    _, mark, source = text.partition("Source: ")
    return source.strip() if mark else "see gradeval explain"

"""A report cites every text that its measures name, each once."""

from __future__ import annotations

import re
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

from gradeval.formula.spelling import parse_measures
from gradeval.page.citations import citations, sources
from gradeval.studies.report_results import Overview

MEASURES = parse_measures("GAP nDCG@10 xGAP AUC Q")


def test_every_text_of_the_measures_is_cited_once() -> None:
    overview: Any = SimpleNamespace(**{field.name: None for field in fields(Overview)})
    overview.scores = SimpleNamespace(measures=MEASURES)
    keys = re.findall(r"^@\w+\{(\w+),", citations(overview), re.MULTILINE)
    assert keys == ("robertson2010 ferrante2014 jarvelin2002 burges2005 hanley1982 scheel2011 sakai2005".split())


def test_the_source_of_each_measure_is_a_line() -> None:
    lines = sources(MEASURES).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [str(measure) for measure in MEASURES]
    assert lines[-1] == "Q: Sakai (2005), section 2.3; NTCIREVAL."

"""How to compute a report again."""

from __future__ import annotations

import numpy as np

from gradeval import __version__
from gradeval.page.report import Report


def test_settings_versions_and_sources_are_there(made: Report) -> None:
    (section,) = (section for section in made.sections if section.name == "redo")
    texts = dict(section.texts)
    assert texts["Settings"].startswith(
        "measures: nDCG@10 AP GAP\n"
        "  nDCG@10: dcg='log2', gains=the grades, discount='ms', base=2\n"
        "  AP: rel=1, norm='R'\n"
        "  GAP: g=uniform, norm='R'\n"
        "levels of the collection: 0,1,2,3\n"
        "runs: 5; topics: 30\n"
    )
    assert texts["Settings"].endswith("seed: 1")
    assert texts["Versions"].startswith(f"gradeval {__version__}, Python ")
    assert f"NumPy {np.__version__}" in texts["Versions"]
    assert "Command" not in texts  # it was not made by one

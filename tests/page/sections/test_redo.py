"""How to compute a report again."""

from __future__ import annotations

import numpy as np

from gradeval import __version__
from gradeval.page.report import Report


def test_settings_versions_and_sources_are_there(made: Report) -> None:
    (section,) = (section for section in made.sections if section.name == "redo")
    texts = dict(section.texts)
    assert "measures: nDCG@10 AP GAP\nruns: 5; topics: 30\n" in texts["Settings"]
    assert texts["Settings"].endswith("seed: 1")
    assert texts["Versions"].startswith(f"gradeval {__version__}, Python ")
    assert f"NumPy {np.__version__}" in texts["Versions"]
    assert "Command" not in texts  # it was not made by one

"""A report on the example, which tests of pages read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def made() -> Report:
    for package in ("altair", "jinja2", "vl_convert"):
        pytest.importorskip(package)
    from gradeval import report

    runs = sorted((EXAMPLES / "runs").iterdir())[:5]
    return report(EXAMPLES / "qrels.txt", runs, "nDCG@10 AP GAP", studies="correlate,leave-out", seed=1)

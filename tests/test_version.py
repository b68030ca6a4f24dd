from __future__ import annotations

import tomllib
from pathlib import Path

from gradeval import __version__

ROOT = Path(__file__).parents[1]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_names_this_version_and_license() -> None:
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    assert f"version: {__version__}" in lines
    assert f"license: {PROJECT['project']['license']}" in lines


def test_the_changelog_has_a_section_for_this_version() -> None:
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text()

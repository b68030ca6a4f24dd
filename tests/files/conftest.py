"""Every test of files works in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the one that relative paths start from."""
    monkeypatch.chdir(tmp_path)
    return tmp_path

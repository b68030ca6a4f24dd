from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

from gradeval.page import bundling
from gradeval.page.bundling import bundle, bundle_coming

VERSION = "6.1"


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    bundle.cache_clear()


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The versions that are bundled in this process."""
    made: list[str] = []
    monkeypatch.setattr(bundling, "_make", lambda version: made.append(version) or "made here")
    monkeypatch.setattr(bundling.os, "cpu_count", lambda: 2)
    return made


def test_a_process_of_its_own_makes_the_same_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundling.os, "cpu_count", lambda: 2)
    with bundle_coming(VERSION):
        beside = bundle(VERSION)
    bundle.cache_clear()
    assert beside == bundle(VERSION)
    assert "vegaEmbed" in beside
    assert "</script" not in beside


def test_what_comes_is_not_made_again(making: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundling, "COMMAND", "print('made beside', end='')")
    with bundle_coming(VERSION):
        assert bundle(VERSION) == "made beside"
    assert making == []


def test_a_process_that_fails_is_replaced(making: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundling, "COMMAND", "print('half'); raise SystemExit(1)")
    with bundle_coming(VERSION):
        assert bundle(VERSION) == "made here"
    assert making == [VERSION]


def test_no_module_of_the_folder_where_one_works_is_run(
    making: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "vl_convert.py").write_text("def javascript_bundle(*_): return 'hostile'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bundling, "COMMAND", "import sys, vl_convert; print(vl_convert.__file__, end='')")
    with bundle_coming(VERSION):
        assert str(tmp_path) not in bundle(VERSION)


def test_the_process_ends_with_the_report(making: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundling, "COMMAND", "import time; time.sleep(60)")
    begun: list[subprocess.Popen[bytes]] = []

    def interrupted() -> None:
        with bundle_coming(VERSION):
            begun.extend(bundling._coming.values())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert begun[0].returncode is not None
    assert making == []
    assert bundle(VERSION) == "made here"

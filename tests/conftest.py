"""What tests share: the real data sets and the golden values that lie beside the repository, if they do."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Browse, browsing
from hypothesis import settings

SHARED = Path(__file__).resolve().parents[2] / "shared"

# The first example of a test may be slow on a busy machine; no test asserts a time.
settings.register_profile("gradeval", deadline=None)
settings.load_profile("gradeval")

# Threads that wait for work do not turn round and round meanwhile: other tests need the cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Tests start many processes: what one of them compiles the next ones read.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# From folders of their own.
if path := os.environ.get("PYTHONPATH"):
    os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, path.split(os.pathsep)))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked ``long`` run where somebody asks for them, so that all others together take some minutes."""
    if item.get_closest_marker("long") and os.environ.get("GRADEVAL_LONG") != "1":
        pytest.skip("long: GRADEVAL_LONG=1 runs it")


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """Unpack a real data set once and for all: ``data("mq2008")`` is the folder with its files.

    The compressed sets are looked for in $GRADEVAL_DATA, else in ``../shared/data`` beside the repository.
    """
    packed = Path(os.environ.get("GRADEVAL_DATA") or SHARED / "data")
    unpacked = Path(tempfile.gettempdir()) / f"gradeval-data-{getpass.getuser()}"

    def folder(name: str) -> Path:
        if not (packed / name).is_dir():
            pytest.skip(f"no real data set {name} in {packed} (GRADEVAL_DATA names the folder)")
        if not (unpacked / name).is_dir():
            _unpack(packed / "unpack", name, unpacked)
        return unpacked / name

    return folder


def _unpack(script: Path, name: str, into: Path) -> None:
    into.mkdir(mode=0o700, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=into))
    try:
        subprocess.run(["bash", script, beside, name], check=True, stdout=subprocess.DEVNULL)
        try:
            (beside / name).rename(into / name)
        except OSError:  # another process was first
            if not (into / name).is_dir():
                raise
    finally:
        shutil.rmtree(beside)


@pytest.fixture(scope="session")
def golden() -> dict[str, Any]:
    """Reference values of the measures: golden.json from $GRADEVAL_SPEC, else from ``../shared/spec``."""
    path = Path(os.environ.get("GRADEVAL_SPEC") or SHARED / "spec") / "golden.json"
    if not path.is_file():
        pytest.skip(f"no golden values at {path} (GRADEVAL_SPEC names the folder)")
    values: dict[str, Any] = json.loads(path.read_bytes())
    return values


@pytest.fixture(scope="session")
def browse() -> Iterator[Browse]:
    """Open a page in a real browser: ``with browse(path) as visit:``. Skips where no browser is installed."""
    with browsing() as opened:
        yield opened

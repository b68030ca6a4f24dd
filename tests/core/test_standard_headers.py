"""Does the core compile where a header of the standard library includes more than ours does?"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "cpp"
COMPILER = shutil.which("g++")
EVERY_HEADER = "bits/stdc++.h"  # of GCC's library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(COMPILER is None, reason="no g++ here"),
    pytest.mark.skipif(importlib.util.find_spec("nanobind") is None, reason="no nanobind here"),
]


@pytest.mark.parametrize("file", ["bind_files.cpp", "bind_letor.cpp"])
def test_no_function_of_ours_is_taken_for_one_of_the_standard_library(file: str) -> None:
    """A call with a std::string finds functions of std, too; which of them a header brings differs by version."""
    import nanobind

    folders = [CORE, sysconfig.get_paths()["include"], nanobind.include_dir()]
    includes = [f"-I{folder}" for folder in folders]
    command = [
        str(COMPILER),
        "-std=c++20",
        "-fsyntax-only",
        "-include",
        EVERY_HEADER,
        *includes,
        str(CORE / "python" / file),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]

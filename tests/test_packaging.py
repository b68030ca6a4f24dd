"""What says of the project the same thing in several files says the same."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gradeval.arguments import PACKAGES, install_hint

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def _cmake_is_new_enough() -> bool:
    if shutil.which("cmake") is None:
        return False
    printed = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=True).stdout
    needed = re.search(r"cmake_minimum_required\(VERSION (\d+)\.(\d+)", (ROOT / "CMakeLists.txt").read_text())
    there = re.search(r"version (\d+)\.(\d+)", printed)
    assert needed
    assert there
    return [int(part) for part in there.groups()] >= [int(part) for part in needed.groups()]


def test_a_message_names_the_packages_of_an_extra_as_it_is_declared() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    declared = {name: [one for one in extras[name] if not one.startswith("gradeval[")] for name in PACKAGES}
    assert {name: list(packages) for name, packages in PACKAGES.items()} == declared
    assert install_hint("zstd") == f'pip install "{declared["zstd"][0]}"'


def test_no_message_or_page_installs_gradeval_by_a_name_that_no_index_knows_yet() -> None:
    texts = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    assert [path for path in texts if "install 'gradeval[" in path.read_text(encoding="utf-8")] == []


def test_workflows_run_actions_of_one_commit_each() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    used = [line for text in texts for line in re.findall(r"uses: *(.*)", text)]
    assert len(used) > 3
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []
    assert len({line.partition("@")[0] for line in used}) == len(set(used))


def test_the_oldest_python_is_the_same_in_all_places() -> None:
    oldest = re.fullmatch(r">=(3\.\d+)", PROJECT["project"]["requires-python"])
    assert oldest is not None
    classified = [
        name.rpartition(" ")[2]
        for name in PROJECT["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    assert min(classified, key=lambda version: int(version[2:])) == oldest[1]
    assert PROJECT["tool"]["cibuildwheel"]["build"][0] == f"cp{oldest[1].replace('.', '')}-*"
    assert f"Python {oldest[1]} or later" in (ROOT / "README.md").read_text()


@pytest.mark.skipif(not _cmake_is_new_enough(), reason="no CMake here that is new enough")
@pytest.mark.parametrize(
    ("compiler", "sentence"),
    [
        (None, "gradeval is compiled on this machine and there is no C++ compiler: install a C++20 compiler"),
        ('case $* in *--version*) echo old ;; *std=*) exit 1 ;; *) exec c++ "$@" ;; esac', "knows no C++20"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the compilers here are shell scripts")
def test_a_missing_compiler_is_one_sentence(compiler: str | None, sentence: str, tmp_path: Path) -> None:
    place = tmp_path / "c++"
    if compiler is not None:
        if shutil.which("c++") is None:
            pytest.skip("no compiler here to make an old one of")
        place.write_text(f"#!/bin/sh\n{compiler}\n")
        place.chmod(0o755)
    configured = subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(tmp_path / "build"), f"-DCMAKE_CXX_COMPILER={place}"]
        if compiler
        else ["cmake", "-S", str(ROOT), "-B", str(tmp_path / "build")],
        env={"PATH": _path_without_compilers(tmp_path)} if compiler is None else None,
        capture_output=True,
        text=True,
        check=False,
    )
    assert configured.returncode != 0
    assert sentence in " ".join(configured.stderr.split())
    assert configured.stderr.count("CMake Error") == 1


def test_the_last_line_of_a_failed_build_says_what_is_needed() -> None:
    after_failure = PROJECT["tool"]["scikit-build"]["messages"]["after-failure"]
    assert after_failure.strip().startswith("gradeval could not be compiled: it needs a C++20 compiler (")
    assert after_failure.strip().count("\n") == 0


def _path_without_compilers(folder: Path) -> str:
    """A PATH with CMake and its generator alone."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("cmake", "ninja", "make"):
        if program := shutil.which(name):
            (programs / name).symlink_to(program)
    return str(programs)

"""The house: tests mirror src. Who opens a source finds its test by its name, and the other way round.

``src/gradeval/a/x.py`` is tested in ``tests/a/test_x.py``; where that is long, ``test_x_more.py`` stands beside it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gradeval.cli import main

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
SOURCE = ROOT / "src" / "gradeval"

LAWS = {
    "core/test_standard_headers.py": "the core compiles where headers of the standard library include more",
    "cli/test_bad_input.py": "every command: a mistake is one line that says where, what and what to do",
    "cli/test_hostile_names.py": "every command: names are text, whatever is in them",
    "cli/test_main.py": "every command has help, and ends as others do; cli/__init__.py",
    "cli/test_round_trips.py": "every format that is written is read",
    "core/test_exit.py": "the whole core: a process that ends says nothing",
    "core/test_pickles.py": "the whole core: what it holds goes to other processes",
    "files/test_ids_of_all_formats.py": "every format of text: one collection is the same in each",
    "ltr/test_goal_leads.py": "the tests of benchmarks/training/goal.py and leads.py",
    "ltr/test_gpu.py": "what a GPU computes, in all of ltr/",
    "ltr/test_lazy.py": "what importing ltr/ costs",
    "ltr/test_one_objective.py": "every public way to an objective grows the same trees",
    "ltr/test_row_order.py": "every ranker: the order of rows teaches nothing",
    "measures/test_laws.py": "every registered measure",
    "studies/test_held_ranges.py": "what docs/inference/ says of the coverage of tests and intervals",
    "test_collections.py": "the official numbers of three TREC collections",
    "test_docs.py": "README.md and docs/: what they show is so",
    "test_examples.py": "examples/: what its scripts write is what it holds",
    "test_floors.py": "every module: imports go down",
    "test_message_laws.py": "every module: no text of an error is read",
    "test_mirror.py": "every source and every test file",
    "test_names.py": "every class, alias and private function",
    "test_notebook.py": "a notebook, executed",
    "test_packaging.py": "what several files say of the project",
    "test_peers.py": "the same collections by other tools",
    "test_peers_cwl.py": "measures of users who stop, by cwl_eval",
    "test_peers_ranx.py": "the names of ranx",
    "test_peers_recommenders.py": "measures of recommenders, by other tools",
    "test_public_names.py": "every public name",
    "test_release.py": "packaging/release",
    "test_side_doors.py": "every reader: the files that people have",
}
"""Test files that bear no source's name: laws over registries, and tests of the package as a whole."""

BESIDE = {"core": "cpp/**/*.[ch]pp", "docs": "docs/making/*.py"}
"""Folders of tests whose sources stand elsewhere: by the folder the pattern of these."""
BY_OTHER_NAMES = {"test_comparing_outputs.py": "packaging/compare-outputs"}

SOURCES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if not path.name.startswith("__"))
TEST_FILES = sorted(path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
COMMANDS = {name.replace("-", "_") for name in main.list_commands(None)}


def names_in(folder: Path) -> set[str]:
    """What test files of a folder may be called by: its sources; in cli/ the commands, too, which studies make."""
    names = {path.stem for path in SOURCES if path.parent == folder}
    if str(folder) in BESIDE:
        names |= {path.stem for path in ROOT.glob(BESIDE[str(folder)])}
    return names | COMMANDS if str(folder) == "cli" else names


def holds_a_test(path: Path) -> bool:
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in ast.walk(tree))


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_a_source_has_its_test(source: Path) -> None:
    test = source.with_name(f"test_{source.name}")
    assert test in TEST_FILES
    assert holds_a_test(test)


@pytest.mark.parametrize("test", TEST_FILES, ids=str)
def test_a_test_names_its_source_or_is_a_law(test: Path) -> None:
    said = test.stem.removeprefix("test_")
    named = any(said == name or said.startswith(f"{name}_") for name in names_in(test.parent))
    named |= (ROOT / BY_OTHER_NAMES.get(test.as_posix(), "none")).is_file()
    assert named != (test.as_posix() in LAWS)


def test_every_law_is_there() -> None:
    assert {*LAWS, *BY_OTHER_NAMES} <= {test.as_posix() for test in TEST_FILES}

"""What import-linter cannot see: it takes the compiled core for the root, so the root is guarded here."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "gradeval"
MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_leans_on_the_names_of_the_root(path: Path) -> None:
    borrowed = {
        name.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == "gradeval"
        for name in node.names
    }
    submodules = {entry.stem for entry in SOURCE.iterdir()} | {"_core", "__version__"}
    assert borrowed <= submodules


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = {"scipy", "pyarrow", "pandas", "polars", "rich", "click", "torch", "ir_measures", "ir_datasets"}
    listing = "import sys, gradeval; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", listing], check=True, capture_output=True, text=True)
    assert heavy.isdisjoint(loaded.stdout.split())

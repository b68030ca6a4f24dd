"""The house: a name says which thing is meant, so hardly a class, an alias or a private function has a namesake."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "gradeval"
NAMESAKES = {
    "Array": "what NumPy has; `formula` and `tables` stand on one floor and do not know each other",
    "Column": "of a table that is printed; of Arrow, by which features are exchanged",
    "Correction": "of p values for their number; of clicks for positions: both are the parameter's name",
    "Estimator": "what scikit-learn calls a ranker; of a value under uncertain scores: the parameter's name",
    "Progress": "counts of any work; the epochs of training: both are the parameter's name",
    "Result": "of a study; of one training in a crossvalidation",
    "Swaps": "the study of that name; what a swap of documents changes, by the name of the method",
}
"""Names of classes and aliases that stand in two files, and what each is there."""
MOST_NAMESAKES = 10
MOST_FILES = 3
"""Files in which private functions may have one name."""


def find_types(tree: ast.Module) -> Iterator[str]:
    """The names of all classes of a module, and of its aliases: names in CamelCase that it assigns."""
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        targets: list[ast.expr] = [node.target] if isinstance(node, ast.AnnAssign) else []
        targets += node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Name) and target.id.strip("_")[:1].isupper() and not target.id.isupper():
                yield target.id


def find_private_functions(tree: ast.Module) -> Iterator[str]:
    """The names of the functions of a module that begin with one underscore."""
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    yield from (name for name in functions if name.startswith("_") and not name.startswith("__"))


MODULES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
FILES_OF_TYPE: defaultdict[str, set[str]] = defaultdict(set)
FILES_OF_FUNCTION: defaultdict[str, set[str]] = defaultdict(set)
for module, parsed in MODULES.items():
    for type_name in find_types(parsed):
        FILES_OF_TYPE[type_name].add(module)
    for function_name in find_private_functions(parsed):
        FILES_OF_FUNCTION[function_name].add(module)


def test_no_two_files_have_one_name() -> None:
    files: defaultdict[str, list[Path]] = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        files[path.name].append(path.relative_to(SOURCE))
    assert {name: places for name, places in files.items() if len(places) > 1 and name != "__init__.py"} == {}


def test_hardly_a_class_or_alias_has_a_namesake() -> None:
    twice = {name: sorted(files) for name, files in FILES_OF_TYPE.items() if len(files) > 1}
    assert {name: files for name, files in twice.items() if name not in NAMESAKES} == {}
    assert twice.keys() == NAMESAKES.keys(), "a namesake that is gone is still listed"
    assert len(NAMESAKES) <= MOST_NAMESAKES
    assert all(len(files) == 2 for files in twice.values())


def test_no_private_function_has_its_name_in_many_files() -> None:
    many = {name: sorted(files) for name, files in FILES_OF_FUNCTION.items() if len(files) > MOST_FILES}
    assert many == {}


def test_classes_and_aliases_are_found_wherever_they_stand() -> None:
    source = "Key: TypeAlias = int\nBox = dict[str, Key]\nLIMIT = 3\nT = TypeVar('T')\nclass C:\n    class D: ..."
    assert sorted(find_types(ast.parse(source))) == ["Box", "C", "D", "Key"]

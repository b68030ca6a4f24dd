"""LightGBM's text of trees, looked over before LightGBM reads it: its reader trusts what it gets."""

from __future__ import annotations

from collections.abc import Sequence

from gradeval._core import InputError

REMEDY = "train the model again or copy it whole"
HEAD = {"version": "v4", "num_class": "1", "num_tree_per_iteration": "1"}
NODES = ("split_feature", "threshold", "decision_type", "left_child", "right_child")


def require_forest(text: str, features: int, place: str) -> None:
    """An InputError where a text is not whole trees of numeric splits on so many features, as LightGBM 4 writes them.

    Looked at is all that its reader uses as a place in memory: the sizes of the trees, the features of the splits, and
    the children, each of which must be reached once, from a split before it.
    """
    try:
        head, trees = _sections(text)
        for name, value in HEAD.items():
            if head.get(name) != value:
                raise ValueError(f"{name} is {head.get(name)}, not {value}")
        if head.get("max_feature_idx") != str(features - 1):
            raise ValueError(f"max_feature_idx is {head.get('max_feature_idx')}, not {features - 1}")
        for number, tree in enumerate(trees):
            _require_tree(tree, features, number)
    except (ValueError, KeyError) as error:
        what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{place}: does not hold whole LightGBM trees ({what}); {REMEDY}") from None


def _sections(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """What the head says, and each tree; their lengths must be those that the head names."""
    if not text.isascii() or "\r" in text or "\0" in text:
        raise ValueError("no plain text")
    begin = text.find("\n\nTree=0\n")
    end = text.find("\nend of trees\n")
    if not text.startswith("tree\n") or begin < 0 or end < begin:
        raise ValueError("no trees, or no end of them")
    head = _fields(text[:begin].splitlines()[1:])
    sizes = [int(size) for size in head["tree_sizes"].split()]
    trees = []
    at = begin + 2
    for number, size in enumerate(sizes):
        block = text[at : at + size]
        if size < 1 or len(block) < size or not block.startswith(f"Tree={number}\n") or not block.endswith("\n\n"):
            raise ValueError(f"tree {number} is not {size} bytes long")
        trees.append(_fields(block.splitlines()))
        at += size
    if text[at:].lstrip("\n")[:12] != "end of trees":
        raise ValueError("more trees than tree_sizes names")
    return head, trees


def _fields(lines: Sequence[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in filter(None, lines):
        name, _, value = line.partition("=")
        if name in fields:
            raise ValueError(f"{name} stands twice")
        fields[name] = value
    return fields


def _require_tree(tree: dict[str, str], features: int, number: int) -> None:
    leaves = int(tree["num_leaves"])
    if leaves < 1 or tree["num_cat"] != "0" or tree.get("is_linear", "0") != "0":
        raise ValueError(f"tree {number} has {leaves} leaves, {tree['num_cat']} splits by category")
    values = [float(value) for value in tree["leaf_value"].split()]
    if len(values) != leaves or not all(abs(value) < float("inf") for value in values):
        raise ValueError(f"tree {number} has {len(values)} values for {leaves} leaves, or one is not finite")
    if leaves == 1:
        return
    nodes = {name: tree[name].split() for name in NODES}
    if any(len(node) != leaves - 1 for node in nodes.values()):
        raise ValueError(f"tree {number} lacks a part of its {leaves - 1} splits")
    if any(not 0 <= int(feature) < features for feature in nodes["split_feature"]):
        raise ValueError(f"tree {number} splits by a feature that is not there")
    if any(
        int(kind) not in range(0, 12, 2) or float(at) != float(at)
        for kind, at in zip(nodes["decision_type"], nodes["threshold"], strict=True)
    ):
        raise ValueError(f"tree {number} has a split that is no comparison of numbers")
    children = [(place, int(child)) for name in NODES[3:] for place, child in enumerate(nodes[name])]
    reached = sorted(child for _, child in children)
    if reached != [*range(-leaves, 0), *range(1, leaves - 1)] or any(0 < child <= place for place, child in children):
        raise ValueError(f"tree {number} has splits or leaves that are not reached once")

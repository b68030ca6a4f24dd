"""A check of LightGBM's text of trees before LightGBM reads it, as its reader trusts the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gradeval._core import InputError

REMEDY = "train the model again or copy it whole"
BEGIN, END = "\n\nTree=0\n", "\nend of trees\n"

WHOLE = re.compile(r"-?\d{1,9}", re.ASCII)
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d{1,3})?", re.ASCII)
CODES = re.compile(r"-?\d{1,9}(:-?\d{1,9})*", re.ASCII)
RANGE = re.compile(rf"none|\[{NUMBER.pattern}:{NUMBER.pattern}\]|{CODES.pattern}", re.ASCII)
WORD = re.compile(r"\d{1,10}", re.ASCII)

FIXED = {"version": "v4", "num_class": "1", "num_tree_per_iteration": "1", "label_index": "0"}
HEAD = {*FIXED, "max_feature_idx", "feature_names", "feature_infos", "tree_sizes"}
SPLITS = {
    "split_feature": WHOLE,
    "decision_type": WHOLE,
    "left_child": WHOLE,
    "right_child": WHOLE,
    "threshold": NUMBER,
    "split_gain": NUMBER,
    "internal_value": NUMBER,
    "internal_weight": NUMBER,
    "internal_count": WHOLE,
}
LEAVES = {"leaf_value": NUMBER, "leaf_weight": NUMBER, "leaf_count": WHOLE}
TREE = {"Tree", "num_leaves", "num_cat", "is_linear", "shrinkage", *SPLITS, *LEAVES}
SETS = {"cat_boundaries", "cat_threshold"}  # of a tree with splits by categories
BY_CATEGORY = (1, 3, 5, 7, 9, 11)  # decision_type, whose first bit says so


def cut_checked_forest(text: str, features: int, place: str) -> str:
    """The part of the text that LightGBM needs, checked to be whole trees of splits on ``features`` features.

    LightGBM's reader uses sizes, features and children as memory offsets without checking them, and crashes where a
    list is too short. So every field is checked here first: text that LightGBM 4 would not have written for a
    TreeRanker is an InputError.
    """
    try:
        end = text.find(END)
        if not text.isascii() or not text.startswith("tree\n") or end < 0:
            raise ValueError("no trees, or no end of them")
        trees = _trees(text[:end], features)
        for number, tree in enumerate(trees):
            _require_tree(tree, features, number)
    except (ValueError, KeyError) as error:
        what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{place}: does not hold whole LightGBM trees ({what}); {REMEDY}") from None
    return text[: end + len(END)]


def _trees(text: str, features: int) -> list[dict[str, str]]:
    """The fields of each tree; a ValueError where the header disagrees with the number of features or the trees."""
    begin = text.find(BEGIN)
    if begin < 0:
        raise ValueError("no trees")
    head = _fields(text[len("tree\n") : begin].split("\n"), HEAD)
    for name, value in {**FIXED, "max_feature_idx": str(features - 1)}.items():
        if head[name] != value:
            raise ValueError(f"{name} is {head[name][:20]}, not {value}")
    if head["feature_names"] != " ".join(f"Column_{number}" for number in range(features)):
        raise ValueError(f"feature_names are not those of {features} columns")
    _tokens(head, "feature_infos", RANGE, features)
    trees = []
    at = begin + 2
    text += "\n"
    for number, size in enumerate(map(int, _tokens(head, "tree_sizes", WHOLE, None))):
        block = text[at : at + size]
        if size < 1 or len(block) < size or not block.startswith(f"Tree={number}\n") or not block.endswith("\n\n"):
            raise ValueError(f"tree {number} is not {size} bytes long")
        lines = block.rstrip("\n").split("\n")
        trees.append(_fields(lines, TREE | SETS if "num_cat=0" not in lines else TREE))
        at += size
    if at != len(text):
        raise ValueError("more trees than tree_sizes names")
    return trees


def _fields(lines: Sequence[str], names: set[str]) -> dict[str, str]:
    """The fields of some lines; a ValueError unless they are exactly ``names``, each once."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition("=")
        if name not in names or name in fields:
            raise ValueError(f"{name[:20]!r} is no field here, or stands twice")
        fields[name] = value
    return fields | {name: fields[name] for name in names}


def _tokens(fields: dict[str, str], name: str, kind: re.Pattern[str], count: int | None) -> list[str]:
    tokens = fields[name].split(" ") if fields[name] else []
    if count not in (None, len(tokens)) or not all(kind.fullmatch(token) for token in tokens):
        raise ValueError(f"{name} is not {count if count is not None else 'a list of'} numbers")
    return tokens


def _require_tree(tree: dict[str, str], features: int, number: int) -> None:
    leaves = int(_tokens(tree, "num_leaves", WHOLE, 1)[0])
    _tokens(tree, "shrinkage", NUMBER, 1)
    if leaves < 1 or tree["is_linear"] != "0":
        raise ValueError(f"tree {number} has no leaf, or leaves that are not constant")
    tokens = {name: _tokens(tree, name, kind, leaves - 1) for name, kind in SPLITS.items()}
    for name, kind in LEAVES.items():
        few = leaves == 1 and name == "leaf_weight"  # a tree without splits has no leaf_weight
        tokens[name] = _tokens(tree, name, kind, None if few else leaves)
    if any(not 0 <= int(feature) < features for feature in tokens["split_feature"]):
        raise ValueError(f"tree {number} splits by a feature that is not there")
    if any(not 0 <= int(kind) < 12 for kind in tokens["decision_type"]):
        raise ValueError(f"tree {number} has a split that is neither by numbers nor by categories")
    _require_sets(tree, tokens, number)
    numbers = [value for name, kind in {**SPLITS, **LEAVES}.items() if kind is NUMBER for value in tokens[name]]
    if any(abs(float(value)) == float("inf") for value in (*numbers, tree["shrinkage"])):
        raise ValueError(f"tree {number} has a number beyond double precision")
    children = [
        (place, int(child)) for side in ("left_child", "right_child") for place, child in enumerate(tokens[side])
    ]
    reached = sorted(child for _, child in children)
    below = [*range(-leaves, 0), *range(1, leaves - 1)] if leaves > 1 else []
    if reached != below or any(0 < child <= place for place, child in children):
        raise ValueError(f"tree {number} has splits or leaves that are not reached once")


def _require_sets(tree: dict[str, str], tokens: dict[str, list[str]], number: int) -> None:
    """The sets of categories: each split by categories has one, and their bits are all there."""
    count = int(_tokens(tree, "num_cat", WHOLE, 1)[0])
    splits = zip(tokens["decision_type"], tokens["threshold"], strict=True)
    named = [threshold for kind, threshold in splits if int(kind) in BY_CATEGORY]
    if sorted(named, key=float) != [str(place) for place in range(count)]:
        raise ValueError(f"tree {number} has {count} sets of categories, and splits by others")
    if count:
        ends = [int(end) for end in _tokens(tree, "cat_boundaries", WHOLE, count + 1)]
        words = _tokens(tree, "cat_threshold", WORD, ends[-1])
        if ends[0] != 0 or any(low >= high for low, high in pairwise(ends)) or any(int(w) >= 1 << 32 for w in words):
            raise ValueError(f"tree {number} has sets of categories of no size, or beyond 32 bits")

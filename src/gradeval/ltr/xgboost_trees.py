"""XGBoost's trees as LightGBM's text, in which a TreeRanker is saved; they score as they did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradeval._core import InputError

HEAD = "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
END = "end of trees\n"
NAN, LEFT = 8, 2  # bits of decision_type: NaN is missing; what is missing goes left
WHOLE = 1_000_000  # what the counts of a tree's leaves add up to


def rewrite_tree(tree: Mapping[str, Sequence[Any]]) -> str:
    """The lines of a tree, without its number, from XGBoost's JSON.

    XGBoost goes left where x < c, LightGBM where x <= c, so c becomes the next lower number in single precision, in
    which features are. LightGBM counts rows in nodes, XGBoost adds up hessians, which here take their place, out of a
    million.
    """
    left, right = tree["left_children"], tree["right_children"]
    inner, leaves = _number_nodes(left, right)
    limits = np.array(tree["split_conditions"], np.float32)
    below = np.nextafter(limits, np.float32(-np.inf)).astype(float)
    cover = np.array(tree["sum_hessian"], float)
    counts = _count_rows(left, right, cover)
    number = {
        **{node: place for place, node in enumerate(inner)},
        **{node: ~place for place, node in enumerate(leaves)},
    }
    fields = {
        "num_leaves": [len(leaves)],
        "num_cat": [0],
        "split_feature": [tree["split_indices"][node] for node in inner],
        "split_gain": [tree["loss_changes"][node] for node in inner],
        "threshold": [below[node] for node in inner],
        "decision_type": [NAN + LEFT * int(tree["default_left"][node]) for node in inner],
        "left_child": [number[left[node]] for node in inner],
        "right_child": [number[right[node]] for node in inner],
        "leaf_value": limits[leaves].astype(float).tolist(),
        "leaf_weight": cover[leaves].tolist(),
        "leaf_count": [counts[node] for node in leaves],
        "internal_value": [tree["base_weights"][node] for node in inner],
        "internal_weight": cover[inner].tolist(),
        "internal_count": [counts[node] for node in inner],
        "is_linear": [0],
        "shrinkage": [1],
    }
    return "".join(f"{name}={' '.join(map(_show, values))}\n" for name, values in fields.items())


def write_forest(trees: Sequence[str], columns: int) -> str:
    """LightGBM's text of rewritten trees on so many features."""
    blocks = [f"Tree={number}\n{tree}\n\n" for number, tree in enumerate(trees)]
    names = " ".join(f"Column_{column}" for column in range(columns))
    infos = " ".join(["none"] * columns)
    sizes = " ".join(str(len(block)) for block in blocks)
    head = f"{HEAD}max_feature_idx={columns - 1}\nfeature_names={names}\nfeature_infos={infos}\ntree_sizes={sizes}\n\n"
    return f"{head}{''.join(blocks)}{END}"


def has_split(tree: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a tree is more than a leaf."""
    return len(tree["left_children"]) > 1


def _number_nodes(left: Sequence[int], right: Sequence[int]) -> tuple[list[int], list[int]]:
    """XGBoost's inner nodes, each before those below it, and its leaves."""
    inner: list[int] = []
    leaves: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        if left[node] < 0:
            leaves.append(node)
        else:
            inner.append(node)
            waiting += [right[node], left[node]]
    return inner, leaves


def _count_rows(left: Sequence[int], right: Sequence[int], cover: Any) -> dict[int, int]:
    """Counts in proportion to the hessians, at least 1 in a leaf; those of inner nodes are the sums below them."""
    inner, leaves = _number_nodes(left, right)
    total = float(cover[0]) or 1.0
    counts = {node: max(1, round(WHOLE * float(cover[node]) / total)) for node in leaves}
    for node in reversed(inner):
        counts[node] = counts[left[node]] + counts[right[node]]
    return counts


def _show(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    if not np.isfinite(value):
        raise InputError("XGBoost grew a tree with a number that is not finite; lower learning_rate")
    return f"{float(value):.17g}"

"""LightGBM's forests: read from their text, and asked about."""

from __future__ import annotations

from typing import Any

from gradeval.ltr.forests.text import cut_checked_forest
from gradeval.ltr.rankers.engines import require_engine


def lightgbm_engine() -> Any:
    """LightGBM, or an InputError that says how to install it."""
    with require_engine("TreeRanker"):
        import lightgbm

    return lightgbm


def read_forest(text: str, features: int, place: str) -> Any:
    """LightGBM's forest of a text, which is checked first."""
    return lightgbm_engine().Booster(model_str=cut_checked_forest(text, features, place))


def has_no_split(forest: Any) -> bool:
    """Whether the only tree is a single leaf."""
    return bool(forest.dump_model()["tree_info"][0]["num_leaves"] == 1)

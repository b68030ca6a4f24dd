"""Saved trees: what a model keeps, and that no text that is broken reaches LightGBM."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_trees import TEST, TRAIN, VALID, ranker

from gradeval import InputError
from gradeval.ltr import LinearRanker, TreeRanker, load_ranker
from gradeval.ltr.rankers.forest_text import cut_checked_forest

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def whole() -> TreeRanker:
    """A training that nobody interrupts."""
    return ranker().fit(TRAIN, VALID)


def test_a_saved_model_scores_as_before(whole: TreeRanker, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = TreeRanker.load(tmp_path / "model")
    assert (loaded.curve, loaded.best, loaded.card) == (whole.curve, whole.best, whole.card)
    np.testing.assert_array_equal(loaded.score(TEST), whole.score(TEST))
    assert isinstance(load_ranker(tmp_path / "model"), TreeRanker)
    with pytest.raises(InputError, match="a tree ranker, not a linear one"):
        LinearRanker.load(tmp_path / "model")


FAULTS: dict[str, Callable[[str], str]] = {
    "cut short": lambda text: text[: len(text) // 2],
    "no text": lambda text: text.replace("split", "spli\0"),
    "another version": lambda text: text.replace("version=v4", "version=v9"),
    "another width": lambda text: text.replace("max_feature_idx=5", "max_feature_idx=50"),
    "several classes": lambda text: text.replace("num_class=1", "num_class=3"),
    "sizes that lie": lambda text: re.sub(r"tree_sizes=\d+", "tree_sizes=99999", text),
    "a tree less": lambda text: re.sub(r"(tree_sizes=.*) \d+\n", r"\1\n", text),
    "a feature that is not there": lambda text: re.sub(r"(split_feature=)\d", r"\g<1>7", text, count=1),
    "a child that is not there": lambda text: re.sub(r"(left_child=)\S", r"\g<1>9", text, count=1),
    "a circle": lambda text: re.sub(r"(right_child=)\S+", r"\g<1>0", text, count=1),
    "a category": lambda text: re.sub(r"(decision_type=)\d", r"\g<1>1", text, count=1),
    "a value that is no number": lambda text: re.sub(r"(leaf_value=)\S", r"\g<1>x", text, count=1),
    "other names": lambda text: text.replace("Column_0", "Column 0", 1),
    "a number with a blank": lambda text: re.sub(r"(leaf_count=\d)\d", r"\1 ", text, count=1),
    "an unknown field": lambda text: text.replace("num_cat=", "cat_num=", 1),
    "a linear tree": lambda text: text.replace("is_linear=0", "is_linear=1", 1),
    "a shrinkage beyond all numbers": lambda text: re.sub(r"shrinkage=\S+", "shrinkage=1e999", text, count=1),
    "a field twice": lambda text: text.replace("num_leaves=", "num_cat=0\nnum_leaves=", 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_text_that_would_mislead_lightgbm_never_reaches_it(whole: TreeRanker, fault: str, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    text = (tmp_path / "model/trees.txt").read_text()
    cut_checked_forest(text, 6, "trees.txt")
    broken = FAULTS[fault](text)
    assert broken != text
    with pytest.raises(InputError, match=r"^trees\.txt: does not hold whole LightGBM trees \(.+\); train"):
        cut_checked_forest(broken, 6, "trees.txt")


EDITS = """
import random, sys
import lightgbm, numpy
from gradeval import InputError
from gradeval.ltr.rankers.forest_text import cut_checked_forest
text, draw, read = open(sys.argv[1]).read(), random.Random(5), 0
for _ in range(1500):
    edited = list(text)
    for _ in range(draw.choice([1, 1, 2])):
        place, kind = draw.randrange(len(edited)), draw.random()
        if kind < 0.6:
            edited[place] = draw.choice("0123456789-. \\n=e")
        elif kind < 0.8:
            del edited[place : place + draw.choice([1, 5, 50])]
        else:
            edited.insert(place, draw.choice("0123456789- ."))
    try:
        checked = cut_checked_forest("".join(edited), 6, "edited")
    except InputError:
        continue
    lightgbm.Booster(model_str=checked).predict(numpy.zeros((9, 6)))
    read += 1
print(read)
"""


def test_no_edited_text_ends_the_process(whole: TreeRanker, tmp_path: Path) -> None:
    whole.save(tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-c", EDITS, tmp_path / "model/trees.txt"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert 0 < int(done.stdout) < 1500  # some edits change a number only

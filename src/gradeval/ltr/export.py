"""Rankers as files that other tools score with: ONNX, and LightGBM's text."""

from __future__ import annotations

import os
from collections.abc import Callable

from gradeval._core import InputError
from gradeval.files.whole import whole_file
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import TreeRanker
from gradeval.ltr.saving.card import Path


def export_ranker(ranker: Ranker, path: Path) -> None:
    """Write a trained ranker in the format of the file's ending, whole or not at all: see ``WRITERS``."""
    writer_of(path)(ranker, path)


def writer_of(path: Path) -> Callable[[Ranker, Path], None]:
    """What writes a file of this ending; an InputError for another ending."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in WRITERS:
        raise InputError(f"{os.fspath(path)}: a ranker is written to {' or '.join(WRITERS)}; name the file so")
    return WRITERS[ending]


def _write_onnx(ranker: Ranker, path: Path) -> None:
    from gradeval.ltr.onnx import export_onnx

    export_onnx(ranker, path)


def _write_trees(ranker: Ranker, path: Path) -> None:
    """Trees in LightGBM's text format, which scores features as they are."""
    ranker.require_trained()
    if not isinstance(ranker, TreeRanker):
        raise InputError(f"a {ranker.kind} ranker has no trees to write as LightGBM's text; name a file FILE.onnx")
    if ranker.scaler is not None:
        raise InputError(
            f"these trees compare features on a scale ({ranker.scaling}), which LightGBM's text cannot hold; train "
            "them with scaling=None, the default"
        )
    with whole_file(path) as file:
        file.write(ranker.text.encode())


WRITERS: dict[str, Callable[[Ranker, Path], None]] = {".onnx": _write_onnx, ".txt": _write_trees}
"""By the ending of the file: linear and neural rankers as ONNX, trees as LightGBM's text."""

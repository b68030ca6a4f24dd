"""Linear and neural rankers as ONNX files, which other runtimes and languages score with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import install_hint, known_arguments
from gradeval.atomic_files import Path, whole_file
from gradeval.formula.arithmetic import Array
from gradeval.ltr.rankers.neural import LinearRanker, NeuralRanker
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.rankers.trees import TreeRanker
from gradeval.version import __version__

OPSET, IR = 17, 8  # of 2022: every runtime since then reads it
INPUT, OUTPUT = "features", "score"


@known_arguments()
def export_onnx(ranker: Ranker, path: Path) -> None:
    """Write a trained linear or neural ranker as an ONNX file, whole or not at all.

    The graph takes ``features`` float32[row, feature], in the order of ``ranker.feature_names_in_`` and not scaled, and
    gives ``score`` float32[row]: scaling is in the graph, and it computes in double precision as ``ranker.score`` does.
    The metadata of the file name the objective and the features. Trees are LightGBM's text (``gradeval export``, or
    ``trees.txt`` in the folder of the model), which LightGBM and its compilers read.

    Needs onnx, which the extra ``onnx`` brings.

    Raises
    ------
    InputError : an untrained ranker, trees, or a module of your own; onnx is not installed, or the file cannot be
        written.
    """
    if not isinstance(ranker, Ranker):
        raise InputError(f"export_onnx takes a ranker, not a {type(ranker).__name__}; load_ranker(folder) gives one")
    if not isinstance(ranker, LinearRanker | NeuralRanker):
        raise InputError(
            f"a {ranker.kind} ranker is not written as ONNX, but as LightGBM's text: name a file FILE.txt, or take "
            "trees.txt in the folder of the model"
        )
    columns = ranker.require_trained().columns
    with _require_onnx():
        import onnx
        from onnx import TensorProto, helper

    nodes, constants = _graph(ranker, helper.make_node)
    graph = helper.make_graph(
        nodes,
        "gradeval",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["row", len(columns)])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["row"])],
        [onnx.numpy_helper.from_array(values, name) for name, values in constants.items()],
    )
    model = helper.make_model(
        graph,
        producer_name="gradeval",
        producer_version=__version__,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR,
    )
    described = {"objective": str(ranker.objective), "ranker": ranker.kind, "features": json.dumps(columns)}
    helper.set_model_props(model, described)
    onnx.checker.check_model(model)
    with whole_file(path) as file:
        file.write(model.SerializeToString())


def _graph(ranker: LinearRanker | NeuralRanker, node: Any) -> tuple[list[Any], dict[str, Array]]:
    """The nodes of the graph and their constants."""
    double, single = {"to": 11}, {"to": 1}  # TensorProto.DOUBLE and FLOAT
    weights = {name: np.asarray(values, np.float64) for name, values in ranker.weights.items()}
    if "input" not in weights:
        raise InputError(
            "a module of your own is not written here: write it with torch.onnx.export, and scale before it"
        )
    constants: dict[str, Array] = {}
    nodes = [node("Cast", [INPUT], ["x"], **double)]
    scaler = ranker.scaler
    if scaler is not None:
        width = np.where(scaler.width == 0, 1.0, scaler.width)
        constants |= {"shift": scaler.shift, "width": width, "varies": (scaler.width != 0).astype(float)}
        nodes += [
            node("Sub", ["x", "shift"], ["shifted"]),
            node("Div", ["shifted", "width"], ["divided"]),
            node("Mul", ["divided", "varies"], ["scaled"]),
            node("Cast", ["scaled"], ["rounded"], **single),  # as the table of scaled features is
            node("Cast", ["rounded"], ["x_scaled"], **double),
        ]
    x = "x" if scaler is None else "x_scaled"
    constants["last"] = np.array([1], np.int64)
    if isinstance(ranker, NeuralRanker):
        constants |= {"W": weights["input"], "b": weights["input_bias"], "v": weights["output"][:, None]}
        nodes += [
            node("MatMul", [x, "W"], ["product"]),
            node("Add", ["product", "b"], ["inner"]),
            node("Tanh" if ranker.activation == "tanh" else "Relu", ["inner"], ["hidden"]),
            node("MatMul", ["hidden", "v"], ["column"]),
        ]
    else:
        constants["w"] = weights["input"][:, None]
        nodes.append(node("MatMul", [x, "w"], ["column"]))
    nodes += [node("Squeeze", ["column", "last"], ["double"]), node("Cast", ["double"], [OUTPUT], **single)]
    return nodes, constants


@contextmanager
def _require_onnx() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "onnx":
            raise
        raise InputError(f"writing ONNX needs onnx: {install_hint('onnx')}") from None


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

"""Rankers as ONNX files, which other runtimes and languages score with."""

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

OPSET, TREES, IR = 17, 3, 8  # of 2022: every runtime since then reads them
INPUT, OUTPUT = "features", "score"


@known_arguments()
def export_onnx(ranker: Ranker, path: Path) -> None:
    """Write a trained ranker as an ONNX file, whole or not at all.

    The graph takes ``features`` float32[row, feature], in the order of ``ranker.feature_names_in_`` and not scaled, and
    gives ``score`` float32[row]: scaling is in the graph, and it computes in double precision as ``ranker.score`` does.
    The metadata of the file name the objective and the features. Missing values go in trees where their engine
    sends them.

    Needs onnx, which the extra ``onnx`` brings.

    Raises
    ------
    InputError : an untrained ranker, a module of your own, or trees that ONNX has no words for (categories, linear
        leaves, zeros that are missing); onnx is not installed, or the file cannot be written.
    """
    if not isinstance(ranker, Ranker):
        raise InputError(f"export_onnx takes a ranker, not a {type(ranker).__name__}; load_ranker(folder) gives one")
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
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", TREES)],
        ir_version=IR,
    )
    described = {"objective": str(ranker.objective), "ranker": ranker.kind, "features": json.dumps(columns)}
    helper.set_model_props(model, described)
    onnx.checker.check_model(model)
    with whole_file(path) as file:
        file.write(model.SerializeToString())


def _graph(ranker: Ranker, node: Any) -> tuple[list[Any], dict[str, Array]]:
    """The nodes of the graph and their constants."""
    double, single = {"to": 11}, {"to": 1}  # TensorProto.DOUBLE and FLOAT
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
    if isinstance(ranker, TreeRanker):
        nodes += [
            node("TreeEnsembleRegressor", [x], ["trees"], domain="ai.onnx.ml", **_ensemble(ranker)),
            node("Squeeze", ["trees", "last"], [OUTPUT]),
        ]
        return nodes, constants
    assert isinstance(ranker, LinearRanker | NeuralRanker)
    weights = {name: np.asarray(values, np.float64) for name, values in ranker.weights.items()}
    if "input" not in weights:
        raise InputError(
            "a module of your own is not written here: write it with torch.onnx.export, and scale before it"
        )
    if isinstance(ranker, NeuralRanker):
        for layer in ranker.layers:
            bias = f"{layer}_bias"
            constants |= {layer: weights[layer], bias: weights[bias]}
            nodes += [
                node("MatMul", [x, layer], [f"{layer}_product"]),
                node("Add", [f"{layer}_product", bias], [f"{layer}_inner"]),
                node("Tanh" if ranker.activation == "tanh" else "Relu", [f"{layer}_inner"], [f"{layer}_units"]),
            ]
            x = f"{layer}_units"
        constants["output"] = weights["output"][:, None]
        nodes.append(node("MatMul", [x, "output"], ["column"]))
    else:
        constants["w"] = weights["input"][:, None]
        nodes.append(node("MatMul", [x, "w"], ["column"]))
    nodes += [node("Squeeze", ["column", "last"], ["double"]), node("Cast", ["double"], [OUTPUT], **single)]
    return nodes, constants


def _ensemble(ranker: TreeRanker) -> dict[str, Any]:
    """The attributes of TreeEnsembleRegressor: a row for each node of each tree, and the values of the leaves."""
    from onnx import numpy_helper

    rows = [*ranker.forest.nodes()]
    leaves = [row for row in rows if row.compare == "LEAF"]

    def doubles(name: str, values: list[float]) -> Any:
        return numpy_helper.from_array(np.array(values, np.float64), name)

    return {
        "n_targets": 1,
        "nodes_treeids": [row.tree for row in rows],
        "nodes_nodeids": [row.number for row in rows],
        "nodes_modes": [row.compare for row in rows],
        "nodes_featureids": [row.feature for row in rows],
        "nodes_values_as_tensor": doubles("thresholds", [row.value if row.compare != "LEAF" else 0.0 for row in rows]),
        "nodes_truenodeids": [row.left for row in rows],
        "nodes_falsenodeids": [row.right for row in rows],
        "nodes_missing_value_tracks_true": [int(row.missing_left) for row in rows],
        "target_treeids": [row.tree for row in leaves],
        "target_nodeids": [row.number for row in leaves],
        "target_ids": [0] * len(leaves),
        "target_weights_as_tensor": doubles("leaves", [row.value for row in leaves]),
    }


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


WRITERS: dict[str, Callable[[Ranker, Path], None]] = {".onnx": export_onnx, ".txt": _write_trees}
"""By the ending of the file: any ranker as ONNX, trees as LightGBM's text."""

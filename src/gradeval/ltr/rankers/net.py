"""Nets: scores from weights and features, on arrays of NumPy and tensors of PyTorch."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.messages import Given

Net: TypeAlias = Callable[[Mapping[str, Any], Any, Callable[[Any], Any]], Any]
"""Scores [...] from weights, features [..., column] and the function tanh, of NumPy or of PyTorch."""
BLOCK = 1 << 20  # feature values converted to double precision at a time


def score_in_blocks(net: Net, weights: Mapping[str, Array], X: Array) -> Array:
    """float64[row]: the scores of features float32[row, column], computed in double precision."""
    weights = {name: values.astype(float) for name, values in weights.items()}
    step = max(1, BLOCK // X.shape[1])
    scores = np.empty(len(X))
    for begin in range(0, len(X), step):
        rows = slice(begin, begin + step)
        scores[rows] = net(weights, X[rows].astype(float), np.tanh)
    return scores


def by_column(weights: Any) -> Any:
    """The same matrix; a tensor column by column in memory, in which order PyTorch's derivative of a product is twice
    as fast."""
    return weights.T.contiguous().T if hasattr(weights, "contiguous") else weights


class ModuleNet:
    """The net of a user's own module of PyTorch, which scores each document by itself, in single precision.

    The module is copied, so that training leaves it as it is. Parameters that require no gradient, and buffers, stay as
    they are.

    Attributes
    ----------
    trained : the names of the parameters that are trained.
    """

    def __init__(self, module: Any) -> None:
        import torch

        if not isinstance(module, torch.nn.Module):
            raise InputError(Given("module", None, type(module).__name__), " is no module: give a torch.nn.Module")
        if any(torch.nn.parameter.is_lazy(values) for values in (*module.parameters(), *module.buffers())):
            raise InputError("module has lazy parameters: call it once with features, so that they have a shape")
        norms = [norm for norm in module.modules() if isinstance(norm, torch.nn.modules.batchnorm._NormBase)]
        if any(norm.track_running_stats for norm in norms):
            raise InputError(
                f"module has a {type(norms[0]).__name__}, whose running statistics depend on the order of the data: "
                "take LayerNorm, or track_running_stats=False"
            )
        self.module = copy.deepcopy(module).cpu()
        self.trained = [name for name, values in self.module.named_parameters() if values.requires_grad]
        if not self.trained:
            raise InputError("module has no parameter that requires a gradient: nothing to train")

    def start(self) -> dict[str, Array]:
        """The parameters to train, as they are in the module, float32."""
        values = dict(self.module.named_parameters())
        return {name: values[name].detach().cpu().float().numpy() for name in self.trained}

    def fixed(self) -> dict[str, Array]:
        """What is not trained: other parameters, and buffers. A parameter with two names has one of them here."""
        state = self.module.state_dict()
        trained = {state[name].data_ptr() for name in self.trained}
        return {name: values.cpu().numpy() for name, values in state.items() if values.data_ptr() not in trained}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of all parameters and buffers that are saved."""
        return {name: values.shape for name, values in {**self.start(), **self.fixed()}.items()}

    def describe(self) -> dict[str, str]:
        """The module as PyTorch prints it, and a digest of its parameters before training."""
        digest = hashlib.sha256()
        for values in (*self.start().values(), *self.fixed().values()):
            digest.update(np.ascontiguousarray(values).tobytes())
        return {"text": repr(self.module), "start": digest.hexdigest()}

    def __call__(self, weights: Mapping[str, Any], X: Any, _: Any = None) -> Any:
        """Scores [...] from weights by name and features [..., column], as tensors."""
        from torch.func import functional_call

        if next(self.module.parameters()).device != X.device:
            self.module.to(X.device)
        try:
            scores = functional_call(self.module, dict(weights), (X,))
        except RuntimeError as error:
            if self._fits(X):
                raise
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise InputError(
                f"module cannot take features {list(X.shape)}, one row a document: {reason}; give its first layer as "
                f"many inputs as there are features, {X.shape[-1]}"
            ) from error
        if scores.shape != X.shape[:-1]:
            raise InputError(
                f"module makes {list(scores.shape)} of features {list(X.shape)}: give one score for each document, "
                f"{list(X.shape[:-1])}; squeeze(-1) leaves a last axis of 1 out"
            )
        return scores

    def _fits(self, X: Any) -> bool:
        """Does the module take features of this shape? Asked without numbers, so memory and devices play no part."""
        try:
            copy.deepcopy(self.module).to("meta")(X.to("meta"))
        except RuntimeError:
            return False
        return True

    def score(self, weights: Mapping[str, Array], X: Array) -> Array:
        """float64[row]: the scores of features float32[row, column], without dropout."""
        import torch

        tensors = {name: torch.tensor(values) for name, values in weights.items()}
        self.module.eval()
        with torch.no_grad():
            parts = [self(tensors, rows) for rows in torch.tensor(X).split(max(1, BLOCK // X.shape[1]))]
        return np.concatenate([part.double().numpy() for part in parts])

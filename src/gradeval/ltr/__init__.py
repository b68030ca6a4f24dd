"""Learning to rank for any graded measure: only here PyTorch, LightGBM and XGBoost are imported.

They are imported only when a name that needs them is used.
"""

from importlib import import_module
from typing import Any

from gradeval import _read_names
from gradeval.ltr.rankers.kinds import require_engine

_MODULES = _read_names(__file__)
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with require_engine(f"gradeval.ltr.{name}"):
        value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value

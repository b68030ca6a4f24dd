"""Learning to rank for any graded measure: only here PyTorch, LightGBM and XGBoost are imported.

They are imported only when a name that needs them is used.
"""

import os
from importlib import import_module
from typing import Any

from gradeval.ltr.rankers.kinds import require_engine

with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _stub:
    _MODULES = {words[-1]: words[1] for words in map(str.split, _stub) if words[:1] == ["from"]}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with require_engine(f"gradeval.ltr.{name}"):
        value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value

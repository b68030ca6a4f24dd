"""The packages that train and save rankers. They are an optional extra and may not be installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradeval._core import InputError

ENGINES = ("torch", "lightgbm", "xgboost", "safetensors")
INSTALL = "pip install 'gradeval[ltr]'"


@contextmanager
def require_engine(what: str) -> Iterator[None]:
    """Around imports that ``what`` needs: where an engine is not installed, an InputError says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in ENGINES:
            raise
        raise missing_engine(what, error.name) from None


def missing_engine(what: str, engine: str) -> InputError:
    """The error that ``what`` needs an engine which is not installed."""
    return InputError(f"{what} needs {engine}: {INSTALL}")

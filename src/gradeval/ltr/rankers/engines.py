"""The packages that train and save rankers: an extra, which need not be installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradeval._core import InputError

ENGINES = ("torch", "lightgbm", "xgboost", "safetensors")
INSTALL = "pip install 'gradeval[ltr]'"


@contextmanager
def needed(what: str) -> Iterator[None]:
    """Imports that something needs; an InputError that says what to install where an engine is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in ENGINES:
            raise
        raise missing(what, error.name) from None


def missing(what: str, engine: str) -> InputError:
    """That something needs an engine which is not installed."""
    return InputError(f"{what} needs {engine}: {INSTALL}")

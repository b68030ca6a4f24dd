"""The file from which a killed training goes on: what it is for, as JSON, and the state of the engine, as bytes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.whole import whole_file
from gradeval.ltr.saving.card import Path

NAME = b"gradeval checkpoint "  # so begin checkpoints of all versions
MAGIC = "gradeval checkpoint 1"
REMEDY = "train from the beginning (without resume), or name another file"


def write_checkpoint(path: Path, identity: Mapping[str, Any], progress: Any, state: bytes) -> None:
    """Replace the file by the present state; a kill at any moment leaves the state before or this one, whole.

    Parameters
    ----------
    identity : what training it belongs to, JSON.
    progress : what a ranker needs to know beside its engine's state, JSON.
    state : of the engine.

    A file of something else is an InputError, and stays.
    """
    require_replaceable(path)
    sealed = {"sha256": hashlib.sha256(state).hexdigest(), "identity": identity, "progress": progress}
    head = json.dumps(sealed, allow_nan=False)
    with whole_file(path, lasting=True) as file:
        file.write(f"{MAGIC}\n{head}\n".encode())
        file.write(state)


def require_replaceable(path: Path) -> None:
    """An InputError where a file is there, not empty, that is no checkpoint: it would be lost."""
    place = os.fspath(path)
    if not os.path.isfile(place):
        return
    try:
        with open(place, "rb") as file:
            begin = file.read(len(NAME))
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({error.strerror}); {REMEDY}") from error
    if begin not in (b"", NAME):
        what = "a file of something else, no checkpoint, stands in its place"
        raise InputError(f"{place}: {what}; move it, or name another")


def read_checkpoint(path: Path, identity: Mapping[str, Any]) -> tuple[Any, bytes] | None:
    """``progress`` and ``state`` as they were written; None where there is no file; an InputError where the file is
    none of ours, damaged, or of another training."""
    place = os.fspath(path)
    try:
        with open(place, "rb") as file:
            magic, head, state = file.readline(100), file.readline(), file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({error.strerror}); {REMEDY}") from error
    if magic != f"{MAGIC}\n".encode():
        raise InputError(f"{place}: not a checkpoint of this gradeval; {REMEDY}")
    try:
        sealed = json.loads(head)
        known, progress = sealed["identity"], sealed["progress"]
        whole = isinstance(known, dict) and sealed["sha256"] == hashlib.sha256(state).hexdigest()
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(f"{place}: a checkpoint that is truncated or damaged; {REMEDY}")
    wanted = json.loads(json.dumps(identity))
    for name, value in wanted.items():
        if known.get(name) != value:
            what = {"train": "training data", "valid": "validation data"}.get(name, name)
            told = "" if what != name else f" ({known.get(name)}, now {value})"
            raise InputError(f"{place}: of a training with other {what}{told}; {REMEDY}")
    return progress, state

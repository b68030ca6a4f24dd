"""The file from which a training resumes: its identity and progress as JSON, and the state of the engine."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from gradeval._core import InputError
from gradeval.files.whole import whole_file
from gradeval.ltr.saving.card import Path

NAME = b"gradeval checkpoint "  # all versions begin with this
MAGIC = "gradeval checkpoint 1"
REMEDY = "train from the beginning (without resume), or name another file"


def write_checkpoint(path: Path, identity: Mapping[str, Any], progress: Any, state: bytes) -> None:
    """Replace the file by the present state. A kill at any moment leaves either the earlier state or this one.

    Parameters
    ----------
    identity : the data and parameters of the training, as JSON values.
    progress : the learning curve and the best epoch, as JSON values.
    state : the state of the engine.

    A file of something else is an InputError and is not replaced.
    """
    require_replaceable_file(path)
    header = {"sha256": hashlib.sha256(state).hexdigest(), "identity": identity, "progress": progress}
    head = json.dumps(header, allow_nan=False)
    with whole_file(path, lasting=True) as file:
        file.write(f"{MAGIC}\n{head}\n".encode())
        file.write(state)


def require_replaceable_file(path: Path) -> None:
    """An InputError where the file exists, is not empty and is not a checkpoint, so that it is not overwritten."""
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
    """``progress`` and ``state`` as they were written; None where there is no file. A file that is not a checkpoint, is
    damaged or belongs to another training is an InputError."""
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
        header = json.loads(head)
        known, progress = header["identity"], header["progress"]
        whole = isinstance(known, dict) and header["sha256"] == hashlib.sha256(state).hexdigest()
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(f"{place}: a checkpoint that is truncated or damaged; {REMEDY}")
    expected = json.loads(json.dumps(identity))
    for name, value in expected.items():
        if known.get(name) != value:
            what = {"train": "training data", "valid": "validation data"}.get(name, name)
            values = "" if what != name else f" ({known.get(name)}, now {value})"
            raise InputError(f"{place}: of a training with other {what}{values}; {REMEDY}")
    return progress, state

"""The file from which a training resumes: its identity and progress as JSON, and the state of the engine."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from gradeval._core import InputError
from gradeval.files.whole import whole_file
from gradeval.ltr.saving.card import Path

NAME = b"gradeval checkpoint "  # all versions begin with this
MAGIC = b"gradeval checkpoint 2\n"  # 1 had no digest of the head
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
    head = json.dumps({"identity": identity, "progress": progress}, allow_nan=False)
    sealed = head.encode() + b"\n" + state
    with whole_file(path, lasting=True) as file:
        file.write(MAGIC + _digest(sealed) + b"\n")
        file.write(sealed)


def require_checkpoint(path: Path | None, resume: bool) -> None:
    """Before a training: an InputError where ``resume`` has no file to continue from, or where a training from the
    beginning would overwrite a file of something else."""
    if path is None:
        if resume:
            raise InputError("resume=True needs checkpoint=, the file that the interrupted training wrote")
    elif not resume:
        require_replaceable_file(path)


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
    content = load_checkpoint(path)
    return None if content is None else parse_checkpoint(content, os.fspath(path), identity)


def load_checkpoint(path: Path) -> bytes | None:
    """The content of the file, unchecked; None where there is no file."""
    place = os.fspath(path)
    try:
        with open(place, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({error.strerror}); {REMEDY}") from error


def parse_checkpoint(whole: bytes, place: str, identity: Mapping[str, Any]) -> tuple[Any, bytes]:
    """``read_checkpoint`` of a file that was loaded from ``place``."""
    file = BytesIO(whole)
    magic, digest, sealed = file.readline(100), file.readline(100), file.read()
    if magic != MAGIC:
        raise InputError(f"{place}: not a checkpoint of this gradeval; {REMEDY}")
    if digest != _digest(sealed) + b"\n":
        raise InputError(f"{place}: a checkpoint that is truncated or damaged; {REMEDY}")
    head, _, state = sealed.partition(b"\n")
    content = json.loads(head)
    known, progress = content["identity"], content["progress"]
    expected = json.loads(json.dumps(identity))
    for name, value in expected.items():
        if known.get(name) != value:
            what = {"train": "training data", "valid": "validation data"}.get(name, name)
            values = "" if what != name else f" ({_difference(known.get(name), value)})"
            raise InputError(f"{place}: of a training with other {what}{values}; {REMEDY}")
    return progress, state


def _difference(known: Any, now: Any) -> str:
    """Two values that differ; of two mappings the entries that differ."""
    if isinstance(known, dict) and isinstance(now, dict):
        names = [name for name in {**known, **now} if known.get(name) != now.get(name)]
        return "; ".join(f"{name} {known.get(name)}, now {now.get(name)}" for name in names)
    return f"{known}, now {now}"


def _digest(sealed: bytes) -> bytes:
    """SHA-256, in hexadecimal digits, over all that follows it in the file."""
    return hashlib.sha256(sealed).hexdigest().encode()

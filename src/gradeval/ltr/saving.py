"""The folder of a model: a card in JSON that describes the model, and a file of weights.

The card is JSON; weights are safetensors, or trees in the format of LightGBM or XGBoost, which trust what they read.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.atomic_files import Path, whole_file, whole_folder
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.features.scaling import Scaling
from gradeval.files.seal import digest_of, is_whole, seal_content
from gradeval.files.source import open_file, read_as_is, read_some
from gradeval.formula.arithmetic import Array
from gradeval.ltr.rankers.kinds import KINDS
from gradeval.messages import shown

CARD = "card.json"
FORMAT = "gradeval ranker"
VERSION = 2  # 1 had no digest of the card itself
ROWS = 1 << 16
WEIGHTS = {name for kind in KINDS.values() for name in kind.weights}  # a folder with anything else is not replaced


@dataclass(frozen=True)
class Card:
    """The description of a trained ranker, in JSON values.

    Attributes
    ----------
    ranker : the kind: linear, neural or tree.
    objective : see ``Objective.parameters``.
    parameters : the other parameters of the ranker.
    measure : the validation measure; None without validation.
    best : the epoch (for trees, the number of trees) that was kept.
    curve : [number, objective, valid] for each epoch: see ``Epoch``. Empty for trees that were grown on several
        machines.
    columns, levels : the features in order, and the grades of the collection.
    scaling : the scale of each feature, {kind, shift, width}, or None.
    train, valid : the name, topics, rows and fingerprint of the data (``fit_dask`` takes no fingerprint).
    versions : the versions of gradeval, Python, NumPy and the engine.
    categories : the features that are categories: the values that their codes 0, 1 ... stand for, none where the codes
        were given themselves.
    tried : what an AutoRanker tried before it chose these trees: a record for each of its trials.
    """

    ranker: str
    objective: dict[str, Any]
    parameters: dict[str, Any]
    measure: str | None
    best: int
    curve: list[list[Any]]
    columns: list[str]
    levels: list[float]
    scaling: dict[str, Any] | None
    train: dict[str, Any]
    valid: dict[str, Any] | None
    versions: dict[str, str]
    categories: dict[str, list[Any]] = field(default_factory=dict)
    tried: list[dict[str, Any]] = field(default_factory=list)


def fingerprint(features: Features) -> str:
    """SHA-256 of the features, the grades and the offsets of the queries; names do not count."""
    digest = hashlib.sha256(f"{features.X.shape}".encode())
    for values, kind in (
        (features.X, features.X.dtype.newbyteorder("<")),
        (features.grades, "<f8"),
        (features.offsets, "<i8"),
    ):
        for begin in range(0, len(values), ROWS):  # some rows at a time, as the table may be larger than the memory
            digest.update(np.ascontiguousarray(values[begin : begin + ROWS], dtype=kind).tobytes())
    return digest.hexdigest()


def describe_data(features: Features, weights: Array | None = None) -> dict[str, Any]:
    """The entry of a card for training or validation data, and weights of their rows."""
    entry: dict[str, Any] = {"name": features.name, "topics": len(features.topics), "rows": len(features)}
    entry["fingerprint"] = fingerprint(features)
    return entry if weights is None else {**entry, "weights": digest_of_weights(weights)}


def digest_of_weights(weights: Array) -> str:
    """SHA-256 of the weights of rows, by which a checkpoint knows them."""
    return digest_of(np.ascontiguousarray(weights, "<f8").tobytes())


def describe_scaler(scaler: Scaler) -> dict[str, Any]:
    """The entry of a card for the scale of the features."""
    return {"kind": scaler.kind, "shift": scaler.shift.tolist(), "width": scaler.width.tolist()}


def scaler_of(card: Card) -> Scaler | None:
    """The scale of the features that a card describes; a ValueError for an unknown kind."""
    if card.scaling is None:
        return None
    kind: Any = card.scaling.get("kind")
    if kind not in get_args(Scaling):
        raise ValueError(f"unknown scaling {shown(kind)}")
    shift, width = (np.array(card.scaling[part], dtype=float) for part in ("shift", "width"))
    return Scaler(kind, shift, width, tuple(card.columns))


def versions_of(*packages: str) -> dict[str, str]:
    """The versions of gradeval, Python, NumPy and some packages."""
    from gradeval.version import __version__

    versions = {"gradeval": __version__, "python": platform.python_version(), "numpy": np.__version__}
    for package in packages:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def write_model(folder: Path, card: Card, weights: bytes, name: str) -> None:
    """Write the folder of a model: the card, and the weights in a file called ``name``.

    The folder is written completely or not at all, see ``whole_folder``. An earlier model is replaced; another file, or
    a folder of something else, is an InputError.
    """
    require_replaceable_folder(os.path.realpath(folder), os.fspath(folder))
    content = seal_content(
        {"format": FORMAT, "version": VERSION, **asdict(card), "weights": {"file": name, "sha256": digest_of(weights)}}
    )
    text = json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    with whole_folder(folder) as new:
        with open(os.path.join(new, name), "wb") as file:
            file.write(weights)
        with open(os.path.join(new, CARD), "w", encoding="utf-8") as card_file:
            card_file.write(text)


def read_model(folder: Path, inspect: Callable[[Card], object] | None = None) -> tuple[Card, bytes, str]:
    """The card, the weights of a model and the name of their file; an InputError where they were changed since they
    were written.

    ``inspect`` is called with the card before its digest is compared, so that it can report errors more precisely.
    """
    place = os.fspath(folder)
    if not os.path.isdir(place):
        what = "a file" if os.path.exists(place) else "no such folder"
        raise InputError(f"{place}: {what}; name the folder of a model, which holds {CARD}")
    card_place = os.path.join(place, CARD)
    content = _read_json(card_place)
    if content.get("format") != FORMAT:
        raise InputError(f"{card_place}: not the card of a gradeval ranker; name the folder of a model")
    if content.get("version") != VERSION:
        raise InputError(
            f"{card_place}: format version {shown(content.get('version'))}, this gradeval reads {VERSION}; "
            "read it with the gradeval that wrote it, or train again"
        )
    card = _parse_card(content, card_place)
    weights = content.get("weights")
    name, expected = (weights.get("file"), weights.get("sha256")) if isinstance(weights, dict) else (None, None)
    if not isinstance(name, str) or not isinstance(expected, str) or name not in WEIGHTS:
        raise _damaged(card_place, "it does not name the file of weights in its folder")
    weights_place = os.path.join(place, name)
    data = _read_bytes(weights_place)
    if digest_of(data) != expected:
        raise InputError(
            f"{weights_place}: not the weights that {CARD} was written with (truncated or changed); "
            "copy the folder whole, or train again"
        )
    if inspect is not None:
        inspect(card)
    if not is_whole(content):
        raise InputError(f"{card_place}: changed since it was written; copy the folder whole, or train again")
    return card, data, name


def _parse_card(content: Mapping[str, Any], place: str) -> Card:
    values: dict[str, Any] = {}
    for each in fields(Card):
        if each.name not in content:
            if each.default_factory is not MISSING:
                continue  # a card of an earlier gradeval
            raise _damaged(place, f"{each.name} is missing")
        value, kinds = content[each.name], TYPES[each.name]
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise _damaged(place, f"{each.name} is of type {type(value).__name__}")
        values[each.name] = value
    card = Card(**values)
    if not isinstance(card.objective.get("measure", ""), str):
        raise _damaged(place, f"objective.measure is of type {type(card.objective['measure']).__name__}")
    if not all(isinstance(column, str) for column in card.columns):
        raise _damaged(place, "columns are not names")
    if not all(name in card.columns and isinstance(listed, list) for name, listed in card.categories.items()):
        raise _damaged(place, "categories are not lists of values by feature")
    if not _are_finite_numbers(card.levels):
        raise _damaged(place, "levels are not numbers")
    if card.scaling is not None:
        parts = [card.scaling.get(part) for part in ("shift", "width")]
        if not all(isinstance(part, list) and _are_finite_numbers(part, len(card.columns)) for part in parts):
            raise _damaged(place, "scaling does not fit the columns")
    for epoch in card.curve:
        if not _is_epoch(epoch):
            raise _damaged(place, "the curve is not [number, objective, valid] by epoch")
    if not 1 <= card.best <= (len(card.curve) or card.best):
        raise _damaged(place, f"best is {shown(card.best)}, the curve has {len(card.curve)} epochs")
    return card


def _is_epoch(point: Any) -> bool:
    if not isinstance(point, list) or len(point) != 3 or not isinstance(point[0], int):
        return False
    return _are_finite_numbers(point[:2]) and (point[2] is None or _are_finite_numbers(point[2:]))


def _kinds_of(hint: Any) -> tuple[type, ...]:
    """The types that an annotation accepts, without what is in them: dict of dict[str, Any]."""
    return tuple(get_origin(one) or one for one in (get_args(hint) if isinstance(hint, UnionType) else (hint,)))


TYPES = {name: _kinds_of(hint) for name, hint in get_type_hints(Card).items()}
"""The types of the fields of a card."""


def _are_finite_numbers(values: Sequence[Any], count: int | None = None) -> bool:
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return False
    try:
        finite = np.isfinite([float(value) for value in values])
    except OverflowError:  # a whole number of hundreds of digits
        return False
    return bool(finite.all()) and count in (None, len(values))


def _read_json(place: str) -> dict[str, Any]:
    def refuse(constant: str) -> float:
        raise ValueError(f"{constant} is not valid JSON")

    data = _read_bytes(place)
    try:
        content = json.loads(data.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise _damaged(place, f"no JSON: {error}") from None
    if not isinstance(content, dict):
        raise _damaged(place, "no JSON object")
    return content


def _read_bytes(place: str) -> bytes:
    if not os.path.lexists(place):
        raise InputError(f"{place}: no such file; a model is a folder with {CARD} and its weights")
    return read_as_is(place)


def require_replaceable_folder(place: str, shown: str) -> None:
    """An InputError where something other than a model exists, which must not be replaced."""
    if os.path.isdir(place):
        names = os.listdir(place)
        if names and not ({CARD, *WEIGHTS}.issuperset(names) and is_model(place)):
            raise InputError(
                f"{shown}: a folder of something else; name a new folder, or the folder of a model to replace"
            )
    elif os.path.lexists(place):
        raise InputError(f"{shown}: not a folder; a model is a folder: give another name")


def is_model(place: str) -> bool:
    """Whether a folder has a gradeval card, of any version; other programs write files called card.json, too."""
    try:
        return _read_json(os.path.join(place, CARD)).get("format") == FORMAT
    except InputError:
        return False


def _damaged(place: str, why: str) -> InputError:
    return InputError(f"{place}: not the card of a ranker, or damaged ({why}); copy the folder whole, or train again")


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
    with whole_file(path) as file:
        file.write(MAGIC + digest_of(sealed).encode() + b"\n")
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
    """An InputError where the file has content other than a checkpoint, so that it is not overwritten."""
    place = os.fspath(path)
    if not os.path.isfile(place):
        return
    with open_file(place) as file:
        begin = read_some(file, len(NAME), place)
    if begin not in (b"", NAME):
        what = "a file of something else, no checkpoint, stands in its place"
        raise InputError(f"{place}: {what}; move it, or name another")


@known_arguments()
def read_checkpoint(path: Path, identity: Mapping[str, Any]) -> tuple[Any, bytes] | None:
    """``progress`` and ``state`` as they were written; None where there is no file. A file that is not a checkpoint, is
    damaged or belongs to another training is an InputError."""
    if not os.path.lexists(path):
        return None
    place, file = os.fspath(path), BytesIO(read_as_is(path))
    magic, digest, sealed = file.readline(100), file.readline(100), file.read()
    if magic != MAGIC:
        raise InputError(f"{place}: not a checkpoint of this gradeval; {REMEDY}")
    if digest != digest_of(sealed).encode() + b"\n":
        raise InputError(f"{place}: a checkpoint that is truncated or damaged; {REMEDY}")
    head, _, state = sealed.partition(b"\n")
    content = json.loads(head)
    known, progress = content["identity"], content["progress"]
    expected = json.loads(json.dumps(identity))
    for name, value in expected.items():
        if known.get(name) != value:
            whats = {"train": "training data", "valid": "validation data", "watched": "further validation data"}
            what = whats.get(name, name)
            values = "" if what != name else f" ({_difference(known.get(name), value)})"
            raise InputError(f"{place}: of a training with other {what}{values}; {REMEDY}")
    return progress, state


def _difference(known: Any, now: Any) -> str:
    """Two values that differ; of two mappings the entries that differ."""
    if isinstance(known, dict) and isinstance(now, dict):
        names = [name for name in {**known, **now} if known.get(name) != now.get(name)]
        return "; ".join(f"{name} {known.get(name)}, now {now.get(name)}" for name in names)
    return f"{known}, now {now}"

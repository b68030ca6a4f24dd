"""Files of NumPy, PyTorch and pickle, which hold no topics or cannot be read safely: what they are, and what to do."""

from __future__ import annotations

import os
from io import BytesIO

from gradeval._core import InputError
from gradeval.files.source import Source
from gradeval.messages import list_some

NUMPY = b"\x93NUMPY"
ARCHIVE = b"PK\x03\x04"
PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
"""How pickles begin, by their protocol; the second byte of a text is none of these."""


def refuse_python_file(source: Source) -> None:
    """Refuse such a file; others pass."""
    beginning, place = source.beginning, source.place
    file = repr(os.path.basename(place))
    if beginning.startswith(NUMPY):
        raise InputError(
            f"{place}: is an array of NumPy, which names no topics; in Python give "
            f"dict(zip(users, numpy.load({file}).tolist()))"
        )
    if beginning.startswith(PICKLES):
        raise InputError(
            f"{place}: is a pickle, which is never loaded here, as it may run any program; if you trust who wrote it, "
            "load it in Python, and give {topic: [document, ...]}"
        )
    if not beginning.startswith(ARCHIVE):
        return
    from zipfile import BadZipFile, ZipFile  # here, as few files are archives

    try:
        names = ZipFile(BytesIO(source.data)).namelist()
    except BadZipFile:
        return  # who reads it says what is wrong
    if any(name.endswith("data.pkl") for name in names):
        raise InputError(
            f"{place}: is a file of PyTorch, which names no topics; of a tensor in Python give "
            f"dict(zip(users, torch.load({file}, weights_only=True).tolist()))"
        )
    if names and all(name.endswith(".npy") for name in names):
        arrays = [name.removesuffix(".npy") for name in names]
        raise InputError(
            f"{place}: holds arrays of NumPy ({list_some(arrays)}), which name no topics; of one with ids in Python "
            f"give dict(zip(users, numpy.load({file})['NAME'].tolist()))"
        )

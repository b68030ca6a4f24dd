"""Seals: digests by which damage is found in what gradeval writes and reads again.

They prove that bytes are those that were written, not who wrote them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array

Data: TypeAlias = bytes | bytearray | memoryview

BLOCK = 1 << 24
"""Bytes of a large file that have a digest of their own, so that a part can be checked when it is needed."""
OWN = "sha256"
"""The entry of sealed JSON with the digest of all others."""


def _new_digest() -> Any:
    import hashlib  # loads OpenSSL, a tenth of the time of a small command that needs no seal

    return hashlib.sha256()


def digest_of(data: Data) -> str:
    """SHA-256 in hexadecimal digits: the fastest safe digest of the standard library where processors compute it
    themselves, which most do."""
    whole = _new_digest()
    whole.update(data)
    return str(whole.hexdigest())


def seal_content(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a JSON object and the digest of it."""
    return {**content, OWN: _digest_of_content(content)}


def is_whole(content: Mapping[str, Any]) -> bool:
    """Whether the content is as ``seal_content`` sealed it, whatever its layout."""
    return content.get(OWN) == _digest_of_content(content)


def _digest_of_content(content: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in content.items() if name != OWN}
    return digest_of(json.dumps(rest, sort_keys=True).encode())


class BlockDigests:
    """The digests of the blocks of a file, while its bytes are written."""

    def __init__(self) -> None:
        self._ended: list[str] = []
        self._open = _new_digest()
        self._filled = 0

    def update(self, data: Data) -> None:
        """The next bytes of the file."""
        rest = memoryview(data)
        while len(rest):
            part, rest = rest[: BLOCK - self._filled], rest[BLOCK - self._filled :]
            self._open.update(part)
            self._filled += len(part)
            if self._filled == BLOCK:
                self._ended.append(self._open.hexdigest())
                self._open, self._filled = _new_digest(), 0

    def digests(self) -> list[str]:
        """Those of all blocks; the last one may be shorter."""
        return [*self._ended, self._open.hexdigest()] if self._filled else list(self._ended)


def digests_of(data: Data) -> list[str]:
    """The digests of the blocks of some data."""
    blocks = BlockDigests()
    blocks.update(data)
    return blocks.digests()


class SealedTable(np.memmap[Any, Any]):
    """float32[row, column], mapped and not yet checked: NumPy's indexing and functions check what they read.

    Rows are plain arrays (``table[begin:end]``), already checked. Only what reads the memory behind NumPy's back, as
    ``np.asarray(table)`` and ``torch.from_numpy(table)`` do, is not seen: give such functions ``table[:]``.
    """

    _seal: _Seal | None = None

    @classmethod
    def map(cls, place: str, shape: tuple[int, int], digests: list[str], damage: str) -> Self:
        """Map a file. ``digests`` are those of its blocks, ``damage`` is what to say of one that does not fit."""
        table = cls(place, "<f4", mode="r", shape=shape)
        table._seal = _Seal(np.memmap(place, np.uint8, mode="r"), 4 * shape[1], place, digests, damage)
        return table

    def checked(self) -> Array:
        """The same table, checked whole now, as a plain mapped array."""
        self._check_all()
        return self.view(np.memmap)

    def _check_all(self) -> None:
        if self._seal is not None:  # what is made of the table has none
            self._seal.check(0, len(self))

    def __getitem__(self, index: Any) -> Any:
        rows = index[0] if isinstance(index, tuple) and index else index
        if self._seal is not None:
            self._seal.check(*_span(rows, len(self)))
        return self.view(np.ndarray)[index]

    def __array_finalize__(self, made_of: Any) -> None:
        super().__array_finalize__(made_of)
        if isinstance(made_of, SealedTable):  # a copy, a transposed or reshaped table ...
            made_of._check_all()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(_plain, inputs), **options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        self._check_all()
        return super().__array_function__(function, types, arguments, options)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self[:].__reduce_ex__(protocol)

    def tobytes(self, order: Any = "C") -> bytes:
        """The bytes of the numbers."""
        whole: bytes = self[:].tobytes(order)
        return whole

    def tolist(self) -> Any:
        """The numbers as lists."""
        return self[:].tolist()


class _Seal:
    """The digests of the blocks of a mapped file, and which of them have been compared."""

    def __init__(self, data: Array, row: int, place: str, digests: list[str], damage: str) -> None:
        self.data, self.row, self.place, self.digests, self.damage = data, row, place, digests, damage
        self.done = np.zeros(-(-len(data) // BLOCK), bool)
        if len(digests) != len(self.done):
            raise InputError(f"{place}: {damage}")

    def check(self, begin: int, end: int) -> None:
        """Compare the blocks of the rows from ``begin`` to before ``end``."""
        first, last = begin * self.row // BLOCK, -(-end * self.row // BLOCK)
        for block in (first + np.flatnonzero(~self.done[first:last])).tolist():
            if digest_of(self.data[block * BLOCK : (block + 1) * BLOCK].data) != self.digests[block]:
                rows = block * BLOCK // self.row, (min(len(self.data), (block + 1) * BLOCK) - 1) // self.row
                raise InputError(f"{self.place}: rows {rows[0]} to {rows[1]}: {self.damage}")
            self.done[block] = True


def _plain(value: Any) -> Any:
    return value[:] if isinstance(value, SealedTable) else value


def _span(rows: Any, count: int) -> tuple[int, int]:
    """The first row of an index and the one behind the last; all where that is not seen at once."""
    if isinstance(rows, slice):
        chosen = range(count)[rows]
        return (int(min(chosen[0], chosen[-1])), int(max(chosen[0], chosen[-1])) + 1) if chosen else (0, 0)
    if isinstance(rows, int | np.integer) and not isinstance(rows, bool):
        row = int(rows)
        row += count if row < 0 else 0
        return (row, row + 1) if 0 <= row < count else (0, 0)
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "iu" and rows.size and rows.min() >= 0:
        return int(rows.min()), min(int(rows.max()) + 1, count)
    return 0, count

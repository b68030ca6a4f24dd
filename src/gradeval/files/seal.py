"""Seals: digests by which damage is found in what gradeval writes and reads again.

They prove that bytes are those that were written, not who wrote them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

Data: TypeAlias = bytes | bytearray | memoryview

BLOCK = 1 << 24
"""Bytes of a large file that have a digest of their own, so that a part can be checked when it is needed."""
OWN = "sha256"
"""The entry of sealed JSON with the digest of all others."""


def digest_of(data: Data) -> str:
    """SHA-256 in hexadecimal digits: the fastest safe digest of the standard library where processors compute it
    themselves, which most do."""
    return hashlib.sha256(data).hexdigest()


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
        self._open = hashlib.sha256()
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
                self._open, self._filled = hashlib.sha256(), 0

    def digests(self) -> list[str]:
        """Those of all blocks; the last one may be shorter."""
        return [*self._ended, self._open.hexdigest()] if self._filled else list(self._ended)


def digests_of(data: Data) -> list[str]:
    """The digests of the blocks of some data."""
    blocks = BlockDigests()
    blocks.update(data)
    return blocks.digests()

"""Which collection scores belong to: what tells its judgments, and how they were read, from others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from gradeval.collection.qrels import Qrels


@dataclass(frozen=True, eq=False)
class Identity:
    """The judgments behind some scores, as a digest that is computed when somebody asks for it.

    Computing it takes longer than scoring a run, and most scores are never merged. So the judgments are kept until
    then; a pickled identity is the digest alone.

    Attributes
    ----------
    qrels : the judgments of the whole collection, also where only some of its topics were scored; or their digest.
    reading : how runs and judgments were read: ties, negative grades, depth.
    """

    qrels: Qrels | str
    reading: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of levels, topics, documents and grades, in whatever order, and of the reading; hexadecimal."""
        return self.qrels if isinstance(self.qrels, str) else _compute_digest(self.qrels, self.reading)

    @classmethod
    def from_digest(cls, digest: str) -> Self:
        """The identity of scores whose judgments are not here."""
        return cls(digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.digest,)


def _compute_digest(qrels: Qrels, reading: Iterable[str]) -> str:
    digest = hashlib.sha256()

    def add(texts: Iterable[str]) -> None:
        joined = "\n".join(texts).encode(errors="surrogatepass")
        digest.update(b"%d\n" % len(joined) + joined)

    offsets, topics = qrels.pools.offsets.tolist(), qrels.topics
    add([*reading, repr(qrels.levels)])
    for place in sorted(range(len(topics)), key=topics.__getitem__):
        documents = qrels.pools.documents(place)
        grades = qrels.grades[offsets[place] : offsets[place + 1]]
        order = sorted(range(len(documents)), key=documents.__getitem__)
        add([topics[place], *(documents[document] for document in order)])
        digest.update(np.ascontiguousarray(grades[order], dtype="<f8").data)
    return digest.hexdigest()

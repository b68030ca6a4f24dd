"""Training data from clicks: every page that was shown is a query, and the clicks on it are its grades."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gradeval._core import InputError
from gradeval.collection.user_clicks import Clicks, encode
from gradeval.features.feature_arrays import encode_column, offsets_of
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array


@dataclass(frozen=True, eq=False)
class ClickedPages:
    """Pages of documents with features, and the positions at which these were shown.

        pages = ClickedPages.of(read_letor("documents.txt"), read_clicks("clicks.tsv"))
        TreeRanker("lambdarank:AP").fit(pages.features, position=pages.position)

    Attributes
    ----------
    features : each page with a click is a query, its documents in the order in which they were shown, their grades 1
        for a click and 0 for none.
    position : int64[row], the rank from 1 at which each document was shown.
    unknown : the number of documents shown, on all pages, that have no features; they are left out.
    """

    features: Features
    position: Array
    unknown: int

    @classmethod
    def of(cls, documents: Features, clicks: Clicks) -> Self:
        """The pages of a click log, a session's documents for one topic each, with the features of ``documents``, whose
        own grades count for nothing. An InputError where no page has a click on a document that has features."""
        places = dict(zip(_pairs(documents), range(len(documents)), strict=True))
        row = np.array([places.get(shown, -1) for shown in zip(clicks.topic, clicks.document, strict=True)], np.int64)
        page = encode(list(zip(clicks.session, clicks.topic, strict=True)))[1]
        known = row >= 0
        clicked = np.bincount(page, clicks.click & known) > 0
        line = np.flatnonzero(known & clicked[page])
        if not len(line):
            raise InputError(
                f"{clicks.place}: no click on a document of {documents.name}; both name topics and documents, as "
                f"{next(iter(places))} and {(clicks.topic[0], clicks.document[0])}"
            )
        line = line[np.lexsort((clicks.rank[line], page[line]))]
        first = np.flatnonzero(np.diff(page[line], prepend=-1))
        features = replace(
            documents,
            X=documents.X[row[line]],
            grades=clicks.click[line].astype(float),
            topics=[f"{clicks.topic[at]}-page{page[at] + 1}" for at in line[first].tolist()],
            offsets=offsets_of(np.diff(np.append(first, len(line)))),
            ids=encode_column([clicks.document[at] for at in line.tolist()]),
            levels=(0.0, 1.0),
            name=f"{clicks.place} on {documents.name}",
        )
        return cls(features, clicks.rank[line], int((~known).sum()))


def take_column(features: Features, name: str) -> tuple[Features, Array]:
    """The features without one of them, and its values float32[row]; an InputError where there is no such feature."""
    if name not in features.columns:
        some = ", ".join(features.columns[:5]) + ", ..." * (len(features.columns) > 5)
        raise InputError(f"{features.name}: no column {name!r}; its features are {some}")
    return features.leaving_out([name]), features.X[:, features.columns.index(name)].copy()


def _pairs(features: Features) -> zip[tuple[str, str]]:
    """The topic and the document of each row."""
    topics = np.repeat(np.array(features.topics, object), np.diff(features.offsets))
    return zip(topics.tolist(), features.docs, strict=True)

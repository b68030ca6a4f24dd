"""Judgments of ir_datasets, from an object that behaves like that package: no network here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import NamedTuple

import pytest
from refusing import said_of

from gradeval import read_qrels
from gradeval.extras import install_hint


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Preference(NamedTuple):
    query_id: str
    doc_id: str
    preferred_to: str


class Dataset:
    def __init__(self, judgments: list[NamedTuple]) -> None:
        self.judgments = judgments

    def has_qrels(self) -> bool:
        return bool(self.judgments)

    def qrels_iter(self) -> Iterator[NamedTuple]:
        return iter(self.judgments)


class Unreachable(Dataset):
    def qrels_iter(self) -> Iterator[NamedTuple]:
        raise RuntimeError("All download sources failed", ["..."] * 100)
        yield


DATASETS = {
    "toy/train": Dataset(
        [Judgment("301", "d1", 2, "0"), Judgment("302", "d1", -2, "0"), Judgment("301", "d2", 0, "1")]
    ),
    "toy/twice": Dataset([Judgment("301", "d1", 2, "a"), Judgment("301", "d1", 1, "b")]),
    "toy/pairs": Dataset([Preference("301", "d1", "d2")]),
    "toy": Dataset([]),
    "far": Unreachable([Judgment("301", "d1", 2, "0")]),
}


@pytest.fixture(autouse=True)
def _ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("ir_datasets")
    module.load = DATASETS.__getitem__
    monkeypatch.setitem(sys.modules, "ir_datasets", module)


refusal = partial(said_of, read_qrels)


def test_judgments_are_read_by_the_name_of_the_data_set() -> None:
    qrels = read_qrels("irds:toy/train", levels=(0, 1, 2, 3))
    assert qrels.topics == ["301", "302"]
    assert qrels.of("301") == {"d1": 2, "d2": 0}
    assert qrels.of("302") == {"d1": -2}
    assert (qrels.name, qrels.levels) == ("irds:toy/train", (0, 1, 2, 3))


def test_a_document_judged_twice_for_a_topic_is_an_error() -> None:
    assert refusal("irds:toy/twice").startswith("irds:toy/twice: document 'd1' of topic '301' occurs twice")


def test_an_unknown_data_set_is_an_error() -> None:
    assert refusal("irds:tow").startswith("irds:tow: ir_datasets has no such data set")


def test_a_data_set_without_judgments_is_an_error() -> None:
    assert refusal("irds:toy").startswith("irds:toy: this data set has no judgments")


def test_a_data_set_that_cannot_be_fetched_is_a_short_error() -> None:
    message = refusal("irds:far")
    assert message.startswith("irds:far: ir_datasets cannot provide it (('All download sources failed'")
    assert len(message) < 300


def test_judgments_without_grades_are_an_error() -> None:
    assert "no relevance (they have query_id, doc_id, preferred_to)" in refusal("irds:toy/pairs")


def test_a_missing_package_is_an_error_that_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    assert install_hint("ir") in refusal("irds:toy/train")

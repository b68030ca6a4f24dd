"""Slices of topics: labels in whatever form, thirds, and what is said of labels that fit no topic."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas
import pytest

from gradeval import InputError
from gradeval.scores.notes import about_slices
from gradeval.scores.selection import count_relevant
from gradeval.scores.slices import Slice, slice_topics
from gradeval.warning_categories import IdsWarning, SignificanceWarning

TOPICS = ["401", "402", "403", "404"]


class Pools(NamedTuple):
    topics: list[str]
    pool: Any
    levels: tuple[float, ...]


def relevant(*numbers: int) -> Pools:
    """Topics with so many relevant documents, of two levels, and with others that are not relevant."""
    pool = np.array([[9, number // 2, number - number // 2] for number in numbers])
    return Pools([f"t{place}" for place in range(len(numbers))], pool, (0.0, 1.0, 2.0))


@pytest.mark.parametrize("form", ["file", "mapping", "numbers", "frame", "function"])
def test_every_form_of_labels_gives_the_same_slices(tmp_path: Path, form: str) -> None:
    labels = {"401": "tail", "402": "head", "404": "tail"}
    path = tmp_path / "labels.csv"
    path.write_text("topic,slice\n" + "".join(f"{topic},{label}\n" for topic, label in labels.items()))
    by: dict[str, Any] = {
        "file": path,
        "mapping": labels,
        "numbers": {int(topic): label for topic, label in labels.items()},
        "frame": pandas.DataFrame({"topic": [*labels], "slice": [*labels.values()]}),
        "function": labels.get,
    }
    assert slice_topics(by[form], TOPICS, None).cut(TOPICS) == [
        Slice("slice", "tail", ["401", "404"]),
        Slice("slice", "head", ["402"]),
        Slice("slice", "(none)", ["403"]),
    ]


def literal_thirds(numbers: list[int]) -> list[int]:
    """The third of each: where the mean of the places of its equals lies, in a line of thirds."""
    ordered = sorted(numbers)
    places = {one: [place for place, other in enumerate(ordered) if other == one] for one in numbers}
    return [int(3 * (sum(places[one]) / len(places[one]) + 0.5) / len(numbers)) for one in numbers]


@pytest.mark.parametrize(
    "numbers", [[1, 2, 3], [5, 5, 5, 5], [1, 1, 1, 1, 9], [0, 7, 3, 3, 3, 2, 11, 4, 8], [4, 1], [6], [1, 1, 2, 2, 3, 3]]
)
def test_thirds_have_as_many_topics_as_ties_allow(numbers: list[int]) -> None:
    pools = relevant(*numbers)
    words = [number + 1 for number in numbers]
    texts = {topic: " ".join(["word"] * number) for topic, number in zip(pools.topics, words, strict=True)}
    for by, counted in (("relevant", numbers), ("length", words)):
        slices = slice_topics(by, pools.topics, count_relevant(pools), texts if by == "length" else None)
        thirds = literal_thirds(counted)
        expected = []
        for third in sorted(set(thirds)):
            here = [number for number, of in zip(counted, thirds, strict=True) if of == third]
            label = f"{min(here)} to {max(here)}" if len(set(here)) > 1 else f"{here[0]}"
            topics = [topic for topic, of in zip(pools.topics, thirds, strict=True) if of == third]
            expected.append(Slice(by, label, topics))
        assert slices.cut(pools.topics) == expected


def test_a_topic_without_a_text_has_no_length() -> None:
    slices = slice_topics("length", ["a", "b"], None, {"a": "two words"})
    assert slices.cut(["a", "b"]) == [Slice("length", "2", ["a"]), Slice("length", "(none)", ["b"])]


@pytest.mark.parametrize(
    ("by", "queries", "said"),
    [
        (None, {"401": "a"}, "queries are texts, whose words are counted by by='length'; leave them out"),
        ("length", {"9": "a"}, "queries: none is the text of a scored topic; give the texts of 401"),
    ],
)
def test_texts_that_count_for_nothing_are_refused(by: Any, queries: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        slice_topics(by, TOPICS, dict.fromkeys(TOPICS, 1), queries)


@pytest.mark.parametrize("by", ["relevant", {"401": "a"}, lambda topic: topic])
def test_texts_of_which_no_slice_counts_the_words_change_nothing_and_a_note_says_so(by: Any) -> None:
    relevant = dict.fromkeys(TOPICS, 1)
    plain, given = slice_topics(by, TOPICS, relevant), slice_topics(by, TOPICS, relevant, {"401": "a b c"})
    assert given.labels == plain.labels
    said = "the texts of queries do nothing here: only slices by length count their words"
    assert [said in map(str, about_slices(one)) for one in (plain, given)] == [False, True]


@pytest.mark.parametrize(
    ("topics", "labels"),
    [
        (["red shoes", "laptop", "flights to rome"], {"laptop": "1", "red shoes": "2", "flights to rome": "3"}),
        (["a b", "c d"], {"a b": "2", "c d": "2"}),
        (["eins\u00a0zwei", "drei"], {"drei": "1", "eins\u00a0zwei": "2"}),
    ],
)
def test_names_with_blanks_are_their_own_texts_and_a_note_says_so(topics: list[str], labels: dict[str, str]) -> None:
    slices = slice_topics("length", topics, None)
    assert slices.labels == {"length": labels}
    [note] = about_slices(slices)
    assert str(note) == "length: the words of the topics' names are counted, as names with blanks are queries"
    given = slice_topics("length", topics, None, dict.fromkeys(topics, "one"))
    assert set(given.labels["length"].values()) == {"1"}
    assert about_slices(given) == []


def test_labels_of_topics_that_the_collection_has_not_are_noted() -> None:
    slices = slice_topics({"401": "a", "9": "b", "8": "b"}, ["401"], None, known=TOPICS)
    assert [str(note) for note in about_slices(slices)] == [
        "by: 2 topics with a label are not in the collection (9, 8)"
    ]
    assert slice_topics({"401": "a", "402": "b"}, ["401"], None, known=TOPICS).strangers == []


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("relevant", "by=relevant: looks at judgments, and scores have none"),
        ("length", "by=length: counts the words of queries; give their texts"),
        ("relevent", r"by=relevent: no such file \(did you mean relevant\?\)"),
        ("none-such.csv", "^none-such.csv: no such file"),
        ("device", "by=device: no such file; a column goes behind its file, as in FILE:device$"),
        (f"{__file__},a,b", "no such file; columns go behind a colon, as in .*test_slices.py:a,b$"),
        (3, "by is an int; accepted: a csv"),
        ({True: "a"}, "by: True is no topic"),
        ({"401": ["a"]}, "by: topic 401: the label is a list"),
        ({"401": "a", 401: "b"}, "by: topic 401 has two labels"),
        ({"401": "all"}, "by: a slice of slice is called 'all', which means all topics"),
        ({"9": "a"}, "by: no topic of the collection has a label"),
        ({}, "by: no topic of the collection has a label"),
        (lambda _: None, "by: no topic of the collection has a label"),
    ],
)
def test_what_gives_no_slices_is_refused(by: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        slice_topics(by, TOPICS, None)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["10", "2", "-1", "2.5"], ["-1", "2", "2.5", "10"]),
        (["10", "b", "2"], ["10", "b", "2"]),
        ([10, None, 3], ["3", "10", "(none)"]),
    ],
)
def test_numbers_as_labels_ascend_and_text_stays_in_order(labels: list[Any], order: list[str]) -> None:
    topics = [f"t{number}" for number in range(len(labels))]
    slices = slice_topics(dict(zip(topics, labels, strict=True)), topics, None)
    assert [one.label for one in slices.cut(topics)] == order


@pytest.mark.parametrize("name", ["segments.csv", "a:b.csv", "segments.parquet"])
@pytest.mark.parametrize("column", ["kind", "author", "of: both"])
def test_columns_of_a_file_are_chosen_behind_a_colon(name: str, column: str, tmp_path: Path) -> None:
    frame = pandas.DataFrame(
        {"topic": ["1", "2", "3"], "kind": list("xyx"), "author": list("uuv"), "of: both": list("mmn")}
    )
    place = tmp_path / name
    frame.to_parquet(place) if name.endswith("parquet") else frame.to_csv(place, index=False)
    whole = slice_topics(str(place), ["1", "2", "3"], None)
    assert whole.columns == ["kind", "author", "of: both"]
    one = slice_topics(f"{place}:{column}", ["1", "2", "3"], None)
    assert dict(one.labels) == {column: whole.labels[column]}
    some = slice_topics(f"{place}:of: both, kind", ["1", "2", "3"], None)
    assert list(some.labels.items()) == [(name, whole.labels[name]) for name in ("of: both", "kind")]
    with pytest.raises(InputError, match=r"has no column of labels 'knd' .*, as in .*:kind,author$"):
        slice_topics(f"{place}:kind,knd", ["1", "2", "3"], None)
    with pytest.raises(
        InputError, match=r"has no column of labels 'knd' \(did you mean kind\?\) \(it has kind, author, of"
    ):
        slice_topics(f"{place}:knd", ["1", "2", "3"], None)


def test_a_column_whose_name_has_a_comma_is_chosen_as_a_whole(tmp_path: Path) -> None:
    place = tmp_path / "segments.csv"
    place.write_text('topic,"a,b",a,b\n1,x,y,z\n')
    assert slice_topics(f"{place}:a,b", ["1"], None).columns == ["a,b"]


@pytest.mark.parametrize(("word", "rare", "warned"), [("", 10, True), ("", 6, False), ("of ", 10, False)])
def test_a_column_of_counts_with_few_topics_in_most_slices_is_warned_of(word: str, rare: int, warned: bool) -> None:
    counts = [count for count in range(8) for _ in range(30)] + [100 + count for count in range(rare)]
    labels = {str(place): f"{word}{count}" for place, count in enumerate(counts)}
    assert len(labels) >= 5 * len({*labels.values()}) > 50
    slices = slice_topics(labels, [*labels], None)
    said = [str(note) for note in about_slices(slices) if note.category is SignificanceWarning]
    assert [f"{8 + rare} labels for {len(counts)} topics, too many to compare" in one for one in said] == [
        True
    ] * warned


@pytest.mark.parametrize(
    ("topics", "labels", "warned"), [(60, 60, True), (60, 12, False), (59, 12, True), (20, 10, False)]
)
def test_a_column_of_so_many_labels_that_slices_have_few_topics_is_warned_of_once(
    tmp_path: Path, topics: int, labels: int, warned: bool
) -> None:
    names = [str(number) for number in range(topics)]
    rows = [f"{name},{'ab'[int(name) % 2]},{int(name) % labels}" for name in names]
    place = tmp_path / "segments.csv"
    place.write_text("\n".join(["topic,2023,2024", *rows, *(f"stranger{n},c,{n}" for n in range(70, 99))]))
    slices = slice_topics(str(place), names, None)
    said = [str(note) for note in about_slices(slices) if note.category is SignificanceWarning]
    expected = (
        f"{place}: 2024 has {labels} labels for {topics} topics, too many to compare; label topics by ranges or "
        f"groups, or take {place}:2023"
    )
    assert said == [expected] * warned
    alone = slice_topics(f"{place}:2024", names, None)
    assert [str(note).endswith("ranges or groups") for note in about_slices(alone) if note.category] == [True] * warned
    assert about_slices(slice_topics(f"{place}:2023", names, None))[0].category is None


def test_a_column_of_texts_of_queries_beside_labels_is_left_out_of_the_slices(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(20)]
    place = tmp_path / "types.csv"
    place.write_text("topic,question,type\n" + "".join(f"{one},What is {one}?,{'ab'[one > 'q15']}\n" for one in names))
    slices = slice_topics(str(place), names, None)
    assert slices.columns == ["type"]
    [said] = map(str, about_slices(slices))
    assert said.startswith(
        f"{place}: question has a label of its own for each topic, and is left out; to see each take "
    )
    assert slice_topics(said.rpartition("take ")[2], names, None).columns == ["question"]


def test_labels_of_topics_that_are_spelled_otherwise_are_asked_about() -> None:
    topics = ["red shoes", "tent", "hat"]
    labels = {"Red  Shoes": "head", "TENT": "tail", "hat": "tail", "gloves": "tail"}
    (said,) = [note for note in about_slices(slice_topics(labels, topics, None)) if note.category is IdsWarning]
    assert "topic 'Red  Shoes' of the labels is not in the judgments, 'red shoes' is: are they the same?" in str(said)
    assert "(1 more topic)" in str(said)
    right = about_slices(slice_topics({"hat": "tail", "gloves": "tail"}, topics, None))
    assert not [note for note in right if note.category is IdsWarning]

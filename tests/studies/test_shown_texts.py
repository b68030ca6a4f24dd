from __future__ import annotations

from refusing import said_of

from gradeval.studies.shown_texts import read_shown


def test_a_topic_without_a_text_is_noted_and_a_source_of_other_ids_refused() -> None:
    found, notes = read_shown({"1": "one", "3": "three", "4": ""}, "topic", ["1", "2", "3", "4"])
    assert {topic: text.text for topic, text in found.items()} == {"1": "one", "3": "three"}
    assert list(map(str, notes)) == ["queries: 2 of 4 topics have no text (2, 4); ids stand for it"]
    assert said_of(read_shown, {"7": "seven"}, "document", ["1", "2"]).startswith(
        "documents: has a text for none of the 2 documents ('1', '2' ...); it has 1 texts, of '7' ..."
    )


def test_nothing_given_or_shown_is_nothing_said() -> None:
    assert read_shown(None, "topic", ["1"]) == ({}, [])
    assert read_shown({"7": "seven"}, "document", []) == ({}, [])

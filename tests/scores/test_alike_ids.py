"""Ids that are spelled otherwise are asked about, and others are not."""

from __future__ import annotations

import ast
import re
import warnings

import pytest
from warned_scores import QRELS, RUN, warned

from gradeval import IdsWarning, InputError, Run, evaluate, judges
from gradeval.scores.alike_ids import about_alike
from gradeval.warning_categories import NoteWeight

SPELLINGS = {
    "caf\u00e9": "cafe\u0301",
    "new york": "new\u00a0york",
    "oak": "oak\u200b",
    "7": "7.0",
    "q7": "Q7 ",
    "\ufb01r": "fir",
}


@pytest.mark.parametrize("spelled", ["0402", "q402", "Topic-402"])
def test_topics_that_are_alike(spelled: str) -> None:
    run = {"401": RUN["401"], spelled: RUN["402"]}
    texts = [text for category, text in warned(QRELS, run) if category is IdsWarning]
    asked = f"topic {spelled!r} of the run is not in the judgments, '402' is: are they the same?"
    remedy = " If so, the judgments lost zeros, as Excel and read_csv drop them: in pandas df[COLUMN] = "
    remedy += "df[COLUMN].astype(str).str.zfill(4), where COLUMN has these ids; "
    remedy += "ids are text: read_csv(FILE, dtype=str), in Excel import the "
    remedy += "column as Text"
    assert texts == [asked + remedy * (spelled == "0402")]


@pytest.mark.parametrize(("one", "other"), [*SPELLINGS.items(), *((b, a) for a, b in SPELLINGS.items())])
@pytest.mark.parametrize("some", [False, True])
def test_ids_that_look_alike_are_asked_about(one: str, other: str, some: bool) -> None:
    """Topics, also where others match; both ids are shown so that they differ."""
    more = {"same": {"doc-1": 1.0}} if some else {}
    run = {other: {"doc-1": 1.0}, **more, "401": {"doc-1": 1.0}}
    qrels = {one: {"doc-1": 1}, **more, "401": {"doc-1": 1}}
    (text,) = [text for category, text in warned(qrels, run) if category is IdsWarning]
    asked = r"topic ('.*') of the run is not in the judgments, ('.*') is: are they the same\?( If so, .*)?"
    shown = re.fullmatch(asked, text)
    assert shown is not None
    assert [ast.literal_eval(name) for name in shown.groups()[:2]] == [other, one]
    assert shown[1] != shown[2]
    assert text.isascii() or "\ufb01" in text


@pytest.mark.parametrize(("one", "other"), [("Red Shoes", "red  shoes"), ("B-7x", "b-7X"), ("\ufb01r", "FIR")])
def test_the_code_for_case_and_blanks_makes_both_the_same(one: str, other: str) -> None:
    pandas = pytest.importorskip("pandas")
    run, qrels = {"9": {"d": 1.0}, other: {"d": 1.0}}, {"9": {"d": 1}, one: {"d": 1}}
    (text,) = [text for category, text in warned(qrels, run) if category is IdsWarning]
    df = pandas.DataFrame({"topic": [one, other]})
    code = text.partition("in pandas ")[2].replace("COLUMN", "'topic'")
    exec(code, {"df": df})
    assert df["topic"].nunique() == 1


@pytest.mark.parametrize(("one", "other"), [(a, b) for a, b in SPELLINGS.items() if b != "Q7 "])
@pytest.mark.parametrize("matching", [0, 1, 5])
def test_documents_that_look_alike_are_asked_about_where_few_are_judged(one: str, other: str, matching: int) -> None:
    known = {f"d-{number}": 1 for number in range(matching)}
    run = {"q": {**dict.fromkeys(known, 2.0), other: 1.0, **{f"unknown-{n}": 0.5 for n in range(40)}}}
    said = [text for category, text in warned({"q": {**known, one: 1}}, run) if category is IdsWarning]
    share = 41 / (41 + matching)
    assert len(said) == (share >= 0.9)
    assert all("are they the same? (topic q)" in text for text in said)


@pytest.mark.parametrize("respell", ["\u00a0{}", "00{}", "X{}"])
@pytest.mark.parametrize("respelt", [0, 2, 3, 6])
def test_some_documents_that_are_spelled_otherwise_are_counted(respell: str, respelt: int) -> None:
    """By a literal count: of 12 documents in each of two topics some have another name in the judgments."""
    names = [f"{701 + number}" if "0" in respell else f"ab-{701 + number}/x" for number in range(12)]
    if respell == "X{}":
        respell, names = "{}", [name.upper() for name in names]
    judged = [respell.format(name).lower() if place < respelt else name for place, name in enumerate(names)]
    qrels = {topic: dict.fromkeys(judged, 1) for topic in "ab"}
    run = Run.from_dict({topic: {name: float(-place) for place, name in enumerate(names)} for topic in "ab"})
    said = [text for category, text in warned(qrels, run) if category is IdsWarning]
    assert len(said) == (2 * respelt >= 3)
    assert all(f"(topic a; {2 * respelt - 1} more documents in 2 topics)" in text for text in said)


def test_a_document_whose_other_spelling_is_retrieved_too_is_another_document() -> None:
    names = [f"{number}" for number in range(1, 7)]
    run = {"q": {**dict.fromkeys(names, 2.0), **dict.fromkeys((f"0{name}" for name in names), 1.0)}}
    assert IdsWarning not in dict(warned({"q": dict.fromkeys(names, 1)}, Run.from_dict(run)))


def test_other_topics_are_not_alike() -> None:
    assert IdsWarning not in dict(warned(QRELS, {**RUN, "4020": {"x": 1.0}, "other": {"x": 1.0}}))


def test_prefixes_before_ids_without_numbers() -> None:
    qrels = {"q": {"corpus:abc": 1, "corpus:def": 0}}
    said = dict(warned(qrels, {"q": {"abc": 2.0, "xyz": 1.0}}))
    assert "document 'abc' of the run is not in the judgments, 'corpus:abc' is" in said[IdsWarning]
    assert IdsWarning not in dict(warned(qrels, {"q": {"cabc": 2.0, "corpus": 1.0, "corpus:": 0.5}}))


def test_documents_are_compared_where_a_run_lacks_a_topic() -> None:
    names = [f"ab-{701 + number}/x" for number in range(12)]
    qrels = {"a": {name.upper() if place < 6 else name: 1 for place, name in enumerate(names)}, "b": {"x": 1}}
    run = Run.from_dict({"a": {name: -float(place) for place, name in enumerate(names)}})
    (said,) = [text for category, text in warned(qrels, run) if category is IdsWarning]
    assert "(topic a; 5 more documents in 1 topic) If so, write both in lower case" in said


LEADING = 30
"""Topics with two documents whose zeros the judgments lost."""


@pytest.mark.parametrize("where", ["judgments", "run"])
def test_lost_zeros_are_counted_in_all_topics_and_runs_with_what_gives_them_back(where: str) -> None:
    """By the counts of the made files: two lost documents in each of 30 topics here, one in each of 20 there."""
    topics = [f"q{number}" for number in range(LEADING)]
    whole = {topic: [f"00{number}{n}" for n in "123"] for number, topic in enumerate(topics, 10)}
    lost = {topic: [one.lstrip("0") for one in documents] for topic, documents in whole.items()}
    there, here = (lost, whole) if where == "judgments" else (whole, lost)
    qrels = {topic: {"other": 1, **dict.fromkeys(there[topic][:2], 2)} for topic in topics}
    first = {topic: {"other": 3.0, **dict.fromkeys(here[topic], 1.0)} for topic in topics}
    second = {topic: {"other": 3.0, **dict.fromkeys(here[topic][1 : 1 + (topic < "q3")], 1.0)} for topic in topics}
    runs = {"one": Run.from_dict(first, "one"), "two": Run.from_dict(second, "two")}
    few = sum(topic < "q3" for topic in topics)
    notes = [note for note in evaluate(qrels, runs, ["P@5"]).notes if note.category is IdsWarning]
    (said,) = map(str, notes)
    assert (
        f"(topic q0; {2 * LEADING - 1} more documents in {LEADING} topics; two: {few} documents in {few} topics)"
        in said
    )
    assert f"the {where} lost zeros" in said
    assert ".astype(str).str.zfill(5)" in said
    assert notes[0].weight is NoteWeight.OMISSION


def test_lost_zeros_of_ids_of_several_lengths_cannot_be_filled_in() -> None:
    qrels = {"q": {"1": 1, "22": 1, "333": 0, "other": 1}}
    run = Run.from_dict({"q": {"01": 3.0, "0022": 2.0, "0333": 1.0, "other": 0.5}})
    (said,) = [text for category, text in warned(qrels, run) if category is IdsWarning]
    assert "the judgments lost zeros" in said
    assert "export them once more" in said
    assert "zfill" not in said


@pytest.mark.parametrize("where", ["judgments", "run"])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_hyphens_in_some_ids_are_asked_about_where_one_judged_id_alone_is_meant(where: str, elsewhere: bool) -> None:
    """Where the judgments of another topic write both, ids with hyphens are other ids."""
    plain, hyphened = ([form.format(number) for number in range(1, 5)] for form in ("97834{}x", "978-34-{}x"))
    here, there = (hyphened, plain) if where == "run" else (plain, hyphened)
    qrels = {"a": dict.fromkeys([*there, "other"], 1), "b": {"z": 1, **dict.fromkeys(here if elsewhere else (), 1)}}
    run = Run.from_dict({"a": dict.fromkeys([*here, "other"], 1.0)})
    said = [text for category, text in warned(qrels, run) if category is IdsWarning]
    assert len(said) == (not elsewhere)
    remedy = f"remove the hyphens from ids of the {where}: in pandas df[COLUMN] = df[COLUMN].astype(str)"
    remedy += ".str.replace('-', ''), where COLUMN has these ids"
    assert all("3 more documents in 1 topic" in text and text.endswith(remedy) for text in said)


@pytest.mark.parametrize(("here", "there"), [("978-{}", "978{}"), ("978{}", "978-{}"), ("{}.0", "00{}")])
def test_one_pair_is_shown_where_all_ids_of_one_side_are_spelled_otherwise(here: str, there: str) -> None:
    numbers = range(10, 40)
    qrels = {"1": {there.format(number): 1 for number in numbers}}
    run = {"1": {here.format(number): 1.0 for number in numbers}}
    (text,) = [text for category, text in warned(qrels, run) if category is IdsWarning]
    assert f"document {here.format(10)!r} of the run is not in the judgments, {there.format(10)!r} is" in text
    assert " If so, " in text


@pytest.mark.parametrize(("here", "there"), [("A{}", "A-{}"), ("{}", "00{}")])
def test_runs_without_a_common_topic_are_asked_about_one_pair(here: str, there: str) -> None:
    qrels = {there.format(number): {"a": 1} for number in range(1, 9)}
    run = {here.format(number): {"a": 1.0} for number in range(1, 9)}
    with pytest.raises(InputError, match="are they the same") as error:
        evaluate(qrels, run, "P@1")
    asked = f"topic {here.format(1)!r} of the run is not in the judgments, {there.format(1)!r} is: are they the same?"
    assert asked in str(error.value)


RESPELL = {"zeros": "00{}", "decimals": "{}.0", "hyphens": "97-{}", "case": "97{}A", "blanks": "97 {}"}
HUMAN = {"zeros": "{}", "decimals": "{}", "hyphens": "97{}", "case": "97{}a", "blanks": "97{}"}


@pytest.mark.parametrize("spelling", RESPELL)
def test_judges_are_asked_about_documents_that_they_spell_otherwise(spelling: str) -> None:
    """Some of the documents: a warning; all of them: an error that asks the same."""
    numbers = range(10, 30)
    plain, other = HUMAN[spelling], RESPELL[spelling]
    human = {t: {plain.format(n): n % 3 for n in numbers} for t in "12"}
    asked = f"document {other.format(20)!r} of the judge is not in the human judgments, {plain.format(20)!r} is"
    some = {t: {(plain if n < 20 else other).format(n): n % 3 for n in numbers} for t in "12"}
    with pytest.warns(IdsWarning, match=re.escape(asked)) as caught:
        judges(human, {"llm": some})
    (text,) = [str(one.message) for one in caught if one.category is IdsWarning]
    assert text.startswith("llm: ")
    assert "(topic 1; 19 more documents in 2 topics)" in text
    every = {t: {other.format(n): n % 3 for n in numbers if n >= 20} for t in "12"}
    with pytest.raises(InputError, match=re.escape(asked)):
        judges(human, {"llm": every})


def test_judges_are_asked_about_topics_that_they_spell_otherwise_and_not_about_others() -> None:
    human = {str(t): {f"d{n}": n % 3 for n in range(9)} for t in range(1, 6)}
    judge = {(f"00{t}" if t == "5" else t): grades for t, grades in human.items()}
    with pytest.warns(IdsWarning, match="topic '005' of the judge is not in the human judgments, '5' is"):
        judges(human, {"llm": judge})
    with warnings.catch_warnings():
        warnings.simplefilter("error", IdsWarning)
        judges(human, {"llm": human | {"other": {"d1": 1}, "4": {"e1": 1, "e2": 1, "e3": 2}}})


def test_labels_of_topics_in_other_case_are_asked_about() -> None:
    with pytest.raises(InputError, match="write 'tent' for 'TENT', as the judgments do"):
        evaluate({"tent": {"a": 1}}, {"tent": {"a": 1.0}}, "RR", by={"TENT": "head"})


@pytest.mark.parametrize(("here", "there", "whose"), [
    (["884000123", "914000555"], ["9.14E+08", "8,84E+08"], "judgments"),
    (["8.84E+08", "914000555"], ["914000555", "884000123"], "run"),
])  # fmt: skip
def test_ids_that_a_spreadsheet_shortened_are_told_as_in_features(
    here: list[str], there: list[str], whose: str
) -> None:
    first = "8,84E+08" if whose == "judgments" else "8.84E+08"
    (said,) = about_alike("document", here, there, " (topic 1)")
    assert said.startswith(f"document '{first}' of the {whose} lost its last digits, as Excel shortens long numbers; ")
    assert said.endswith(" (topic 1)")


def test_ids_that_a_spreadsheet_shortened_in_both_match() -> None:
    assert [*about_alike("document", ["8.84E+08"], ["8.84E+08", "9.1E+08"])] == []
    assert [*about_alike("document", [], ["8.84E+08"])] == []
    assert [*about_alike("document", ["12e4567", "5E3"], ["b"])] == []  # a hash and a code

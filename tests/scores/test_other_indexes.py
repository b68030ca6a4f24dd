"""A run of an index whose chunks have new ids is asked about, and no other run."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import IdsWarning, compare, evaluate, gate
from gradeval.scores.other_indexes import GONE, OF_OTHER_FORM, _form_of, _share_gone

Rankings = dict[str, dict[str, float]]

CHUNKS = [f"{page}.md::{number}" for page in "abcdefghijkl" for number in range(15)]
TOPICS = [f"q{number}" for number in range(40)]
DRAWN = random.Random(7)
GOLD = {topic: DRAWN.sample(CHUNKS, 2) for topic in TOPICS}
QRELS = {topic: dict.fromkeys(documents, 1) for topic, documents in GOLD.items()}


def search(skill: float, seed: int) -> Rankings:
    """Ten chunks for each topic; a relevant one is found with the probability ``skill``."""
    drawn = random.Random(seed)
    found = {topic: [one for one in GOLD[topic] if drawn.random() < skill] for topic in TOPICS}
    lists = {topic: list(dict.fromkeys([*own, *drawn.sample(CHUNKS, 10)]))[:10] for topic, own in found.items()}
    return {topic: {one: -float(rank) for rank, one in enumerate(documents)} for topic, documents in lists.items()}


def cut_anew(run: Rankings, pages: str, name: Callable[[str], str]) -> Rankings:
    """The same run, with a new name for the chunks of some pages."""
    return {
        topic: {name(one) if one[0] in pages else one: score for one, score in documents.items()}
        for topic, documents in run.items()
    }


def as_hash(one: str) -> str:
    return f"{random.Random(one).getrandbits(64):016x}"


def as_number(one: str) -> str:
    return f"{one[0]}.md::{100 + int(one.rpartition(':')[2])}"


BEFORE, AFTER = search(0.8, 1), search(0.85, 2)
NEW = {
    "most chunks, hashes": cut_anew(AFTER, "abcdefghijk", as_hash),
    "most chunks, numbers": cut_anew(AFTER, "abcdefghijk", as_number),
    "a quarter, hashes": cut_anew(AFTER, "abc", as_hash),
}


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("form", NEW)
def test_nothing_is_decided_on_a_run_of_an_index_with_new_ids(form: str) -> None:
    comparison = compare(QRELS, {"old": BEFORE, "new": NEW[form]}, "nDCG@5")
    assert comparison.decision is not None
    assert comparison.decision.sentence.startswith("Not decided: the judgments seem to spell ids of new otherwise")
    for before, after, side in ((BEFORE, NEW[form], "after"), (NEW[form], BEFORE, "before")):
        said = said_of(lambda before=before, after=after: gate(QRELS, before, after, "nDCG@5"))
        assert said.startswith(f"{side}: the judgments seem to spell ids of ")
        assert "are its documents of the same index as in " in said


@pytest.mark.parametrize("form", NEW)
def test_the_question_names_an_id_of_both(form: str) -> None:
    with pytest.warns(IdsWarning, match="new: are its documents of the same index as in old") as warned:
        evaluate(QRELS, {"old": BEFORE, "new": NEW[form]}, "nDCG@5")
    [said] = [str(one.message) for one in warned if "same index" in str(one.message)]
    assert ("next to no documents are in both runs" in said) is ("numbers" in form)
    here, there = said.partition(", as ")[2].split("'")[1::2][:2]
    assert any(here in documents for documents in NEW[form].values())
    assert there in CHUNKS


@pytest.mark.parametrize("number", [1, 2])
def test_runs_of_a_new_index_alone_are_asked_about_by_the_judgments(number: int) -> None:
    run = cut_anew(BEFORE, "abcdefghijk", as_hash)
    lines = [one for documents in run.values() for one in documents]
    share = sum("::" not in one for one in lines) / len(lines)
    with pytest.warns(IdsWarning, match="same index as the judgments") as warned:
        evaluate(QRELS, {"one": run, "other": run} if number == 2 else run, "nDCG@5")
    [said] = [str(one.message) for one in warned if "same index" in str(one.message)]
    assert f"? {share:.1%} of its ids have another form, as " in said
    here, there = said.partition(", as ")[2].split("'")[1::2][:2]
    assert here in lines
    assert "::" not in here
    assert there in CHUNKS


@pytest.mark.filterwarnings("error:.*same index")
def test_few_judged_documents_do_not_show_what_forms_an_index_has() -> None:
    run = {"q0": {"a1": 3.0, "b.md::1": 2.0, "c.md::2": 1.0}}  # each of 3 ids may be the one that is not of the form
    evaluate({"q0": {"b.md::1": 1, "c.md::3": 1}}, run, "nDCG@5")


@pytest.mark.filterwarnings("error:.*same index")
@pytest.mark.parametrize("skill", [0.0, 0.2, 0.5, 0.9])
def test_a_worse_run_of_the_same_index_is_decided_on(skill: float) -> None:
    evaluate(QRELS, search(skill, 3), "nDCG@5")
    comparison = compare(QRELS, {"old": BEFORE, "new": search(skill, 3)}, "nDCG@5")
    assert comparison.decision is not None
    assert "Not decided: judged" not in comparison.decision.sentence


def test_popular_items_are_of_the_same_index_as_personal_ones() -> None:
    popular = [CHUNKS[:10]] * 40
    assert _share_gone(popular, [[*run] for run in BEFORE.values()]) < GONE


def test_no_two_of_the_real_runs_are_taken_for_runs_of_two_indexes(data: Callable[[str], Path]) -> None:
    files = sorted((data("trec-covid-r5") / "runs").iterdir())[::6]
    runs = []
    for file in files:
        ranked: dict[str, list[tuple[float, str]]] = {}
        for line in file.read_text().splitlines():
            topic, _, document, _, score, _ = line.split()
            ranked.setdefault(topic, []).append((-float(score), document))
        runs.append([[one for _, one in sorted(some)[:10]] for some in ranked.values()])
    judged = {_form_of(line.split()[2]) for line in (data("trec-covid-r5") / "qrels.txt").read_text().splitlines()}
    assert all(_form_of(one) in judged for own in runs for some in own for one in some)
    for own, others in combinations(runs, 2):
        known = {_form_of(one) for some in others for one in some}
        lines = [_form_of(one) not in known for some in own for one in some]
        assert sum(lines) < OF_OTHER_FORM * len(lines)
        assert _share_gone(own, others) < GONE

"""A run without a judged document, as one whose ids are written otherwise, is decided on by nothing that names runs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from gradeval import InputError, compare, equivalence, evaluate, gate, ranks, report
from gradeval.cli import main

TOPICS = [str(topic) for topic in range(20)]
QUESTION = "Not decided: no document of B is judged; are its ids written as in the judgments?"

pytestmark = pytest.mark.filterwarnings("ignore")


def make() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments, a good run A, a bad run C, and B: the best of all, with other ids."""
    draw = random.Random(3)
    qrels, runs = {}, {name: {} for name in "ABC"}  # type: ignore[var-annotated]
    for topic in TOPICS:
        grades = {f"d{place}": draw.choice([0, 0, 1, 2]) for place in range(20)}
        qrels[topic] = grades
        for name, noise in {"A": 0.7, "B": 0.0, "C": 3.0}.items():
            scores = {one: grade + draw.gauss(0, noise) for one, grade in grades.items()}
            runs[name][topic] = {f"x-{one}z" if name == "B" else one: score for one, score in scores.items()}
    return qrels, runs


QRELS, RUNS = make()


def chosen(names: str) -> dict[str, dict[str, dict[str, float]]]:
    return {name: RUNS[name] for name in names}


@pytest.mark.parametrize("order", ["AB", "BA"])
@pytest.mark.parametrize("baseline", [None, "A", "B"])
def test_of_two_runs_none_is_taken(order: str, baseline: str | None) -> None:
    compared = compare(QRELS, chosen(order), "AP nDCG@10", baseline=baseline)
    decision = compared.decision
    assert decision.choice == "not decided"
    assert decision.sentence == QUESTION
    assert decision.verdicts == ["not told apart"] * 2
    assert decision.about_needed == ""
    assert not compared.significant.any()
    assert not any(compared.to_frame()["significant"].to_pylist())
    assert [note.text for note in compared.notes if "loses most" in note.text or "Keep" in note.text] == []
    assert QUESTION in [note.text for note in compared.notes]


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_ranks_leave_every_rank_to_it(order: str) -> None:
    found = ranks(QRELS, chosen(order), "nDCG@10")
    assert found.answer("nDCG@10") == f"nDCG@10: {QUESTION}"
    assert sorted(found.best("nDCG@10")) == ["A", "B"]
    assert found.lower.tolist() == [[1, 1]]
    assert found.upper.tolist() == [[2, 2]]


def test_of_more_runs_the_others_are_decided_on() -> None:
    alone, found = (ranks(QRELS, chosen(names), "nDCG@10") for names in ("AC", "ABC"))
    assert alone.answer("nDCG@10") == "nDCG@10: A is the best of 2 runs at alpha 0.05"
    assert found.answer("nDCG@10") == f"nDCG@10: {QUESTION} Of the others, A is the best of 2 runs at alpha 0.05"
    assert found.best("nDCG@10") == ["A", "B"]
    # where B stands is open, so that each other run may stand one rank further back
    assert found.lower.tolist() == [[1, 1, 2]]
    assert found.upper.tolist() == [[2, 3, 3]]
    assert found.p[0, 1] == 1
    assert found.behind[0, 1] == 0

    compared = compare(QRELS, chosen("ABC"), "nDCG@10")
    told = [compared.runs[a] + compared.runs[b] for a, b in compared.pairs[compared.significant[0]].tolist()]
    assert told == ["AC"]
    assert compared.notes[-1].text != QUESTION
    assert QUESTION in [note.text for note in compared.notes]


@pytest.mark.parametrize(("names", "others"), [("AB", ""), ("ABC", " Of the others, A is the best of 2 runs by ")])
def test_the_page_says_the_same(names: str, others: str) -> None:
    made = report(QRELS, chosen(names), "nDCG@10", studies="none", baseline="A")
    said = made.sections[0].answer
    assert said.startswith(QUESTION + others)
    assert "?." not in said
    page = json.loads(made.to_json())
    assert QUESTION in json.dumps(page)
    board = [row for row in made.tables["leaderboard: Leaderboard"].to_pylist() if row["run"] == "B"]
    assert [row["may_be_best"] for row in board] == [True]
    if names == "AB":
        [verdicts] = [table for name, table in made.tables.items() if "B less A" in name]
        assert verdicts["verdict"].to_pylist() == ["not told apart"]
        assert dict(made.sections[0].tiles)["How sure?"] == "not decided"
    assert "▼ B" not in made.write("page.md").decode()
    assert "▼" not in str(made.sections[0])


@pytest.mark.parametrize("given", ["runs", "scores"])
@pytest.mark.parametrize(("sides", "side"), [("AB", "after"), ("BA", "before")])
def test_gate_refuses_in_the_same_words(given: str, sides: str, side: str) -> None:
    data: list[Any] = [chosen(name) for name in sides]
    data = [QRELS, *data] if given == "runs" else [evaluate(QRELS, one, "AP") for one in data]
    with pytest.raises(InputError) as raised:
        gate(*data, measures="AP")
    said = str(raised.value)
    named = "run" if given == "runs" else "B"  # a run of a dictionary lies in no file
    pair = ": 'd0' there, 'x-d0z' here (topic 0)" * (given == "runs")
    assert said == f"{side}: no document of {named} is judged; are its ids written as in the judgments{pair}?"


def test_a_slice_is_decided_as_all_topics_are() -> None:
    labels = {topic: "even" if int(topic) % 2 == 0 else "odd" for topic in TOPICS}
    runs = chosen("AC")
    runs["C"] = {topic: found for topic, found in runs["C"].items() if labels[topic] == "even"}
    marked = compare(QRELS, runs, "nDCG@10", by=labels)
    odd = next(one.result for one in marked.slices if one.slice.label == "odd")
    assert odd.significant.all()  # C returns nothing there, and is judged elsewhere

    other = compare(QRELS, chosen("AB"), "nDCG@10", by=labels)
    assert other.decision.sentence == QUESTION
    assert not any(one.result.significant.any() for one in other.slices)


@pytest.mark.parametrize("order", ["ABC", "BCA"])
def test_it_is_equivalent_to_no_run_within_any_margin(order: str) -> None:
    """A margin of 2 holds all differences, so that every other pair is equivalent."""
    found = equivalence(QRELS, chosen(order), "AP nDCG@10", margin=2.0)
    with_b = ["B" in (order[one], order[two]) for one, two in found.pairs.tolist()]
    assert found.equivalent.tolist() == [[not one for one in with_b]] * 2
    assert QUESTION in [note.text for note in found.notes]
    for grid in found.table().grids:
        assert [row[-1] for row in grid.texts()] == ["not decided" if one else "equivalent" for one in with_b]
    assert found.to_frame()["equivalent"].to_pylist() == [not one for one in with_b] * 2
    alone = equivalence(QRELS, chosen("AC"), "nDCG@10", margin=2.0)
    assert (alone.unjudged, alone.equivalent.all()) == ([], True)
    assert "Not decided" not in str(alone.notes)


def test_of_many_runs_the_pairs_with_it_are_counted_apart() -> None:
    runs = chosen("B") | {f"A{number}": RUNS["A"] for number in range(20)}
    (grid,) = equivalence(QRELS, runs, "nDCG@10", margin=2.0).table().grids
    assert grid.head == ["measure", "pairs", "equivalent", "not shown", "not decided"]
    assert grid.texts() == [["nDCG@10", "210", "190", "0", "20"]]


def test_one_judged_document_among_ids_of_another_form_is_not_enough_for_a_verdict() -> None:
    runs = chosen("AB")
    runs["B"] = {**runs["B"], "0": {**runs["B"]["0"], "d1": -9.0}}
    decision = compare(QRELS, runs, "nDCG@10").decision
    assert decision.choice == "not decided"
    assert decision.unjudged == ["B"]


def test_two_runs_without_judged_documents_are_both_named() -> None:
    runs = {"B": RUNS["B"], "D": RUNS["B"]}
    said = "Not decided: no document of B and D is judged; are their ids written as in the judgments?"
    assert compare(QRELS, runs, "nDCG@10").decision.sentence == said
    assert ranks(QRELS, runs, "nDCG@10").undecided == said
    np.testing.assert_array_equal(ranks(QRELS, runs, "nDCG@10").may_be_best, True)


def test_commands_and_page_have_one_sentence(tmp_path: Path) -> None:
    lines = [f"{topic} 0 {one} {grade}" for topic, grades in QRELS.items() for one, grade in grades.items()]
    (tmp_path / "q.txt").write_text("\n".join(lines) + "\n")
    for name, topics in chosen("AB").items():
        found = [f"{topic} Q0 {one} 1 {score} {name}" for topic, some in topics.items() for one, score in some.items()]
        (tmp_path / f"{name}.run").write_text("\n".join(found) + "\n")
    files = [str(tmp_path / name) for name in ("q.txt", "A.run", "B.run")]
    for command in ("compare", "ranks"):
        result = CliRunner().invoke(main, [command, *files, "-m", "nDCG@10"])
        assert QUESTION in result.output
        assert "Keep" not in result.output
        assert "the best of" not in result.output
        assert "topics.csv" not in result.output  # gate, which refuses these files
    page = str(tmp_path / "page.md")
    options = ["-m", "nDCG@10", "--studies", "none", "-o", page]
    CliRunner().invoke(main, ["report", *files, *options], catch_exceptions=False)
    text = Path(page).read_text()
    assert QUESTION in text
    assert "Keep A:" not in text
    refused = CliRunner().invoke(main, ["gate", *files])
    assert refused.exit_code != 0
    assert "no document of" in refused.output


RESPELT = "Not decided: the judgments seem to spell ids of B otherwise; are its ids written as in the judgments?"


def respell(topics: int, folder: Path) -> tuple[Path, Path]:
    """Files of A, and of B: the same ranking with ``#3`` behind its ids in so many topics."""
    first, second = folder / "A.jsonl", folder / "B.jsonl"
    for path, changed in ((first, 0), (second, topics)):
        records = []
        for place, topic in enumerate(TOPICS):
            ranked = sorted(RUNS["A"][topic], key=lambda one: -RUNS["A"][topic][one])
            ids = [f"{one}#3" if place < changed else one for one in ranked]
            records.append(json.dumps({"query_id": topic, "retrieved_ids": ids}))
        path.write_text("\n".join(records))
    return first, second


@pytest.mark.parametrize("topics", [1, 5, 18])
def test_a_run_with_many_judged_documents_under_other_ids_is_not_decided_on(topics: int, tmp_path: Path) -> None:
    runs = [*respell(topics, tmp_path)]
    compared = compare(QRELS, runs, "nDCG@10 RR")
    many = topics > 1  # of twenty
    assert (compared.decision.sentence == RESPELT) is many
    assert not (many and compared.significant.any())
    assert (compare(evaluate(QRELS, runs, "nDCG@10 RR")).decision.sentence == RESPELT) is many
    assert ranks(QRELS, runs, "nDCG@10").answer("nDCG@10").startswith("nDCG@10: Not decided") is many


@pytest.mark.parametrize("given", ["runs", "scores"])
@pytest.mark.parametrize("topics", [1, 18])
def test_the_page_decides_on_it_as_compare_and_ranks_do(topics: int, given: str, tmp_path: Path) -> None:
    first, second = respell(topics, tmp_path)
    third = tmp_path / "C.jsonl"
    found = {topic: sorted(some, key=lambda one: -some[one]) for topic, some in RUNS["C"].items()}
    third.write_text("\n".join(json.dumps({"query_id": one, "retrieved_ids": ids}) for one, ids in found.items()))
    for files, others in (([first, second], ""), ([first, second, third], " Of the others, A is the best of 2 runs")):
        data = [QRELS, files] if given == "runs" else [evaluate(QRELS, files, "nDCG@10")]
        made = report(*data, measures="nDCG@10", studies="none")
        said = made.sections[0].answer
        assert said.startswith(RESPELT + others) is (topics == 18)
        assert (RESPELT in said) is (topics == 18)
        if topics == 18 and not others:
            assert dict(made.sections[0].tiles)["How sure?"] == "not decided"
        whole = made.write("page.md").decode()
        assert whole.count("remove '#3' from ids of the run") <= 2  # under the first answer, and among all notes


@pytest.mark.parametrize("given", ["runs", "scores", "scores and run"])
@pytest.mark.parametrize("side", ["before", "after"])
def test_gate_refuses_a_run_with_many_judged_documents_under_other_ids(side: str, given: str, tmp_path: Path) -> None:
    first, second = respell(18, tmp_path)
    sides: list[Any] = [first, second] if side == "after" else [second, first]
    if given != "runs":
        sides = [one if one == second and "run" in given else evaluate(QRELS, one, "AP") for one in sides]
    data = sides if given == "scores" else [QRELS, *sides]
    with pytest.raises(InputError) as raised:
        gate(*data, measures="AP")
    named = "B" if given == "scores" else str(second)
    said = str(raised.value)
    assert said.startswith(f"{side}: the judgments seem to spell ids of {named} otherwise; ")
    assert said.endswith("?") if given == "scores" else "remove '#3' from ids of the run" in said


@pytest.mark.parametrize(("topics", "decides"), [(1, False), (3, False), (9, False), (0, True)])
def test_a_run_that_writes_topics_otherwise_is_not_decided_on(topics: int, decides: bool) -> None:
    """Its topics seem to be missing: a loss by them says nothing of the run."""
    named = [f"query {topic}" for topic in TOPICS]
    judged = dict(zip(named, QRELS.values(), strict=True))
    better = dict(zip(named, RUNS["A"].values(), strict=True))
    other = [one.title().replace(" ", "  ") if place < topics else one for place, one in enumerate(named)]
    runs = {
        "B": dict(zip(other, RUNS["A"].values(), strict=True)),
        "C": dict(zip(named, RUNS["C"].values(), strict=True)),
    }
    compared = compare(judged, runs, "nDCG@10")
    assert (compared.decision.sentence == RESPELT) is not decides
    assert compare(judged, {"A": better, "C": runs["C"]}, "nDCG@10").decision.choice != "not decided"
    asked = [note.text for note in compared.notes if "'query 0' is: are they the same? If so, write both" in note.text]
    assert len(asked) == (topics > 0)


@pytest.mark.parametrize("judged", [0, 1])
def test_a_run_whose_tops_nobody_judged_is_not_decided_on(judged: int, tmp_path: Path) -> None:
    """Ten of the twenty documents of each topic are judged. B returns these ten last, so nobody knows how good B is."""
    qrels = {topic: dict([*grades.items()][:10]) for topic, grades in QRELS.items()}
    runs: dict[str, dict[str, dict[str, float]]] = {"A": {}, "B": {}}
    for place, (topic, grades) in enumerate(QRELS.items()):
        last = {one: -10.0 - rank for rank, one in enumerate([*grades][:10])}
        runs["B"][topic] = {**{one: -float(rank) for rank, one in enumerate([*grades][10:])}, **last}
        runs["A"][topic] = {one: -score for one, score in runs["B"][topic].items()}
        if judged and not place:
            qrels[topic][[*grades][10]] = 0
    said = "Not decided: none of the first 10 documents of B is judged; are its ids written as in the judgments?"
    for order in ("AB", "BA"):
        chosen_runs = {name: runs[name] for name in order}
        assert (compare(qrels, chosen_runs, "nDCG@10").decision.sentence == said) is not bool(judged)
        files = []
        for name in order:
            files.append(tmp_path / f"{name}.json")
            files[-1].write_text(json.dumps(runs[name]))
        try:
            refused = bool(gate(qrels, *files, measures="nDCG@10") is None)
        except InputError as error:
            refused = "B.json is judged; are its ids written as in the judgments?" in str(error)
        assert refused is not bool(judged)


def test_gate_refuses_a_run_that_writes_topics_otherwise(tmp_path: Path) -> None:
    files = []
    for name, change in (("A", "query {}"), ("B", "Query {}")):
        lines = [["query", "doc", "score"]]
        for place, topic in enumerate(TOPICS):
            spelt = change if place < 9 else "query {}"
            lines += [[spelt.format(topic), one, str(score)] for one, score in RUNS["A"][topic].items()]
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text("\n".join(map(",".join, lines)))
    judged = {f"query {topic}": grades for topic, grades in QRELS.items()}
    with pytest.raises(InputError, match=r"spell ids of .*B\.csv otherwise; topic 'Query 0' .*casefold"):
        gate(judged, *files, measures="AP")


def test_gate_decides_on_a_run_with_few_documents_under_other_ids(tmp_path: Path) -> None:
    first, second = respell(1, tmp_path)
    assert gate(QRELS, first, second, measures="AP").verdicts == {"AP": "passed"}
    assert gate(QRELS, second, first, measures="AP").verdicts == {"AP": "passed"}


def test_the_command_gate_refuses_it_as_it_refuses_a_run_without_judged_documents(tmp_path: Path) -> None:
    lines = [f"{topic} 0 {one} {grade}" for topic, grades in QRELS.items() for one, grade in grades.items()]
    (tmp_path / "q.txt").write_text("\n".join(lines) + "\n")
    first, second = map(str, respell(18, tmp_path))
    for files in ((first, second), (second, first)):
        refused = CliRunner().invoke(main, ["gate", str(tmp_path / "q.txt"), *files, "-m", "AP"])
        assert refused.exit_code == 2
        assert f"the judgments seem to spell ids of {second} otherwise; document '" in refused.output
        assert "significantly" not in refused.output


def test_slices_tell_nothing_of_two_runs_where_one_has_other_ids(tmp_path: Path) -> None:
    """B is A but for odd topics, on which it would be said to lose."""
    labels = {topic: "even" if int(topic) % 2 == 0 else "odd" for topic in TOPICS}
    first, second = respell(18, tmp_path)
    records = [json.loads(line) for line in first.read_text().splitlines()]
    for record in records[1::2]:
        record["retrieved_ids"] = [f"{one}#3" for one in record["retrieved_ids"]]
    records[0]["retrieved_ids"] = [f"{one}#3" for one in records[0]["retrieved_ids"]]
    second.write_text("\n".join(map(json.dumps, records)))
    said = [note.text for note in evaluate(QRELS, [first, second], "nDCG@10", by=labels).notes]
    assert [text for text in said if "remove '#3' from ids of the run" in text]
    assert not [text for text in said if "on slice odd" in text]

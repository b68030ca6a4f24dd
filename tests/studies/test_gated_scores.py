"""BEFORE and AFTER: every form that they may have, missing topics, unjudged documents, and which run of several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from score_tables import scores_of

from gradeval import GateDecision, InputError, Qrels, evaluate, gate, report
from gradeval.warning_categories import CollectionWarning, CoverageWarning, NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "cedar", "oak", "birch")}


def ranking(*documents: str) -> dict[str, float]:
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


JUDGED = {str(topic): {"a": 1, "b": 0} for topic in range(12)}
HERE = {topic: ranking("a", "x", "b", "y") for topic in JUDGED}


def test_topics_that_one_run_misses_count_0_and_are_noted() -> None:
    fewer = {topic: ranking("b", "a") for topic in [*JUDGED][:10]}
    with pytest.warns(
        CoverageWarning, match=r"1 of 2 runs returned nothing for some of the 12 topics \(after 2: 10, 11\)"
    ):
        found = gate(JUDGED, HERE, fewer, "P@1 RR")
    assert found.after.tolist() == [0, 10 * 0.5 / 12]
    assert found.counted.tolist() == [12, 12]
    shown = {
        row.split()[1]: row.endswith("after")
        for row in str(found).splitlines()
        if row.startswith("P@1 ") and "/" not in row
    }
    assert {topic for topic, is_marked in shown.items() if is_marked} <= {"10", "11"}
    assert {"10", "11"} & {*shown} == {topic for topic, is_marked in shown.items() if is_marked}


@pytest.mark.parametrize("side", ["before", "after"])
def test_topics_that_one_of_two_scores_misses_count_0_and_are_noted(side: str) -> None:
    whole = scores_of(np.linspace(0.2, 0.9, 12)[None])
    part = scores_of(np.linspace(0.3, 0.8, 12)[None]).sel(topics=[str(topic) for topic in range(1, 10)])
    with pytest.warns(CoverageWarning, match=rf"{side}: has nothing for 3 of 12 topics \(10, 11, 12\); they count 0"):
        found = gate(*((part, whole) if side == "before" else (whole, part)))
    means = {"before": found.before, "after": found.after}
    assert means[side] == pytest.approx([part.values.sum() / 12])


def test_more_unjudged_documents_are_noted_with_the_difference_without_them() -> None:
    after = {topic: ranking("x", "y", "a", "b") if int(topic) < 6 else ranking("a", "b", "x") for topic in JUDGED}
    found = gate(JUDGED, HERE, after, "P@2 AP")
    # of the first two ranks BEFORE leaves one unjudged; AFTER both in half of the topics, none in the others
    assert found.judged_alone == {}
    found = gate(JUDGED, HERE, {topic: ranking("x", "y", "a") for topic in JUDGED}, "P@2 AP")
    pair = [evaluate(JUDGED, run, "P(judged_only=True)@2") for run in (HERE, {"0": ranking("x", "y", "a")})]
    assert found.judged_alone["P@2"] == pytest.approx(pair[1].values[0, 0, 0] - pair[0].values[0, 0, 0])
    (note,) = [note for note in found.notes if "unjudged documents" in note.text]  # one, over all measures
    assert note.text.startswith("unjudged documents after and before: P@2 100.0% and 50.0%, AP 66.7% and ")
    assert note.text.endswith("; column 'judged only' leaves them out")
    assert note.weight is NoteWeight.COVERAGE
    ready = gate(JUDGED, evaluate(JUDGED, HERE, "P@2"), {topic: ranking("x", "a") for topic in JUDGED})
    assert "how many documents are unjudged is not compared, as scores do not say it" in map(str, ready.notes)


# Every form of BEFORE and AFTER


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("saved")
    scores = evaluate(QRELS, RUNS["elm"], "nDCG@10 AP")
    places: dict[str, Any] = {"scores": scores}
    for ending in ("parquet", "tsv", "csv", "jsonl"):
        places[ending] = folder / f"elm.{ending}"
        scores.save(places[ending], **({} if ending == "parquet" else {"by_topic": True}))
    from gradeval.compat.trec_eval import trec_eval_lines

    places["trec_eval"] = folder / "elm.eval"
    places["trec_eval"].write_text("".join(trec_eval_lines(scores, by_topic=True, digits=4)))
    return places


@pytest.mark.parametrize("kind", ["scores", "parquet", "tsv", "csv", "jsonl", "trec_eval"])
def test_before_may_be_scores_in_any_file(saved: dict[str, Any], kind: str) -> None:
    plain = gate(QRELS, RUNS["elm"], RUNS["oak"], "nDCG@10 AP")
    found = gate(QRELS, saved[kind], RUNS["oak"])
    assert found.difference == pytest.approx(dict_of(plain, found), abs=5e-5 if kind == "trec_eval" else 1e-12)
    same = gate(QRELS, saved[kind], RUNS["elm"])
    assert (same.verdict, same.identical, same.difference.tolist()) == ("identical", "scores", [0, 0])
    both = gate(saved[kind], evaluate(QRELS, RUNS["oak"], "nDCG@10 AP"), "AP")
    assert both.difference[0] == pytest.approx(plain.difference[1], abs=5e-5)


def dict_of(plain: GateDecision, found: GateDecision) -> list[float]:
    by_name = dict(zip(map(str, plain.measures), plain.difference.tolist(), strict=True))
    return [by_name[str(measure)] for measure in found.measures]


def test_before_may_be_an_earlier_report(tmp_path: Path) -> None:
    for package in ("vl_convert", "jinja2", "altair"):
        pytest.importorskip(package)
    place = tmp_path / "last.html"
    report(QRELS, {"elm": RUNS["elm"], "oak": RUNS["oak"]}, "nDCG@10 AP", studies="none").save(place)
    plain = gate(QRELS, RUNS["elm"], RUNS["cedar"], "nDCG@10 AP")
    assert gate(QRELS, place, RUNS["cedar"], run="elm").difference == pytest.approx(plain.difference, abs=1e-6)
    assert gate(QRELS, place, RUNS["oak"]).verdict == "identical"  # the one of its name


def test_scores_by_other_judgments_are_refused() -> None:
    kinder = Qrels.from_dict({topic: dict.fromkeys(one, 1) for topic, one in JUDGED.items()})
    moved = {topic: ranking("b", "a") for topic in JUDGED}
    with pytest.raises(InputError, match="scored by different judgments"):
        gate(evaluate(JUDGED, HERE, "P@1"), evaluate(kinder, moved, "P@1"))


def test_scores_that_do_not_say_by_which_judgments_are_warned_of(tmp_path: Path) -> None:
    evaluate(QRELS, RUNS["elm"], "AP").save(tmp_path / "elm.tsv")
    with pytest.warns(
        CollectionWarning, match="the scores of before do not say which judgments made them; .* save scores as .parquet"
    ):
        gate(QRELS, tmp_path / "elm.tsv", RUNS["cedar"], "AP")


@pytest.mark.parametrize("kind", ["json", "junit", "markdown", "csv", "tsv", "jsonl", "html"])
def test_what_gate_wrote_is_no_before_and_says_what_to_keep(tmp_path: Path, kind: str) -> None:
    place = tmp_path / f"last.{kind}"
    gate(QRELS, RUNS["elm"], RUNS["cedar"], "AP").save(place, format=kind)
    said = "give one that gradeval report wrote" if kind == "html" else "is a verdict of gate, .*: gradeval evaluate -q"
    with pytest.raises(InputError, match=said):
        gate(QRELS, place, RUNS["oak"], "AP")


def test_of_several_runs_that_of_the_name_of_after_counts_else_the_named_one() -> None:
    several = {name: RUNS[name] for name in ("elm", "oak")}
    assert gate(QRELS, several, {"oak": RUNS["cedar"]}, "AP").runs == ("oak", "oak")
    assert gate(QRELS, several, {"new": RUNS["cedar"]}, "AP", run="elm").runs == ("elm", "new")
    assert gate(QRELS, RUNS["oak"], several, "AP", run="elm").runs == ("oak", "elm")
    assert gate(QRELS, {"old": RUNS["oak"]}, {"new": RUNS["elm"]}, "AP").runs == ("old", "new")


def test_what_says_how_runs_are_judged_is_noted_beside_scores() -> None:
    before, after = (evaluate(QRELS, RUNS[name], "AP") for name in ("elm", "cedar"))
    said = "depth and exclude say how runs are judged; both are scores, and they do nothing"
    assert said in map(str, gate(before, after, depth=5, exclude="self").notes)


def test_topics_that_judgments_have_not_are_ignored_in_scores() -> None:
    wider = replace(evaluate(JUDGED, HERE, "P@1"), collection=None)  # as text, which does not say it
    fewer = {topic: JUDGED[topic] for topic in [*JUDGED][:8]}
    with pytest.warns(CoverageWarning):
        found = gate(fewer, wider, {topic: ranking("b", "a") for topic in fewer}, "P@1")
    assert (found.counted.tolist(), found.before.tolist()) == ([8], [1.0])
    assert any("before: 4 topics without judgments (8, 9, 10, 11) ignored" in str(note) for note in found.notes)


def test_measures_of_one_cutoff_share_their_unjudged_documents() -> None:
    found = gate(JUDGED, HERE, {topic: ranking("x", "y", "a") for topic in JUDGED}, "P@2 nDCG@2 Judged@2")
    assert [*found.judged_alone] == ["P@2", "nDCG@2"]
    assert [*map(str, found.measures)] == ["P@2", "nDCG@2", "Judged@2"]


def test_of_several_chunks_of_a_document_one_counts(tmp_path: Path) -> None:
    lines = RUNS["oak"].read_text().splitlines(keepends=True)
    chunked = tmp_path / "chunked.txt"
    chunked.write_text("".join([*lines, *lines[:3]]))
    found = gate(QRELS, RUNS["oak"], chunked, "AP", repeated="best")
    assert (found.identical, found.difference.tolist()) == ("rankings", [0])

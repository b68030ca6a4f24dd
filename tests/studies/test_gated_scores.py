"""BEFORE and AFTER: every form that they may have, missing topics, unjudged documents, and which run of several."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from score_tables import scores_of

from gradeval import GateDecision, InputError, Qrels, evaluate, gate, read_run, report
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
        CoverageWarning, match=r"1 of 2 runs returned nothing for some of the 12 topics \(after: 2; topics 10, 11\)"
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
def test_scores_of_fewer_topics_are_refused_until_topics_are_chosen(side: str) -> None:
    whole = scores_of(np.linspace(0.2, 0.9, 12)[None])
    part = scores_of(np.linspace(0.3, 0.8, 12)[None]).sel(topics=[str(topic) for topic in range(1, 10)])
    pair = (part, whole) if side == "before" else (whole, part)
    said = rf"{side}: has no scores for 3 of 12 topics \(10, 11, 12\); .* choose the topics that it has: topics=FILE"
    with pytest.raises(InputError, match=said):
        gate(*pair)
    found = gate(*pair, topics=part.topics)
    means = {"before": found.before, "after": found.after}
    assert means[side] == pytest.approx([part.values.sum() / 9])


def test_scores_of_fewer_topics_than_the_judgments_are_refused_until_topics_are_chosen() -> None:
    few = [*JUDGED][:5]
    ready = evaluate(JUDGED, HERE, "P@1", topics=few)
    with pytest.raises(InputError, match=r"before: has no scores for 7 of 12 topics \(5, 6, 7"):
        gate(JUDGED, ready, {topic: ranking("b", "a") for topic in JUDGED})
    found = gate(JUDGED, ready, {topic: ranking("b", "a") for topic in JUDGED}, topics=few)
    assert (found.counted.tolist(), found.before.tolist(), found.after.tolist()) == ([5], [1.0], [0.0])


@pytest.mark.filterwarnings("ignore::gradeval.warning_categories.CoverageWarning")
def test_a_run_that_answers_fewer_than_half_of_the_topics_is_no_before() -> None:
    cut = {topic: HERE[topic] for topic in [*JUDGED][:5]}
    with pytest.raises(InputError, match=r"before: returned nothing for 7 of 12 topics \(5, 6, 7"):
        gate(JUDGED, cut, {topic: ranking("b", "a") for topic in JUDGED}, "P@1")
    half = {topic: HERE[topic] for topic in [*JUDGED][:6]}
    assert gate(JUDGED, half, {topic: ranking("b", "a") for topic in JUDGED}, "P@1").before.tolist() == [0.5]
    assert gate(JUDGED, HERE, cut, "P@1").verdict == "worse"  # what AFTER misses counts 0


def test_more_unjudged_documents_are_noted_with_the_difference_if_they_are_relevant_as_often() -> None:
    after = {topic: ranking("x", "y", "a", "b") if int(topic) < 6 else ranking("a", "b", "x") for topic in JUDGED}
    found = gate(JUDGED, HERE, after, "P@2 AP")
    # of the first two ranks BEFORE leaves one unjudged; AFTER both in half of the topics, none in the others
    assert found.as_often == {}
    found = gate(JUDGED, HERE, {topic: ranking("x", "y", "a") for topic in JUDGED}, "P@2 AP")
    # BEFORE has a, and x as often relevant as a and b; AFTER x and y as often as a
    assert found.as_often["P@2"] == pytest.approx((1 + 1) / 2 - (1 + 0.5) / 2)
    (note,) = [note for note in found.notes if "unjudged documents that" in note.text]  # one, over all measures
    assert note.text.startswith(
        "unjudged documents that a measure looks at, in AFTER and in BEFORE: P@2 100.0% and 50.0%, AP 66.7% and "
    )
    assert note.text.endswith("; column 'as often' counts them relevant as often as judged ones")
    assert note.weight is NoteWeight.COVERAGE
    (rejected,) = [note.text for note in found.notes if "judge before you decide" in note.text]  # P@2 fails, and AP
    assert rejected.startswith(
        "judge before you decide: by P@2 unjudged documents may make most of the loss to BEFORE; "
        "if they are relevant as often as judged ones, which favours runs outside the pool: AFTER +0.2500; "
        "likewise by AP; "
    )
    silent = replace(evaluate(JUDGED, HERE, "P@2"), coverage=None)
    ready = gate(JUDGED, silent, {topic: ranking("x", "a") for topic in JUDGED})
    assert "how many documents are unjudged is not compared, as scores do not say it" in map(str, ready.notes)


def test_a_loss_of_which_most_is_in_unjudged_documents_is_to_be_judged_first() -> None:
    """Of 12 topics all lose an unjudged document at the top, and some move a judged one: by how much decides."""
    judged = {str(topic): {"a": 1, "b": 0, "c": 1} for topic in range(12)}
    before = {topic: ranking("a", "b", "c") for topic in judged}
    for moved, said in ((2, True), (10, False)):
        after = {topic: ranking(*(("b", "x", "a") if int(topic) < moved else ("x", "a", "c"))) for topic in judged}
        found = gate(judged, before, after, "RR")
        then = found.as_often["RR"]
        assert found.verdict == "worse"
        assert then == pytest.approx(moved * ((1 / 2 + 1 / 3) / 2 - 1) / 12)  # x is as often relevant as b and a there
        assert found.difference[0] == pytest.approx(-((12 - moved) / 2 + moved * 2 / 3) / 12)
        assert bool(then > found.difference[0] / 2) is said
        assert any("judge before you decide" in note.text for note in found.notes) is said
        failure = ElementTree.fromstring(found.to_junit()).find(".//failure")
        assert failure is not None
        assert ("judge before you decide" in (failure.text or "")) is said


@pytest.mark.parametrize(("with_grade_0", "compared"), [(0, False), (5, False), (6, True)])
def test_judgments_of_relevant_documents_alone_say_nothing_without_the_unjudged_ones(
    with_grade_0: int, compared: bool
) -> None:
    gold = {topic: {"a": 1, "b": 0} if int(topic) < with_grade_0 else {"a": 1} for topic in JUDGED}
    before = {topic: ranking("a", "b") for topic in gold}  # half of it or more is judged
    found = gate(gold, before, {topic: ranking("x", "y", "a") for topic in gold}, "P@2 AP")
    assert found.verdict == "worse"
    assert bool(found.as_often) is compared
    assert ("as often" in str(found)) is compared
    texts = [note.text for note in found.notes]
    assert any("judge before you decide" in text for text in texts) is compared
    few = "only judged documents are known, as where purchases are the grades; others count as not relevant"
    assert any(text.endswith(few) for text in texts) is not compared


@pytest.mark.filterwarnings("ignore::gradeval.warning_categories.CoverageWarning")
def test_the_share_of_unjudged_documents_is_the_one_that_evaluate_tells() -> None:
    """Of all documents in the first 10: a run misses topics, and has short rankings."""
    after = {topic: ranking("x", "a", "y", *"klmnopqrs"[: int(topic)]) for topic in [*JUDGED][2:]}
    scores = evaluate(JUDGED, after, "P@10")
    first = [[*documents][:10] for documents in after.values()]
    share = sum(document not in "ab" for one in first for document in one) / sum(map(len, first))
    assert scores.coverage is not None
    assert scores.coverage.unjudged_top_share.tolist() == pytest.approx([share])
    found = gate(JUDGED, {topic: ranking("a", "b") for topic in JUDGED}, after, "P@10 AP")
    (note,) = [note for note in found.notes if "unjudged documents that a measure" in note.text]
    assert f"P@10 {share:.1%} and 0.0%, AP " in note.text
    whole = sum(document not in "ab" for one in after.values() for document in one) / sum(map(len, after.values()))
    assert f"AP {whole:.1%} and 0.0%" in note.text
    cut = gate(JUDGED, {topic: ranking("a", "b") for topic in JUDGED}, after, "AP", depth=10)
    assert any(f"AP {share:.1%} and 0.0%" in note.text for note in cut.notes)


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


@pytest.fixture(scope="module")
def one_run(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run that misses topics, in every form that a side may have."""
    for package in ("vl_convert", "jinja2", "altair"):
        pytest.importorskip(package)
    from gradeval.compat.trec_eval import trec_eval_lines

    folder = tmp_path_factory.mktemp("same")
    rows = [line.split() for line in RUNS["oak"].read_text().splitlines()]
    topics = list(dict.fromkeys(row[0] for row in rows))
    kept = [row for row in rows if row[0] not in topics[:3]]
    forms: dict[str, Any] = {kind: folder / "forms" / f"oak.{kind}" for kind in ("txt", "run.csv", "run.jsonl")}
    (folder / "forms").mkdir()
    forms["txt"].write_text("".join(" ".join(row) + "\n" for row in kept))
    csv = "".join(f"{row[0]},{row[2]},{row[4]}\n" for row in kept)
    forms["run.csv"].write_text("query_id,doc_id,score\n" + csv)
    records = [{"query_id": row[0], "doc_id": row[2], "score": float(row[4])} for row in kept]
    forms["run.jsonl"].write_text("".join(json.dumps(record) + "\n" for record in records))
    forms["dictionary"] = {
        "oak": {topic: {row[2]: float(row[4]) for row in kept if row[0] == topic} for topic in topics[3:]}
    }
    run = {"oak": forms["txt"]}
    scores = forms["Scores"] = evaluate(QRELS, run, "nDCG@10 AP")
    for kind in ("parquet", "tsv", "csv", "jsonl"):
        forms[kind] = folder / f"oak.{kind}"
        scores.save(forms[kind], **({} if kind == "parquet" else {"by_topic": True}))
    forms["trec_eval"] = folder / "oak.eval"
    forms["trec_eval"].write_text("".join(trec_eval_lines(scores, by_topic=True, digits=4)))
    for name, runs in {"page": run, "page of two": run | {"elm": RUNS["elm"]}}.items():
        forms[name] = folder / f"{name}.html"
        report(QRELS, runs, "nDCG@10 AP", studies="none").save(forms[name])
    return forms


RANKED = ("txt", "run.csv", "run.jsonl", "dictionary")
READY = ("Scores", "parquet", "tsv", "csv", "jsonl", "trec_eval", "page", "page of two")


@pytest.mark.filterwarnings("ignore::gradeval.warning_categories.GradevalWarning")
@pytest.mark.parametrize("before", RANKED + READY)
@pytest.mark.parametrize("after", RANKED + READY)
def test_one_run_is_identical_in_every_form_also_where_it_misses_topics(
    one_run: dict[str, Any], before: str, after: str
) -> None:
    judgments = [QRELS] if before in RANKED or after in RANKED else []
    run = "oak" if "page of two" in (before, after) else None
    found = gate(*judgments, one_run[before], one_run[after], measures="nDCG@10 AP", run=run)
    how = "rankings" if before in RANKED and after in RANKED else "scores"
    assert (found.verdict, found.identical) == ("identical", how)
    assert "on all 30 topics" in found.reason


def test_which_of_several_runs_before_is_is_always_said(one_run: dict[str, Any]) -> None:
    found = gate(QRELS, one_run["page of two"], {"oak": RUNS["elm"]})
    (note,) = [note for note in found.notes if note.text.startswith("before is")]
    assert note.text.startswith("before is oak of page of two.html, which has ")
    assert note.text.endswith(", as after has this name; choose another by run")
    assert note.weight is NoteWeight.OMISSION
    asked = gate(QRELS, one_run["page of two"], {"new": RUNS["elm"]}, run="oak")
    assert not [note for note in asked.notes if note.text.startswith("before is")]


def test_before_may_be_an_earlier_report(tmp_path: Path) -> None:
    for package in ("vl_convert", "jinja2", "altair"):
        pytest.importorskip(package)
    place = tmp_path / "last.html"
    report(QRELS, {"elm": RUNS["elm"], "oak": RUNS["oak"]}, "nDCG@10 AP", studies="none").save(place)
    plain = gate(QRELS, RUNS["elm"], RUNS["cedar"], "nDCG@10 AP")
    assert gate(QRELS, place, RUNS["cedar"], run="elm").difference == pytest.approx(plain.difference, abs=1e-6)
    assert gate(QRELS, place, RUNS["oak"]).verdict == "identical"  # the one of its name


def test_empty_topics_that_are_left_out_are_lacking_in_neither_run() -> None:
    judged = JUDGED | {"none": {"a": 0}}
    before = {topic: ranking("a", "b") for topic in judged}
    after = {topic: ranking("a", "b", "c") for topic in JUDGED}
    assert gate(judged, before, after, "P@1", empty="skip", allow_equal=True).lacking == {}
    assert gate(judged, before, after, "P@1", allow_equal=True).lacking == {"after": 1}


def test_scores_by_other_judgments_are_refused() -> None:
    kinder = Qrels.from_dict({topic: dict.fromkeys(one, 1) for topic, one in JUDGED.items()})
    moved = {topic: ranking("b", "a") for topic in JUDGED}
    with pytest.raises(InputError, match="before was scored by other judgments than after; score both"):
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
    said = (
        "give a page that gradeval report wrote" if kind == "html" else "is a verdict of gate, .*: gradeval evaluate -q"
    )
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
    assert [*found.as_often] == ["P@2", "nDCG@2"]
    assert [*map(str, found.measures)] == ["P@2", "nDCG@2"]


def test_measures_of_which_more_is_no_better_are_shown_and_decide_nothing() -> None:
    after = {topic: ranking("x", "y", "a") for topic in JUDGED}
    alone, found = gate(JUDGED, HERE, after, "P@2"), gate(JUDGED, HERE, after, "Judged@2 P@2 Unjudged@2")
    assert found.corrected.tolist() == alone.corrected.tolist()
    assert found.verdicts == alone.verdicts
    lists = [evaluate(JUDGED, run, "Judged@2").mean()[0, 0] for run in (HERE, after)]
    said = "Judged@2: {:.4f} before, {:.4f} after; it decides nothing, as more is no better".format(*lists)
    assert [str(note) for note in found.notes if str(note).startswith("Judged@2")] == [said]
    ready = [evaluate(JUDGED, run, "P@2 Judged@2") for run in (HERE, after)]
    assert [*map(str, gate(*ready).measures)] == ["P@2"]


def test_of_several_chunks_of_a_document_one_counts(tmp_path: Path) -> None:
    lines = RUNS["oak"].read_text().splitlines(keepends=True)
    chunked = tmp_path / "chunked.txt"
    chunked.write_text("".join([*lines, *lines[:3]]))
    found = gate(QRELS, RUNS["oak"], chunked, "AP", repeated="best")
    assert (found.identical, found.difference.tolist()) == ("rankings", [0])


def test_one_file_of_several_runs_is_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    rows = [
        f"{run},{topic},{document},{score:g}"
        for run in ("oak", "elm")
        for topic, documents in read_run(RUNS[run]).to_dict().items()
        for document, score in documents.items()
    ]
    path.write_text("\n".join(["run,qid,docid,score", *rows]))
    told = r"before and after are one file of 2 runs \(oak, elm\); .* as in run=oak,elm"
    with pytest.raises(InputError, match=told):
        gate(QRELS, path, path, "AP")
    with pytest.raises(
        InputError, match=r"after has 2 runs .* none of them called 'ash'; choose one, as in run=oak,elm"
    ):
        gate(QRELS, path, path, "AP", run="oak,ash")
    found = gate(QRELS, path, path, "AP", run="oak, elm")
    assert found.runs == ("oak", "elm")
    assert found.difference == pytest.approx(gate(QRELS, RUNS["oak"], RUNS["elm"], "AP").difference)
    for same in (gate(QRELS, path, path, "AP", run="oak"), gate(QRELS, RUNS["oak"], RUNS["oak"], "AP")):
        assert same.description == (
            "identical: AFTER is BEFORE, the same run of the same file, on all 30 topics: name another; "
            "allow_equal=True passes it"
        )


def test_ids_without_their_zeros_are_asked_about_as_evaluate_asks() -> None:
    judged = {"tent": {"100006": 1, "100016": 0}}
    before = {"tent": {"00100006": 2.0, "00100016": 1.0}}
    with pytest.raises(InputError, match=r"'00100006' of the run .* '100006' is: .* the judgments lost zeros"):
        gate(judged, before, before, measures="nDCG@10")

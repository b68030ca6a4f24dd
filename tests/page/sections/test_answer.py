from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from click.testing import CliRunner
from scipy.stats import ttest_1samp

from gradeval import compare, evaluate, ranks, report, topic_set_size
from gradeval.cli import main
from gradeval.page.report import Report

from ...support.score_tables import scores_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def test_the_answer_counts_the_runs_that_cannot_be_told_from_the_best(made: Report) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES)
    best = ranks(scores, samples=1000, seed=1).best("nDCG@10")
    answer, tiles = made.sections[0].answer, dict(made.sections[0].tiles)
    assert len(answer.split()) <= 20
    assert list(tiles) == ["Leader", "Lead", "How sure?", "Topics", "judged@10"]
    condition = ", if beech's missing topics count 0"
    assert (tiles["How sure?"], tiles["Topics"]) == (f"{len(best)} of 5 may be the best{condition}", "30")
    judged = evaluate(EXAMPLES / "qrels.txt", RUNS, "Judged@10").mean()[scores.runs.index(best[0]), 0]
    assert tiles["judged@10"] == f"{judged:.1%} of {best[0]}"
    assert made.sections[0].details[0] == f"May be the best by nDCG@10: {', '.join(best[:-1])} and {best[-1]}."
    assert answer.startswith(best[0])
    assert f"{len(best)} of 5 runs" in answer
    needed = topic_set_size(scores).needed[0].tolist()
    assert ", ".join(f"{number:,} for {by:g}" for number, by in zip(needed, (0.02, 0.05, 0.1), strict=True)) in str(
        made.sections[0].meaning
    )


def test_the_box_says_by_how_much_on_how_many_topics_and_how_many_more_it_would_take(made: Report) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES)
    means = scores.mean()[:, 0]
    first, second = np.argsort(-means)[:2].tolist()
    answer, facts = made.sections[0].answer, dict(made.sections[0].facts)
    assert f"by {means[first] - means[second]:.4f} over {scores.runs[second]}" in answer
    gaps = scores.credited[first, :, 0] - scores.credited[second, :, 0]
    assert facts["By topic"].startswith(
        f"better than {scores.runs[second]} on {(gaps > 1e-12).sum()} of 30 topics, worse on {(gaps < -1e-12).sum()}"
    )
    low, high = scores.ci()[first, 0]
    assert facts["nDCG@10"].startswith(f"{scores.runs[first]} {means[first]:.4f} [{low:.4f}, {high:.4f}], ")
    _, _, after = facts["If you must choose"].partition(f"{scores.runs[second]} you need about ")
    needed, effect = int(after.partition(", likely more")[0].replace(",", "")), gaps.mean() / gaps.std(ddof=1)
    found = [
        np.mean(ttest_1samp(np.random.default_rng(0).normal(effect, 1, (4000, n)), 0, axis=1).pvalue < 0.05)
        for n in (needed, round(needed * 0.9))
    ]
    assert found[0] == pytest.approx(0.8, abs=0.025)  # four standard errors of 4,000 draws
    assert found[1] < 0.79


def test_runs_that_are_equal_lead_together() -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    good = {topic: {"c": 3.0, "a": 2.0, "b": 1.0 + (topic == "3") * 1.5} for topic in qrels}
    bad = {topic: {"b": 3.0, "a": 2.0, "c": 1.0 + (topic == "2") * 1.5} for topic in qrels}
    made = report(qrels, {"one": good, "two": good, "bad": bad}, "nDCG AP", studies="leave-out")
    said = {section.name: section.answer for section in made.sections}
    assert said["answer"].startswith("one and two lead by nDCG with ")
    assert said["leaderboard"] == "one and two have the highest mean by each measure."
    assert said["rankings"].startswith("one and bad, the first two different runs by nDCG, differ most on topic ")
    assert "Runs with equal nDCG on every topic: one and two." in made.sections[0].details
    assert [section.data["second"] for section in made.sections if section.part in ("topics", "rankings")] == [2, 2]
    assert said["topics"].endswith("On no topic is another run better than one, the leader.")
    assert said["collection"] == "100.0% of the first 10 documents of each run are judged."


def test_the_sentences_name_who_leads_by_which_measure_and_where_the_leader_fails() -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 0, "d": 1} for topic in range(4)}
    early = {topic: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for topic in qrels}  # AP 3/4, P@2 1/2
    late = {topic: {"b": 4.0, "a": 3.0, "d": 2.0, "c": 1.0} for topic in qrels}  # AP 7/12, P@2 1/2, P@3 2/3
    late["3"] = {"a": 4.0, "d": 3.0, "b": 2.0, "c": 1.0}  # AP 1
    made = report(qrels, {"early": early, "late": late}, "AP P@3", studies="none")
    said = {section.name: section.answer for section in made.sections}
    assert said["leaderboard"] == "Which run has the highest mean depends on the measure: early by AP; late by P@3."
    assert said["topics"].endswith("early, the leader, is furthest behind on topic 3: 0.7500, where late has 1.0000.")


def test_of_two_runs_the_answer_is_what_compare_decides() -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS[:2], MEASURES)
    for baseline in (None, scores.runs[1]):
        made = report(EXAMPLES / "qrels.txt", RUNS[:2], MEASURES, baseline=baseline, studies="none")
        decision = compare(scores, baseline=baseline).decision
        assert decision is not None
        answer = made.sections[0]
        assert answer.answer == f"{decision.sentence}."
        records = answer.tables[0].table.to_dict()
        assert records["value"] == decision.difference.tolist()
        assert records["verdict"] == decision.verdicts
        assert made.sections[0].stills[0].svg.count("<circle ") == 3  # a line a measure


@pytest.mark.parametrize("measures", ["AP", "nDCG@10 AP P@5"])
@pytest.mark.parametrize("named", [False, True])
def test_its_redo_command_prints_the_p_values_of_the_page(measures: str, named: bool) -> None:
    baseline = RUNS[0].stem if named else None
    made = report(EXAMPLES / "qrels.txt", RUNS[:2], measures, baseline=baseline, studies="none")
    answer = made.sections[0]
    [program, *words] = shlex.split(answer.redo[0])
    assert program == "gradeval"
    files = {"QRELS": [EXAMPLES / "qrels.txt"], "RUNS": RUNS[:2]}
    typed = [str(word) for each in words for word in files.get(each, [each])]
    printed = CliRunner().invoke(main, typed).stdout.split("\n\n")[1:]
    page = answer.tables[0].table.grids[0]
    asked = [page.head.index(title) for title in ("p", "p (holm)")]
    for row, block in zip(page.texts(), printed, strict=True):
        name, head, _, cells = block.strip().split("\n")
        assert name == row[0]
        shown = dict(zip(re.split(" {2,}", head.strip()), re.split(" {2,}", cells.strip()), strict=True))
        assert [shown["p"], shown["p (holm)"]] == [row[place] for place in asked]
    assert f"Holm's correction over {len(measures.split())} measure" in answer.tables[0].title


def test_all_runs_that_may_be_best_are_named_and_drawn_however_many() -> None:
    rng = np.random.default_rng(0)
    qrels = {str(topic): {f"d{place}": int(rng.integers(0, 2)) for place in range(8)} for topic in range(12)}
    runs = {
        f"<b>{run}": {topic: {name: float(rng.random()) for name in grades} for topic, grades in qrels.items()}
        for run in range(60)
    }
    made = report(qrels, runs, "AP", studies="none")
    best = ranks(evaluate(qrels, runs, "AP")).best("AP")
    assert len(best) > 40
    answer = made.sections[0]
    assert all(run in answer.details[0] for run in best)
    assert [still.svg.count("<circle ") for still in answer.stills] == [max(len(best), 40)] * 2
    assert "<b>" not in answer.stills[0].svg
    rows = made.sections[1].tables[0].table.to_dict()
    assert {run for run, may in zip(rows["run"], rows["may_be_best"], strict=True) if may} == set(best)


def test_of_two_runs_the_page_speaks_of_the_decision_alone() -> None:
    for measures in ("AP", MEASURES):
        scores = evaluate(EXAMPLES / "qrels.txt", RUNS[:2], measures)
        decision = compare(scores).decision
        made = report(EXAMPLES / "qrels.txt", RUNS[:2], measures, studies="none")
        answer, board = made.sections[0], made.sections[1]
        told = " ".join([*answer.meaning, *board.meaning])
        assert decision is not None
        assert f"ship {decision.candidate} if it is significantly better by" in told
        assert not any(word in told for word in ("which rank?", "all 2 intervals", "full dot may", "Ranks:"))
        better = decision.verdicts.count("better")
        many = "1 measure" if measures == "AP" else "3 measures"
        sure = f"{decision.candidate} better by {better} of" if better else "no difference shown by any of"
        assert dict(answer.tiles)["How sure?"] == f"{sure} {many}"
        assert not {"ranks", "may be best"} & set(board.tables[0].table.grids[0].head)


def test_runs_that_are_all_the_same_need_no_number_of_topics() -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    run = {topic: {"b": 3.0, "c": 2.0, "a": 1.0} for topic in qrels}
    made = report(qrels, dict.fromkeys("vwxyz", run), "nDCG AP", studies="none")
    answer, users = made.sections[0], next(section for section in made.sections if section.name == "users")
    assert dict(answer.facts)["If you must choose"] == (
        "any of the 5 leaders: no run is shown to be better. All runs have the same mean."
    )
    assert not any("Topics" in text for text in [*answer.meaning, *(table.title for table in answer.tables)])
    assert users.answer == "All runs have the same GAP for every mix of users."


def test_a_lead_that_is_the_same_on_all_topics_but_for_rounding_needs_no_two_topics() -> None:
    values = np.array([0.1, 0.2, 0.3])
    scores = scores_of(np.stack([values, values + 0.1, values[::-1] / 2]))
    assert np.ptp(scores.values[1] - scores.values[0]) > 0  # by rounding alone
    answer = report(scores, studies="none").sections[0]
    assert dict(answer.facts)["If you must choose"].endswith("These topics do not separate B from A.")


def test_where_nothing_can_be_tested_it_says_why() -> None:
    made = report({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}, "nDCG@10", studies="none")
    assert made.sections[0].details == ["Why not: only 1 topic; at least 3 are needed."]

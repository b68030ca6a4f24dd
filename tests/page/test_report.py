"""The report without a browser: its sentences, numbers and files."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elements import Elements
from two_assessors import two_assessors

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from scipy.stats import ttest_1samp

from gradeval import InputError, compare, correlate, evaluate, judge, ranks, report, topic_set_size
from gradeval.page.report import Report
from gradeval.tables.grid import Estimate
from gradeval.tables.records import values_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]
MEASURES = "nDCG@10 AP GAP"


@pytest.fixture(scope="module")
def made() -> Report:
    return report(EXAMPLES / "qrels.txt", RUNS, MEASURES, studies="correlate,leave-out", seed=1)


def rows(made: Report, title: str) -> list[dict[str, object]]:
    """The records of the table of this title."""
    sections = json.loads(made.to_json())["sections"]
    return next(section["tables"][title] for section in sections if title in section["tables"])


def test_the_leaderboard_holds_the_means_intervals_and_ranks_of_the_functions(made: Report) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES)
    rank_sets = ranks(scores, samples=1000, seed=1)
    bounds = scores.ci()
    for row in rows(made, "Leaderboard"):
        at = scores.runs.index(str(row["run"])), list(map(str, scores.measures)).index(str(row["measure"]))
        assert row["value"] == scores.mean()[at]
        assert [row["lower"], row["upper"]] == bounds[at].tolist()
        assert [row["rank_lower"], row["rank_upper"]] == [rank_sets.lower[at[::-1]], rank_sets.upper[at[::-1]]]


def test_the_answer_counts_the_runs_that_cannot_be_told_from_the_best(made: Report) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES)
    best = ranks(scores, samples=1000, seed=1).best("nDCG@10")
    answer = made.sections[0].answer
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
    words = facts["If you must choose"].partition(" with probability 0.8 over ")[2].split()
    needed, effect = int(words[0].replace(",", "")), gaps.mean() / gaps.std(ddof=1)
    found = [
        np.mean(ttest_1samp(np.random.default_rng(0).normal(effect, 1, (4000, n)), 0, axis=1).pvalue < 0.05)
        for n in (needed, round(needed * 0.9))
    ]
    assert found[0] == pytest.approx(0.8, abs=0.025)  # four standard errors of 4,000 draws
    assert found[1] < 0.79


def test_the_picture_of_the_ranks_has_a_line_a_run_and_those_that_may_be_the_best_in_colour(made: Report) -> None:
    from gradeval.page.ranks_picture import ranks_picture

    rank_sets = ranks(evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES), samples=1000, seed=1)
    svg = made.sections[0].stills[0].svg
    for run, name in enumerate(rank_sets.runs):
        low, high = rank_sets.lower[0, run], rank_sets.upper[0, run]
        assert f"<title>{name}: rank {rank_sets.rank[0, run]}, {low} to {high}</title>" in svg
    assert svg.count("<circle ") == 5
    assert svg.count('<circle fill="#0072B2"') == len(rank_sets.best("nDCG@10"))
    assert ranks_picture(rank_sets, 2).count("<circle ") == 2
    hostile = ranks_picture(replace(rank_sets, runs=[f"<img src=x>{place}\x07" for place in range(5)]), 5)
    assert "<img" not in hostile
    assert "\x07" not in hostile


def test_a_page_without_charts_holds_no_script_that_draws_charts() -> None:
    plain, drawn = (
        report(EXAMPLES / "qrels.txt", RUNS, "AP GAP", studies=studies).write("report.html").count(b"<script>")
        for studies in ("none", "discriminate")
    )
    assert (plain, drawn) == (1, 2)


def test_runs_that_are_equal_lead_together() -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    good = {topic: {"c": 3.0, "a": 2.0, "b": 1.0 + (topic == "3") * 1.5} for topic in qrels}
    bad = {topic: {"b": 3.0, "a": 2.0, "c": 1.0 + (topic == "2") * 1.5} for topic in qrels}
    made = report(qrels, {"one": good, "two": good, "bad": bad}, "nDCG AP", studies="leave-out")
    said = {section.name: section.answer for section in made.sections}
    assert said["answer"].startswith("one and two lead by nDCG with ")
    assert said["leaderboard"] == "one and two have the highest mean by all 2 measures."
    assert said["rankings"] == "one and two, the first two runs by nDCG, have the same value on each topic."
    assert said["topics"].endswith("On no topic is another run better than one, the leader.")
    assert said["collection"].startswith("100.0% of the first 10 documents of a run are judged on average; ")


def test_the_sentences_name_who_leads_by_which_measure_and_where_the_leader_fails() -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 0, "d": 1} for topic in range(4)}
    early = {topic: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for topic in qrels}  # AP 3/4, P@2 1/2
    late = {topic: {"b": 4.0, "a": 3.0, "d": 2.0, "c": 1.0} for topic in qrels}  # AP 7/12, P@2 1/2, P@3 2/3
    late["3"] = {"a": 4.0, "d": 3.0, "b": 2.0, "c": 1.0}  # AP 1
    made = report(qrels, {"early": early, "late": late}, "AP P@3", studies="none")
    said = {section.name: section.answer for section in made.sections}
    assert said["leaderboard"] == "Which run has the highest mean depends on the measure: early by AP; late by P@3."
    assert said["topics"].endswith("early, the leader, is furthest behind on topic 3: 0.7500, where late has 1.0000.")


def test_every_answer_is_a_sentence_and_every_section_says_how_to_redo_it(made: Report) -> None:
    for section in made.sections:
        assert section.answer.endswith(".")
        assert section.heading.endswith("?")
    names = [section.name for section in made.sections]
    assert names == ["answer", "leaderboard", "users", "topics", "rankings", "collection", "redo"]


def test_the_same_input_is_the_same_page(made: Report) -> None:
    again = report(EXAMPLES / "qrels.txt", RUNS, MEASURES, studies="correlate,leave-out", seed=1)
    for place in ("a.html", "a.json", "a.md"):
        assert again.write(place) == made.write(place)


def test_a_page_names_no_folder_of_this_machine(made: Report) -> None:
    for place in ("a.html", "a.json", "a.md"):
        assert str(EXAMPLES).encode() not in made.write(place)


def test_scores_alone_give_the_sections_that_need_no_rankings() -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES)
    sections = report(scores, studies="none").sections
    assert [section.name for section in sections] == ["answer", "leaderboard", "topics", "redo"]
    assert [reason.partition("? ")[2] for reason in sections[-1].details] == [
        "That needs judgments with a grade above 0 and two runs.",
        "That needs two measures and a study of them. correlate: not asked for (--studies); discriminate: not asked "
        "for (--studies); robustness: not asked for (--studies); inform: not asked for (--studies); leave-out: not "
        "asked for (--studies)",
        "That needs judgments and two runs, and room for them (--show-runs).",
        "That needs judgments and runs.",
    ]


@pytest.mark.parametrize(("runs", "topics"), [(RUNS[:1], None), (RUNS[:2], ["401"]), (RUNS[:2], ["401", "402"])])
def test_one_run_or_few_topics_leave_sections_out_and_say_so(runs: list[Path], topics: list[str] | None) -> None:
    small = report(EXAMPLES / "qrels.txt", runs, MEASURES, topics=topics, studies="none")
    assert "cannot be told from" not in small.sections[0].answer
    assert small.write("small.html").startswith(b"<!DOCTYPE html>")


def test_what_is_too_much_for_a_page_is_left_out_and_said(made: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.page.writing.MOST_ROWS", 3)
    assert "<caption>3 of 5 lines; .json and .md hold all</caption>" in made.write("capped.html").decode()
    assert len(rows(made, "Leaderboard")) == 5 * 3
    values = 4 * 30 * 3  # bytes of a run: topics and measures
    monkeypatch.setattr("gradeval.page.sections.topics_section.MOST_BYTES", 3 * values)
    monkeypatch.setattr("gradeval.page.sections.rankings.MOST_BYTES", 4000)
    monkeypatch.setattr("gradeval.page.live.MOST_BYTES", 3000)
    monkeypatch.setattr("gradeval.studies.report_results.RANKED", 4)
    capped = {
        section.name: section
        for section in report(EXAMPLES / "qrels.txt", RUNS, MEASURES, studies="none", show_depth=10).sections
    }
    alone = "ranks are computed by nDCG@10 alone; gradeval ranks gives those by the other measures."
    assert capped["leaderboard"].details[-1].endswith(alone)
    fields = capped["leaderboard"].tables[0].table.records.fields
    ranked = zip(values_of(fields["measure"]), values_of(fields["rank_upper"]), strict=True)
    assert {name for name, upper in ranked if upper is not None} == {"nDCG@10"}
    topics, rankings, users = capped["topics"], capped["rankings"], capped["users"]
    assert "Shown here are the best 3 of 5 runs by nDCG@10." in topics.details
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES)
    best = [scores.runs[run] for run in np.argsort(-scores.mean()[:, 0]).tolist()]
    assert topics.data["runs"] == best[:3]
    pairs = compare(scores.sel(runs=best, measures=["nDCG@10"]))
    tests = topics.data["tests"]
    p = np.frombuffer(b64decode(tests["p"]))
    every = zip(pairs.pairs.tolist(), pairs.p[0].tolist(), strict=True)
    assert p.tolist() == [value for pair, value in every if max(pair) < 3]
    shown = len(rankings.data["names"])
    assert 0 < shown < 30
    assert f"Shown here are {shown} of 30 topics" in rankings.details[-1]
    assert rankings.data["names"][rankings.data["topic"]] in rankings.answer
    assert [name for name in scores.topics if name in rankings.data["names"]] == rankings.data["names"]
    assert "Shown here are the best 2 of 5 runs by nDCG@10." in users.details


def test_the_collection_says_whose_ranks_contradict_their_scores(tmp_path: Path) -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    lines = [f"{topic} Q0 {name} {rank} {rank} wrong" for topic in range(3) for rank, name in enumerate("abc", 1)]
    (tmp_path / "wrong").write_text("\n".join(lines) + "\n")
    (tmp_path / "fine").write_text("".join(f"{topic} Q0 a 1 3 fine\n{topic} Q0 x 2 2 fine\n" for topic in qrels))
    made = report(qrels, [tmp_path / "wrong", tmp_path / "fine"], "AP", studies="none")
    section = next(section for section in made.sections if section.name == "collection")
    assert "In 1 of 2 runs ranks contradict scores, and the scores decide: wrong (topics: 3)." in section.details
    covered = {row["run"]: row for row in rows(made, "What the judgments cover of each run")}
    assert [covered["fine"][name] for name in ("documents", "judged", "missing", "contradicting")] == [8, 4, 0, 0]
    assert covered["fine"]["share_of_judged"] == 4 / 12
    assert [covered["wrong"][name] for name in ("documents", "judged", "missing", "contradicting")] == [9, 9, 1, 3]


def test_the_tables_are_frames(made: Report) -> None:
    frame = made.tables["leaderboard: Leaderboard"]
    assert frame.num_rows == len(RUNS) * 3
    assert frame.column_names[:3] == ["run", "measure", "value"]


def test_markdown_reads_as_a_page_of_its_own(made: Report) -> None:
    text = made.write("a.md").decode()
    assert text.startswith("# qrels.txt: 5 runs, 30 topics, 3 measures\n")
    assert "## Which run is best, and how sure is that?" in text
    assert "| run" in text


def test_a_baseline_marks_the_runs_that_compare_marks() -> None:
    marked = report(EXAMPLES / "qrels.txt", RUNS, "AP", baseline="birch", studies="none")
    comparison = compare(evaluate(EXAMPLES / "qrels.txt", RUNS, "AP"), baseline="birch")
    signs = {"better": "▲", "worse": "▼", "not told apart": ""}
    grid = marked.sections[1].tables[0].table.grids[0]
    for row in grid.rows:
        cell = row[3]
        assert isinstance(cell, Estimate)
        assert cell.mark.strip() == signs[comparison.verdicts_by_run()[str(row[0])][0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"studies": "correlat"}, "no study 'correlat' (did you mean correlate?)"),
        ({"baseline": "nobody"}, "no run 'nobody' to compare with"),
        ({"seed": -1}, "seed=-1"),
        ({"show_depth": 0}, "show_depth=0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        report(EXAMPLES / "qrels.txt", RUNS, "AP", **options)  # type: ignore[arg-type]
    assert message in str(refused.value)


def test_an_ending_that_is_no_format_is_refused(made: Report, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is written to \.html, \.json, \.md"):
        made.save(tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_add_no_element_to_the_page() -> None:
    def page(evil: str) -> list[tuple[str, tuple[str, ...]]]:
        qrels = {f"{topic}{evil}": {f"a{evil}": 2, "b": 0, "c": 1} for topic in range(4)}
        runs = [
            {topic: {f"a{evil}": 2.0, "b": 1.0 + shift * ("2" in topic), "c": 0.5} for topic in qrels}
            for shift in (0, 3)
        ]
        return Elements(report(qrels, runs, "AP GAP").write("x.html").decode()).names

    assert page("</script><img src=x onerror=alert(1)>\"'") == page("harmless")


def test_what_correlates_is_that_of_the_function() -> None:
    judged = judge(EXAMPLES / "qrels.txt", RUNS)
    made = report(EXAMPLES / "qrels.txt", RUNS, MEASURES, studies="correlate,discriminate", seed=0)
    taus = {
        row["measure"]: row["value"]
        for row in rows(made, "The measures by each criterion")
        if "tau" in str(row["criterion"])
    }
    expected = correlate(judged, measures=MEASURES, samples=0)
    assert taus == {name: expected.of("nDCG@10", name) for name in ("AP", "GAP")}
    assert np.isfinite(list(taus.values())).all()  # type: ignore[arg-type]


def test_judges_are_compared_with_the_humans_of_the_report() -> None:
    drawn = two_assessors(4, topics=10)
    made = report(drawn.human, drawn.runs, "AP GAP", studies="none", judges={"model": drawn.judge})
    section = next(part for part in made.sections if part.name == "judges")
    assert section.answer.startswith("Order: ")
    assert "(model by AP: tau ." in section.answer
    assert set(made.tables["judges: Judges beside the humans"]["judge"].to_pylist()) >= {"model"}
    assert section.redo == ["gradeval judges QRELS RUNS --judge JUDGE -m 'AP GAP' --draws 0"]
    alone = report(drawn.human, drawn.runs, "AP", studies="none")
    assert "judges" not in {part.name for part in alone.sections}
    with pytest.raises(InputError, match="takes no judges, as they judge rankings"):
        report(evaluate(drawn.human, drawn.runs, "AP"), judges={"model": drawn.judge})

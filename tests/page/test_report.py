"""The report without a browser: its sentences, numbers and files."""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
from elements import Elements

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")


from gradeval import InputError, compare, correlate, evaluate, judge, report
from gradeval.page.report import Report
from gradeval.tables.records import values_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]
MEASURES = "nDCG@10 AP GAP"


def rows(made: Report, title: str) -> list[dict[str, object]]:
    """The records of the table of this title."""
    sections = json.loads(made.to_json())["sections"]
    return next(section["tables"][title] for section in sections if title in section["tables"])


def test_the_page_is_made_and_holds_its_pictures_without_the_packages_that_draw_charts(
    made: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("altair", "vl_convert"):
        monkeypatch.setitem(sys.modules, package, None)
    again = report(EXAMPLES / "qrels.txt", RUNS, MEASURES, studies="correlate,leave-out", seed=1)
    page = again.write("report.html")
    assert page == made.write("report.html")
    assert b'id="vega"' not in page


def test_without_its_one_package_the_page_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(InputError) as refused:
        report(EXAMPLES / "qrels.txt", RUNS, "AP", studies="none")
    assert str(refused.value) == "report needs the package jinja2: pip install 'gradeval[report]'"


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
        "That needs judgments with two grades above 0 and two runs.",
        "That needs two measures and a study of them. The studies are left out: not asked for (--studies).",
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
    alone = "ranks are by nDCG@10 alone; run gradeval ranks for the other measures."
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
    p = np.frombuffer(b64decode(tests["p"]), f"<f{tests['bytes']}")
    every = zip(pairs.pairs.tolist(), pairs.p[0].tolist(), strict=True)
    assert p.tolist() == pytest.approx([value for pair, value in every if max(pair) < 3], rel=1e-6)
    shown = len(rankings.data["names"])
    assert 0 < shown < 30
    assert f"Shown here are {shown} of 30 topics" in rankings.details[-1]
    assert rankings.data["names"][rankings.data["topic"]] in rankings.answer
    assert [name for name in scores.topics if name in rankings.data["names"]] == rankings.data["names"]
    assert "Shown here are the best 2 of 5 runs by nDCG@10." in users.details


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"studies": "correlat"}, "no study 'correlat' (did you mean correlate?)"),
        ({"baseline": "nobody"}, "no run 'nobody' to compare with"),
        ({"baseline": 3}, "no run 3 to compare with"),
        ({"baseline": "cedar, alder"}, "baseline=cedar, alder: joins 2 runs; a report takes one: baseline='cedar'"),
        ({"baseline": ["cedar", "alder"]}, "joins 2 runs; a report takes one: baseline='cedar'"),
        ({"seed": -1}, "seed=-1"),
        ({"show_depth": 0}, "show_depth=0"),
        ({"groups": {"nobody": "one"}}, "no run 'nobody'"),
        ({"groups": {"alder": "one"}, "studies": "none"}, "the only study with groups; write studies=leave-out"),
        ({"groups": {"alder": "one"}, "studies": "inform"}, "study with groups; write studies=inform,leave-out"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        report(EXAMPLES / "qrels.txt", RUNS, "AP", **options)
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
    assert np.isfinite(list(taus.values())).all()

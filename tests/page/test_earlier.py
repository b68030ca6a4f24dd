"""What changed since an earlier evaluation: against SciPy, from pages and from files, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import InputError, Scores, evaluate, report
from gradeval.page.earlier import read_earlier
from gradeval.studies.changes import find_changes

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("cedar", "aspen", "oak", "elm")}
LATER = {"cedar": RUNS["cedar"], "oak": RUNS["aspen"], "beech": EXAMPLES / "runs" / "beech.txt"}
MEASURES = "nDCG@10 AP"


@pytest.fixture(scope="module")
def before() -> Scores:
    return evaluate(QRELS, RUNS, MEASURES)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("earlier") / "last.html"
    report(QRELS, RUNS, MEASURES, studies="none").save(place)
    return place


def test_changes_are_paired_tests_of_each_run_with_itself(before: Scores) -> None:
    now = evaluate(QRELS, LATER, MEASURES)
    found = find_changes(now, before)
    assert (found.runs, found.added, found.gone) == (["cedar", "oak"], ["beech"], ["aspen", "elm"])
    old, new = (one.credited[one.runs.index("oak")] for one in (before, now))
    for place in range(2):
        test = ttest_rel(new[:, place], old[:, place])
        assert found.p[1, place] == pytest.approx(test.pvalue, rel=1e-9)
        assert found.interval[1, place] == pytest.approx(np.array(test.confidence_interval()), rel=1e-9)
        assert found.corrected[1, place] == pytest.approx(min(1.0, 2 * test.pvalue), rel=1e-9)
    assert found.difference[0].tolist() == [0, 0]
    assert found.p[0].tolist() == [1, 1]
    assert found.significant.tolist() == [[False, False], [True, True]]


def test_changes_by_a_geometric_mean_are_of_logarithms_and_skipped_topics_are_out() -> None:
    old, new = (evaluate(QRELS, {"one": RUNS[name]}, "gmAP AP", empty="skip") for name in ("oak", "elm"))
    found = find_changes(new, old)
    logs = [np.log(np.maximum(one.values[0, :, 0], 1e-5))[~one.vacant[:, 0]] for one in (old, new)]
    assert found.p[0, 0] == pytest.approx(ttest_rel(logs[1], logs[0]).pvalue, rel=1e-9)
    assert found.now == pytest.approx(new.mean())
    with pytest.raises(InputError, match="treats missing or empty topics otherwise"):
        find_changes(evaluate(QRELS, {"one": RUNS["elm"]}, "AP"), old)


def test_a_page_and_a_file_hold_what_is_compared(before: Scores, page: Path, tmp_path: Path) -> None:
    earlier = read_earlier(page)
    assert {*earlier.runs} == {*before.runs}
    assert earlier.sel(runs=before.runs, topics=before.topics).values == pytest.approx(before.values, abs=1e-7)
    assert (find_changes(before, earlier).difference == 0).all()  # single precision is no change
    saved = tmp_path / "last.eval"
    before.save(saved, format="tsv")
    assert (find_changes(before, read_earlier(saved)).p == 1).all()


def test_the_report_says_what_changed(page: Path) -> None:
    made = report(QRELS, LATER, MEASURES, studies="none", compare_with=page)
    section = next(one for one in made.sections if one.name == "changes")
    assert section.answer.startswith(
        "1 of 2 runs is significantly better, 0 worse, by nDCG@10, over 30 common topics; "
    )
    assert "oak changed most, by +0.4" in section.answer
    rows = json.loads(made.to_json())["sections"][1]["tables"]["Changes"]
    assert {row["run"] for row in rows} == {"cedar", "oak"}
    assert section.details[0] == "1 run new here: beech."


def test_other_judgments_are_said_in_the_headline(page: Path, tmp_path: Path) -> None:
    kinder = tmp_path / "kinder.txt"
    kinder.write_text(QRELS.read_text().replace(" 1\n", " 3\n"))
    made = report(kinder, RUNS, MEASURES, studies="none", compare_with=page)
    section = next(one for one in made.sections if one.name == "changes")
    assert section.answer.startswith("by other judgments than before, ")
    assert section.details[0].startswith(
        "The judgments, or how they were read, are not those of the earlier evaluation"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<html>",
        '<script type="application/json" id="data">{</script>',
        '<script type="application/json" id="data">{"topics": {"runs": [], "topics": [], "measures": []}}</script>',
        '<script type="application/json" id="data">{"topics": {"runs": ["a"], "topics": ["1"], "measures": ["AP"], '
        '"values": "!"}}</script>',
        '<script type="application/json" id="data">[1]</script>',
    ],
)
def test_what_is_no_report_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    place = tmp_path / "x.html"
    place.write_text(text)
    with pytest.raises(InputError, match=r"x\.html: is no report with values by topic"):
        read_earlier(place)


def test_nothing_in_common_is_said(before: Scores) -> None:
    other = evaluate(QRELS, {"new": RUNS["oak"]}, MEASURES)
    with pytest.raises(InputError, match="the earlier evaluation has no run of this one; it has cedar, aspen"):
        find_changes(other, before)

"""What changed since an earlier evaluation: against SciPy, from pages and from files, and what is refused."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import InputError, Scores, evaluate, report
from gradeval.page.shell import as_data
from gradeval.scores.earlier import read_earlier
from gradeval.studies.changes import find_changes

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
RUNS = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("cedar", "aspen", "oak", "elm")}
MEASURES = "nDCG@10 AP"
PLACE = '<script type="text/plain" id="data">{}</script>'
ONE = {"runs": ["a"], "topics": ["1"], "measures": ["AP"]}


@pytest.fixture(scope="module")
def before() -> Scores:
    return evaluate(QRELS, RUNS, MEASURES)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("earlier") / "last.html"
    report(QRELS, RUNS, MEASURES, studies="none").save(place)
    return place


def test_a_page_and_a_file_hold_what_is_compared(before: Scores, page: Path, tmp_path: Path) -> None:
    earlier = read_earlier(page)
    assert {*earlier.runs} == {*before.runs}
    assert earlier.sel(runs=before.runs, topics=before.topics).values == pytest.approx(before.values, abs=1e-7)
    assert (find_changes(before, earlier).difference == 0).all()  # single precision is no change
    saved = tmp_path / "last.eval"
    before.save(saved, format="tsv")
    assert (find_changes(before, read_earlier(saved)).p == 1).all()


def test_a_page_of_one_run_holds_its_values_and_the_topics_it_misses(tmp_path: Path) -> None:
    lines = RUNS["oak"].read_text().splitlines(keepends=True)
    missing = lines[0].split()[0]
    shorter = tmp_path / "short.txt"
    shorter.write_text("".join(line for line in lines if line.split()[0] != missing))
    report(QRELS, {"oak": shorter}, "nDCG@10 P@10", studies="none", empty="skip").save(tmp_path / "one.html")
    earlier, now = read_earlier(tmp_path / "one.html"), evaluate(QRELS, {"oak": shorter}, "nDCG@10 P@10", empty="skip")
    assert earlier.values == pytest.approx(now.values, abs=1e-7)
    assert [topic for topic, there in zip(earlier.topics, earlier.present[0], strict=True) if not there] == [missing]
    assert (earlier.missing, earlier.empty) == ("zero", "skip")


@pytest.mark.parametrize(
    "text",
    [
        "<html>",
        PLACE.format("{"),
        PLACE.format(b64encode(b"{}").decode()),
        *(
            PLACE.format(as_data(data))
            for data in (
                {},
                {"topics": [1]},
                {"topics": {"runs": [], "topics": [], "measures": [], "computed": [], "values": ""}},
                {"topics": ONE | {"computed": [None], "values": "!"}},
                {"topics": ONE | {"computed": [None], "values": ""}},
                {"topics": ONE | {"computed": [{"form": 0, "weights": [1]}], "values": ""}},
            )
        ),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    place = tmp_path / "x.html"
    place.write_text(text)
    with pytest.raises(InputError, match=r"x\.html: has no values by topic; give a page that gradeval report wrote"):
        read_earlier(place)


def test_nothing_in_common_is_said(before: Scores) -> None:
    other = evaluate(QRELS, {"new": RUNS["oak"]}, MEASURES)
    with pytest.raises(InputError, match="the earlier evaluation has no run of this one; it has cedar, aspen"):
        find_changes(other, before)

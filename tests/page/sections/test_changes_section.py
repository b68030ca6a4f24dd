from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval import report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

QRELS = EXAMPLES / "qrels.txt"

RUNS = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("cedar", "aspen", "oak", "elm")}

LATER = {"cedar": RUNS["cedar"], "oak": RUNS["aspen"], "beech": EXAMPLES / "runs" / "beech.txt"}

MEASURES = "nDCG@10 AP"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("earlier") / "last.html"
    report(QRELS, RUNS, MEASURES, studies="none").save(place)
    return place


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
    assert section.details[0].startswith("The judgments, or how they were read, differ from the earlier evaluation")

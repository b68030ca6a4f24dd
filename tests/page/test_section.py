from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from click.testing import CliRunner

from gradeval import read_qrels, report
from gradeval.cli import main
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def test_every_answer_is_a_sentence_and_every_section_says_how_to_redo_it(made: Report) -> None:
    for section in made.sections:
        assert section.answer.endswith(".")
        assert section.heading.endswith("?")
    names = [section.name for section in made.sections]
    assert names == ["answer", "leaderboard", "users", "topics", "rankings", "collection", "redo"]


def test_the_tables_are_frames(made: Report) -> None:
    frame = made.tables["leaderboard: Leaderboard"]
    assert frame.num_rows == len(RUNS) * 3
    assert frame.column_names[:3] == ["run", "measure", "value"]


@pytest.mark.parametrize(
    ("words", "how", "command", "python"),
    [
        (["--shift", "-1"], {"shift": -1}, " after --shift -1", " after shift=-1"),
        (["--shift", "-0.5"], {"shift": -0.5}, " after --shift -0.5", " after shift=-0.5"),
        (["--recode", "1=0"], {"recode": {1: 0}}, " after --recode 1=0", " after recode=1=0"),
        (
            ["--shift", "-1", "--recode", "4=3"],
            {"shift": -1, "recode": {4: 3}},
            " after --shift -1 and --recode 4=3",
            " after shift=-1 and recode=4=3",
        ),
        ([], {}, "", ""),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::gradeval.GradesWarning")
def test_grades_that_differ_from_those_of_the_file_say_after_what(
    words: list[str], how: dict[str, Any], command: str, python: str, tmp_path: Path
) -> None:
    """In all sections that show grades: who reads 4 for five stars can see why."""
    stars = {f"t{topic}": {f"d{place}": 1 + (topic + place) % 5 for place in range(7)} for topic in range(4)}
    runs = {
        name: {t: {d: float((n * 7 + p * 3) % 8) for p, d in enumerate(stars[t])} for t in stars}
        for n, name in enumerate("ab")
    }
    (tmp_path / "stars.json").write_text(json.dumps(stars))
    for name, run in runs.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    places = [str(tmp_path / name) for name in ("stars.json", "a.json", "b.json")]
    page = tmp_path / "page.md"
    done = CliRunner().invoke(main, ["report", *places, "-m", "AP GAP", "--studies", "none", "-o", str(page), *words])
    assert done.exit_code == 0, done.stderr
    printed = page.read_text()
    made = report(read_qrels(places[0], **how), runs, "AP GAP", studies="none").write("x.md").decode()
    top = f"{max(read_qrels(places[0], **how).levels):g}"
    for text, after in ((printed, command), (made, python)):
        for said in ("the highest grade, " + top, "Relevant documents have grade 1 or more", "grade 1 or more"):
            assert f"{said}{after}" in text
        assert text.count(" after ") >= (7 if after else 0)
        assert text.count(f"Grades are shown{after}.") == (2 if after else 0)
        assert "gradeval check QRELS RUNS\n" in text

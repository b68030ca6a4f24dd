from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from two_assessors import Judgments, TwoAssessors, two_assessors

from gradeval.cli import main

from .conftest import Gradeval, records, refusal


def write(path: Path, judgments: Judgments) -> Path:
    path.write_text(
        "".join(f"{topic} 0 {one} {g}\n" for topic, grades in judgments.items() for one, g in grades.items())
    )
    return path


@pytest.fixture
def drawn() -> TwoAssessors:
    return two_assessors(4)


@pytest.fixture
def files(tmp_path: Path, drawn: TwoAssessors) -> list[str | Path]:
    """The arguments HUMAN, RUNS and --judge of a small comparison."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for name, run in drawn.runs.items():
        lines = [
            f"{topic} Q0 {one} 1 {score} {name}\n" for topic, one_of in run.items() for one, score in one_of.items()
        ]
        (runs / name).write_text("".join(lines))
    human, judge = write(tmp_path / "human.txt", drawn.human), write(tmp_path / "model.txt", drawn.judge)
    return [human, runs, "--judge", judge]


def test_the_answer_is_the_first_sentence(gradeval: Gradeval, files: list[str | Path]) -> None:
    result = gradeval("judges", *files, "-m", "GAP", "--samples", 20)
    assert result.exit_code == 0
    first = result.stderr.splitlines()[0]
    assert first.startswith("note: Order: ")
    assert "model by GAP" in first
    assert result.stdout.split("\n")[0].split() == (
        "judge order differences absolute scores labels kappa judge - human".split()
    )
    assert len(result.stdout.splitlines()) == 4
    assert result.stdout.endswith("\nkappa: quadratic weights\n")
    result = gradeval("judges", *files, "-m", "GAP", "--samples", 20, "--all")
    for heading in ("shuffled tau", "skill", "reversed", "unconfirmed", "GAP gain"):
        assert heading in result.stdout


def test_judges_have_names_or_are_called_by_their_files(
    gradeval: Gradeval, files: list[str | Path], tmp_path: Path, drawn: TwoAssessors
) -> None:
    folder = tmp_path / "judges"
    folder.mkdir()
    write(folder / "a.qrels", drawn.judge)
    write(folder / "b=c.txt", drawn.judge)
    args = ["--judge", f"llm={files[3]}", "--judge", folder, "--judge", folder / "b=c.txt"]
    message = refusal(gradeval("judges", files[0], *args))
    assert "two judges are called 'b=c'" in message
    result = records(gradeval("judges", files[0], *args[:4], "--format", "tsv"))
    assert list(dict.fromkeys(line["judge"] for line in result)) == ["llm", "a", "b=c"]


def test_groups_are_tested_against_the_other_runs(gradeval: Gradeval, files: list[str | Path], tmp_path: Path) -> None:
    groups = tmp_path / "groups.txt"
    groups.write_text("# families\nrun0 neural rankers\nrun1\tneural rankers\n\nrun5 lexical\n")
    result = records(gradeval("judges", *files, "-m", "AP", "--groups", groups, "--samples", 20, "--format", "tsv"))
    found = [line for line in result if line["statistic"] == "shift-group"]
    assert [line["of"] for line in found] == ["neural rankers", "lexical"]
    assert all(0 <= float(line["p"]) <= 1 for line in found)
    shown = gradeval("judges", *files, "-m", "AP", "--groups", groups, "--samples", 20, "--all")
    assert "groups of runs, against the others" in shown.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run0 a\nrunn b\n", "no run 'runn' (did you mean run"),
        ("run0 a\nrun1\n", ":2: 'run1' has no group; accepted: a run and its group"),
        ("run0 a\nrun0 b\n", ":2: 'run0' is in 'a' already; a run has one group"),
        ("\n# none\n", "names no run"),
    ],
)
def test_groups_that_cannot_be_read_are_said_with_their_line(
    gradeval: Gradeval, files: list[str | Path], tmp_path: Path, text: str, message: str
) -> None:
    groups = tmp_path / "groups.txt"
    groups.write_text(text)
    assert message in refusal(gradeval("judges", *files, "--groups", groups))


@pytest.mark.parametrize(
    ("line", "args", "message"),
    [
        (
            "t00 0 d0 7\n",
            [],
            "1 of 241 grades (7) outside the levels 0,1,2,3 of human.txt; accepted: --recode model:7=3",
        ),
        ("t00 0 d0 7\n", ["--levels", "0,1,2,3"], "1 of 241 grades (7) outside the levels 0,1,2,3; accepted"),
        ("t01 0 d0 2\n", [], ":241: "),
        ("t00 0 d0\n", [], ":241: "),
        ("", ["--levels", "0,1,2"], "grade 3 is not one of the levels 0,1,2"),
        ("", ["--topics", "t00,t01"], "model: only 2 topics judged by humans and judge"),
        ("", ["--topics", "t77"], "--topics t77: no such file, and no such topic"),
        ("", ["--judge", "=x"], "accepted: NAME=FILE or FILE"),
    ],
)
def test_what_cannot_be_compared_is_said(
    gradeval: Gradeval, files: list[str | Path], line: str, args: list[str], message: str
) -> None:
    judge = Path(files[3])
    text = judge.read_text()
    if line.startswith("t00 0 d0 7"):
        text = text.replace("t00 0 d0 ", "t00 0 e0 ")
    judge.write_text(text + line)
    assert message in refusal(gradeval("judges", *files, *args)).replace(f"{files[0].parent}/", "")


BAD = {
    "scale": ("t00 0 d0 7\n", "1 of 1 grades (7) outside the levels 0,1,2,3 of {}; accepted: --recode bad:7=3"),
    "no pair": ("x1 0 d0 3\nx2 0 d0 0\n", "no pair of topic and document in common with {}"),
    "line": ("t00 0 d0\n", "bad.txt:1: "),
    "no grade": ("t00 0 d0 -1\n", "all 1 grades are below 0 (-1), so that it graded nothing"),
    "topics": ("t00 0 d0 3\nt00 0 d1 2\nt00 0 d2 1\n", "only 1 topic judged by humans and judge"),
}


@pytest.mark.parametrize("reason", BAD)
def test_one_refused_judge_is_named_and_the_others_are_answered(
    gradeval: Gradeval, files: list[str | Path], tmp_path: Path, reason: str
) -> None:
    text, message = BAD[reason]
    bad = tmp_path / "bad.txt"
    bad.write_text(text)
    args = ["judges", *files, "-m", "AP", "--samples", 20, "--format", "tsv"]
    result = gradeval(*args, "--judge", bad)
    assert result.exit_code == 1
    [said] = [line for line in result.stderr.splitlines() if "not used" in line]
    assert said.startswith("gradeval: warning: bad: not used: ")
    assert message.format(files[0]) in said
    assert result.stdout == gradeval(*args).stdout
    assert message.format(files[0]) in refusal(gradeval("judges", *files[:2], "--judge", bad, "--judge", f"b={bad}"))


def test_a_report_goes_on_without_a_refused_judge(gradeval: Gradeval, files: list[str | Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("x1 0 d0 3\n")
    page = tmp_path / "report.html"
    result = gradeval("report", *files, "--judge", bad, "-m", "AP", "--studies", "none", "-o", page)
    assert result.exit_code == 1
    assert "gradeval: warning: bad: not used: no pair of topic and document in common" in result.stderr
    assert "Can a judge stand for the humans?" in page.read_text()


@pytest.mark.parametrize("runs", [1, 2])
def test_few_runs_are_answered_first_by_what_they_can_tell(
    gradeval: Gradeval, files: list[str | Path], runs: int
) -> None:
    folder = Path(files[1])
    chosen = sorted(folder.iterdir())[:runs]
    result = gradeval("judges", files[0], *chosen, *files[2:], "-m", "AP", "--samples", 20, "-v")
    assert result.exit_code == 0
    said = result.stderr.splitlines()
    assert any(line.startswith("note: model: kappa 0.") and "above these on average" in line for line in said)
    if runs == 1:
        assert said[0].startswith("note: Absolute scores: ")
        assert "note: run0 is one run: with a second one you see whether both sides name the same winner" in said
        assert "slope" not in said[0]
    else:
        compared = gradeval("compare", files[0], *chosen, "-m", "AP").stderr.splitlines()
        assert f"note: {files[0]}: {compared[0].removeprefix('note: ')}" in said[:2] + said[2:3]
        assert result.stdout.split("\n")[0].split()[:2] == ["judge", "winner"]
        assert any("2 runs have only 2 orders" in line for line in said)


def test_a_judge_without_a_pair_in_common_is_refused(gradeval: Gradeval, files: list[str | Path]) -> None:
    Path(files[3]).write_text("x1 0 d0 3\nx2 0 d0 0\n")
    assert "model: no pair of topic and document in common with" in refusal(gradeval("judges", *files))


def test_binary_judges_are_refused_until_the_scale_is_said(
    gradeval: Gradeval, files: list[str | Path], drawn: TwoAssessors
) -> None:
    binary = {topic: {one: min(1, grade) for one, grade in grades.items()} for topic, grades in drawn.judge.items()}
    write(Path(files[3]), binary)
    proposed = f"{files[0]}:1=0,2=1,3=1"
    assert f"is it binary? accepted: --recode {proposed} (humans relevant from 2 on), or --levels 0,1,2,3" in refusal(
        gradeval("judges", *files)
    )
    for remedy in (["--recode", proposed], ["--recode", "2=1,3=1"], ["--levels", "0,1,2,3"]):
        assert gradeval("judges", files[0], "--judge", files[3], *remedy).exit_code == 0


def test_recoding_is_of_both_sides_and_said_where_nobody_has_the_grade(
    gradeval: Gradeval, files: list[str | Path]
) -> None:
    judge = Path(files[3])
    judge.write_text(judge.read_text() + "t00 0 new 5\n")
    result = gradeval("judges", files[0], "--judge", judge, "--recode", "5=3,9=3")
    assert result.exit_code == 0
    assert "--recode 9=3: none of" in result.stderr
    assert "--recode 5=3" not in result.stderr
    assert "model: 1 document that no human judged left out" in result.stderr


def test_chosen_topics_are_those_of_both_sides(gradeval: Gradeval, files: list[str | Path]) -> None:
    result = gradeval("judges", *files, "--topics", "t00,t03,t05", "-m", "AP", "--samples", 20, "--format", "tsv")
    assert {line["topics"] for line in records(result)} == {"3"}
    assert "without human judgments" not in result.stderr


def test_a_partial_judge_is_warned_of_once(gradeval: Gradeval, files: list[str | Path], drawn: TwoAssessors) -> None:
    write(Path(files[3]), {topic: dict(list(grades.items())[:9]) for topic, grades in drawn.judge.items()})
    result = gradeval("judges", *files, "-m", "AP", "--samples", 20)
    assert result.exit_code == 0
    warned = [line for line in result.stderr.splitlines() if line.startswith("gradeval: warning: ")]
    assert len(warned) == 1
    assert "model: judged 72 of 240 documents that humans judged in 8 common topics (30.0%)" in warned[0]


def test_options_of_runs_are_said_to_do_nothing_without_runs(gradeval: Gradeval, files: list[str | Path]) -> None:
    result = gradeval("judges", files[0], "--judge", files[3], "--statistic", "tau-ap", "-m", "AP")
    assert result.exit_code == 0
    assert "note: statistic does nothing here and is ignored" in result.stderr
    assert "note: measures does nothing here and is ignored" in result.stderr


def test_a_picture_needs_runs_and_no_input_is_overwritten(
    gradeval: Gradeval, files: list[str | Path], tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    result = gradeval("judges", *files, "-m", "AP", "--samples", 20, "--plot", tmp_path / "skill.svg")
    assert result.exit_code == 0
    assert "kappa with the humans" in (tmp_path / "skill.svg").read_text()
    before = Path(files[3]).read_text()
    assert "would replace the input" in refusal(gradeval("judges", *files, "-o", files[3]))
    assert Path(files[3]).read_text() == before
    without = gradeval("judges", files[0], "--judge", files[3], "--plot", tmp_path / "no.svg")
    assert without.exit_code == 2
    assert "skill needs runs" in without.stderr.splitlines()[-1]
    assert not (tmp_path / "no.svg").exists()


def test_a_shell_completes_statistics_beside_measures() -> None:
    complete = ShellComplete(main, {}, "gradeval", "_GRADEVAL_COMPLETE")
    items = complete.get_completions(["explain"], "pairs")
    assert [item.value for item in items if item.type == "plain"] == ["pairs", "pairs-human-only", "pairs-model-only"]
    assert "GAP" in [item.value for item in complete.get_completions(["explain"], "GA")]


@pytest.mark.parametrize(
    "name", ["kappa", "alpha", "kendall", "floor", "skill", "shift", "reversed", "ceiling", "worth"]
)
def test_explain_names_the_source_of_each_statistic(gradeval: Gradeval, name: str) -> None:
    result = gradeval("explain", name)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{name}\n\n")
    assert "\nSource: " in result.stdout


def test_a_foreign_file_in_a_folder_of_judges_is_named_with_a_pattern_that_leaves_it_out(
    gradeval: Gradeval, files: list[str | Path], tmp_path: Path
) -> None:
    folder = tmp_path / "grades"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        shutil.copy(files[3], folder / name)
    (folder / "draw.py").write_text("import random\n")
    result = gradeval("judges", files[0], "--judge", folder)
    assert result.exit_code == 1
    [said] = [line for line in result.stderr.splitlines() if "not used" in line]
    assert said.startswith(f"gradeval: warning: draw: not used: {folder}/draw.py:1: ")
    assert said.endswith(f"; if it is of another kind, leave it out: '{folder}/*.txt'")
    assert gradeval("judges", files[0], "--judge", f"{folder}/*.txt").exit_code == 0
    (folder / "draw.py").unlink()
    (folder / "b.txt").write_text("t00 0 d0\n")
    assert "leave it out" not in gradeval("judges", files[0], "--judge", folder).stderr
    assert "leave it out" not in refusal(gradeval("judges", files[0], "--judge", folder / "b.txt"))

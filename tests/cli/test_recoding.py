from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, records, refusal

HUMAN = "1 0 a 0\n1 0 b 1\n1 0 c 2\n2 0 a 2\n2 0 b 0\n2 0 c 1\n"
RATINGS = "1 0 a 1\n1 0 b 2\n1 0 c 3\n2 0 a 3\n2 0 b 1\n2 0 c 2\n"  # each one more


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the judgments of a human and of two judges, one of whom rates from 1."""
    (tmp_path / "grades").mkdir()
    for name, text in {"human.txt": HUMAN, "grades/llm.txt": RATINGS, "same.txt": HUMAN}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("judge", "name"), [("grades/llm.txt", "llm"), ("grades/llm.txt", "grades/llm.txt"), ("gpt=grades/llm.txt", "gpt")]
)
def test_one_judge_alone_is_recoded_by_its_name_or_its_path(gradeval: Gradeval, judge: str, name: str) -> None:
    args = ["judges", "human.txt", "--judge", judge, "--judge", "same.txt", "--format", "tsv"]
    result = records(gradeval(*args, "--recode", f"{name}:1=0,2=1,3=2"))
    kappas = [float(line["value"]) for line in result if line["statistic"] == "kappa"]
    assert kappas == [1, 1]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["human", "human.txt"])
def test_the_humans_alone_are_recoded_and_what_is_said_of_one_goes_before_what_is_said_of_all(
    gradeval: Gradeval, name: str
) -> None:
    args = ["judges", "human.txt", "--judge", "same.txt", "--format", "tsv"]
    result = records(gradeval(*args, "--recode", "2=1", "--recode", f"{name}:1=0,2=0", "--levels", "0,1"))
    counts = {line["of"]: float(line["value"]) for line in result if line["statistic"] == "count"}
    assert counts == {"0>0": 2, "0>1": 4, "1>0": 0, "1>1": 0}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--recode", "lmm:1=0"],
            "--recode lmm: no judgments are called so (did you mean llm?); they are human, human",
        ),
        (["--recode", "llm:1"], "--recode llm:1: '1' is no grade and what it becomes; accepted: as in 4=3"),
        (["--recode", "llm:1=0,1=2"], "--recode turns grade 1 into 0 and into 2; give one of the two"),
        (["--judge", "human=same.txt", "--recode", "human:1=0"], "human.txt, same.txt are all called so; give the"),
    ],
)
def test_a_name_that_says_too_little_is_refused(gradeval: Gradeval, args: list[str], message: str) -> None:
    assert message in refusal(
        gradeval("judges", "human.txt", "--judge", "grades/llm.txt", "--levels", "0,1,2,3", *args)
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["evaluate", "gate", "describe", "compare"])
def test_every_command_that_reads_judgments_refuses_a_name_of_none(
    gradeval: Gradeval, folder: Path, command: str
) -> None:
    for run in "ab":
        (folder / run).write_text(f"1 Q0 a 1 1 {run}\n2 Q0 b 1 1 {run}\n")
    runs = [] if command == "describe" else ["a", "b"]
    assert "--recode x: no judgments are called so; they are" in refusal(
        gradeval(command, "human.txt", *runs, "--recode", "x:1=0")
    )

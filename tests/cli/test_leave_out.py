"""leave-out: what the function gives, with warnings where the runs did not make the pool."""

from __future__ import annotations

from pathlib import Path

from .conftest import Gradeval, records, refusal


def test_runs_choose_rows_and_not_the_pool(gradeval: Gradeval, collection: list[Path]) -> None:
    args = [*collection, "-m", "AP", "--format", "tsv"]
    everything = {line["run"]: line for line in records(gradeval("leave-out", *args))}
    some = records(gradeval("leave-out", *args, "--runs", "top:2:AP"))
    assert len(some) == 2
    assert all(everything[line["run"]] == line for line in some)


def test_runs_that_did_not_make_the_pool_are_warned_of(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    lines = collection[0].read_text().splitlines(keepends=True)
    foreign = [line.replace(line.split()[2], f"other{number}") for number, line in enumerate(lines[::3])]
    thin, more = tmp_path / "thin", tmp_path / "more"
    thin.write_text("".join(line for number, line in enumerate(lines) if number % 2))
    more.write_text("".join([*lines, *foreign]))
    said = gradeval("leave-out", thin, *collection[1:], "-m", "AP").stderr
    assert "gradeval: warning: 6 of 6 runs have unjudged documents down to rank 10" in said
    said = gradeval("leave-out", more, *collection[1:], "-m", "AP").stderr
    assert "of the judged documents are in none of these runs, so other runs made the pool, too" in said


def test_groups_come_from_a_file(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    names = [line["run"] for line in records(gradeval("leave-out", *collection, "-m", "AP", "--format", "tsv"))]
    teams = tmp_path / "teams.csv"
    teams.write_text(f"run,team\n{names[0]},a\n{names[1]},a\n{names[2]},b\n")
    lines = records(gradeval("leave-out", *collection, "-m", "AP", "--groups", teams, "--format", "tsv"))
    assert [line["group"] for line in lines] == ["a", "a", "b", *[""] * (len(names) - 3)]
    assert lines[0]["unique"] == lines[1]["unique"]
    teams.write_text(f"{names[0]},a\n{names[1]}x,a\n")
    said = refusal(gradeval("leave-out", *collection, "-m", "AP", "--groups", teams))
    assert f"teams.csv:2: no run '{names[1]}x' (did you mean {names[1]}" in said

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, records, refusal


@pytest.fixture
def log(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> Path:
    """Clicks of 3,000 users on a run of the collection."""
    place = tmp_path / "clicks.tsv"
    drawn = gradeval("simulate", "clicks", *collection[:2], "--g", "0.3,0.7", "--sessions", 3000, "-o", place)
    assert drawn.exit_code == 0, drawn.stderr
    assert "3000 sessions" in drawn.stderr
    return place


def test_drawn_clicks_tell_of_the_users_who_made_them(gradeval: Gradeval, collection: list[Path], log: Path) -> None:
    lines = records(gradeval("clicks", log, collection[0], "--samples", 100, "--format", "tsv"))
    shares = {line["grade"]: line for line in lines if line["statistic"] == "g"}
    assert float(shares["1.0"]["lower"]) <= 0.3 <= float(shares["1.0"]["upper"])
    assert float(shares["1.0"]["value"]) + float(shares["2.0"]["value"]) == pytest.approx(1)
    assert [line["rank"] for line in lines if line["statistic"] == "looked at"] == [str(n) for n in range(1, 11)]


def test_the_first_note_is_a_measure_to_go_on_with(gradeval: Gradeval, collection: list[Path], log: Path) -> None:
    said = gradeval("clicks", log, collection[0], "--samples", 20).stderr.splitlines()[0]
    measure = said.removeprefix("note: use this measure: ")
    assert gradeval("evaluate", *collection[:2], "-m", measure).exit_code == 0


def test_shares_of_clicks_are_offered_beside_shares_of_users(
    gradeval: Gradeval, collection: list[Path], log: Path, tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    place = tmp_path / "clicked.svg"
    shared = gradeval(
        "clicks", log, collection[0], "--estimator", "click-share", "--samples", 20, "--format", "tsv", "--plot", place
    )
    lines = records(shared)
    assert {line["estimator"] for line in lines} == {"click-share"}
    assert {line["statistic"] for line in lines} == {"g"}
    clicked = [int(line["clicked"]) for line in lines]
    assert [float(line["value"]) for line in lines] == pytest.approx([count / sum(clicked) for count in clicked])
    assert "share of clicks (g)" in place.read_text()


def test_clicks_that_do_not_fit_are_one_line_and_no_measure(gradeval: Gradeval, tmp_path: Path) -> None:
    lines = [f"s{s}\t1\td{(s + r) % 2}\t{r}\t{1 - (s + r) % 2}\n" for s in range(40) for r in (1, 2)]
    lines[0] = "s0\t1\td1\t1\t1\n"  # one click on what is relevant
    (tmp_path / "log").write_text("session\ttopic\tdocument\trank\tclick\n" + "".join(lines))
    (tmp_path / "qrels").write_text("1 0 d0 0\n1 0 d1 1\n")
    said = gradeval("clicks", tmp_path / "log", tmp_path / "qrels")
    assert "do not fit the model" in refusal(said)
    assert "use this measure" not in said.stderr


def test_clicks_come_through_a_pipe(gradeval: Gradeval, collection: list[Path], log: Path) -> None:
    printed = gradeval("simulate", "clicks", *collection[:2], "--g", "0.3,0.7", "--sessions", 3000).stdout_bytes
    assert printed == log.read_bytes()
    piped = gradeval("clicks", "-", collection[0], "--samples", 20, input=printed)
    assert piped.stdout == gradeval("clicks", log, collection[0], "--samples", 20).stdout


def test_a_mistake_in_a_log_is_one_line(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    (tmp_path / "log").write_text("session\ttopic\tdocument\trank\tclick\ns\tt\td\t1\tx\n")
    assert "log:2: click 'x' is not 0 or 1" in refusal(gradeval("clicks", tmp_path / "log", collection[0]))
    assert "no such file" in refusal(gradeval("clicks", tmp_path / "none", collection[0]))
    assert "log:1" in refusal(gradeval("clicks", collection[0], collection[0])).replace("qrels.txt:1", "log:1")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--g", "0.5"], "--g 0.5"),
        (["--g", "1"], "g has 1 probabilities"),
        (["--g", "a,b"], "--g a is not a share from 0 to 1"),
        (["--bias", "-1"], "--bias"),
        (["--slips", "2"], "--slips"),
        (["--sessions", "0"], "--sessions"),
    ],
)
def test_wrong_options_of_a_simulation(
    gradeval: Gradeval, collection: list[Path], options: list[str], part: str
) -> None:
    assert part in refusal(gradeval("simulate", "clicks", *collection[:2], *options))


@pytest.mark.parametrize("name", ["model", "system", "Run-Name"])
def test_a_column_of_models_is_said_not_to_be_read(
    gradeval: Gradeval, collection: list[Path], log: Path, name: str
) -> None:
    plain = gradeval("clicks", log, collection[0], "--samples", 20)
    head, *lines = log.read_text().splitlines()
    log.write_text("\n".join([f"{head}\t{name}", *(f"{line}\tnew" for line in lines)]) + "\n")
    told = gradeval("clicks", log, collection[0], "--samples", 20)
    said = f"models are not compared by their clicks: the column {name!r} of {log} is not read"
    assert said in told.stderr
    assert "models are not" not in plain.stderr
    assert told.stdout == plain.stdout

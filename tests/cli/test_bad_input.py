"""What a user sees who makes a mistake: one line on stderr that says where, what, and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import BAD, GOOD, Gradeval

LINE = "t1 Q0 d1 1 3.0 tag\n"


def complaint(gradeval: Gradeval, *args: object, **options: object) -> str:
    """The one line of an error; status 2, nothing on standard output."""
    result = gradeval(*args, **options)
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith(("note: ", "gradeval: warning: "))]
    assert len(lines) == 1
    assert lines[0].startswith("gradeval: error: ")
    assert len(lines[0]) < 400
    return lines[0].removeprefix("gradeval: error: ")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (LINE + "t1 Q0 d2 2 2.0\n", ["run:2", "5", "topic Q0 document rank score tag"]),
        (LINE + "t1 Q0 d2 2 2 tag\n" + LINE, ["run:3", "d1", "line 1"]),
    ],
)
def test_a_bad_line_of_a_run(gradeval: Gradeval, small: Path, text: str, parts: list[str]) -> None:
    (small / "run").write_text(text)
    said = complaint(gradeval, "evaluate", small / "qrels.txt", small / "good.txt", small / "run")
    assert all(part in said for part in parts), said


def test_a_missing_file_names_its_neighbour(gradeval: Gradeval, small: Path) -> None:
    said = complaint(gradeval, "evaluate", small / "qrels.txt", small / "god.txt")
    assert "god.txt: no such file" in said
    assert "good.txt" in said


def test_the_same_run_twice(gradeval: Gradeval, small: Path) -> None:
    assert "twice" in complaint(gradeval, "evaluate", small / "qrels.txt", small / "good.txt", small / "good.txt")


@pytest.mark.parametrize(
    ("measures", "parts"),
    [("nDGC@10", ["unknown measure 'nDGC'", "nDCG"]), ("GAP(g={7:1})", ["7", "1,2"]), ("", ["no measure"])],
)
def test_a_bad_measure(gradeval: Gradeval, files: list[Path], measures: str, parts: list[str]) -> None:
    said = complaint(gradeval, "evaluate", *files, "-m", measures)
    assert all(part in said for part in parts), said


def test_a_measure_is_refused_before_any_file_is_read(gradeval: Gradeval) -> None:
    assert "nDGC" in complaint(gradeval, "evaluate", "not there", "nor this", "-m", "nDGC")


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["--levels", "0,1"], ["grade 2", "0,1"]),
        (["--levels", "0,high"], ["--levels high", "a grade from 0"]),
        (["--levels", "2,1,0"], ["2,1,0", "ascend"]),
        (["--recode", "4"], ["--recode", "4=3"]),
        (["--recode", "2=1,2=0"], ["--recode", "grade 2"]),
        (["--recode", "2=nan"], ["--recode", "nan"]),
        (["--topics", "t1,t7"], ["t7"]),
        (["--depth", "0"], ["--depth", "0"]),
        (["--digits", "99"], ["--digits", "99"]),
        (["--preset", "clef"], ["--preset", "trec", "ntcir", "letor"]),
        (["--format", "xml"], ["--format", "tsv", "parquet"]),
        (["--ties", "random"], ["--ties", "docid-float32"]),
        (["--topics", "t3", "--empty", "skip"], ["no topic", "AP"]),
        (["--topics", "t3", "--ci"], ["2 topics"]),
    ],
)
def test_a_bad_option(gradeval: Gradeval, files: list[Path], args: list[str], parts: list[str]) -> None:
    said = complaint(gradeval, "evaluate", *files, "-m", "AP", *args)
    assert all(part in said for part in parts), said


def test_a_file_of_topics_that_names_none(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(" \n\n")
    assert "names no topic" in complaint(gradeval, "evaluate", *files, "--topics", tmp_path / "topics")
    (tmp_path / "topics").write_bytes(b"\xff\xfe\x00")
    assert "topics:1: is not valid utf-16" in complaint(gradeval, "evaluate", *files, "--topics", tmp_path / "topics")


@pytest.mark.parametrize("form", ["tsv", "table", "parquet"])
def test_a_failure_leaves_the_old_output_and_nothing_else(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, form: str
) -> None:
    (tmp_path / "scores").write_text("as it was")
    (tmp_path / "broken").write_text(BAD + "t9 Q0\n")
    before = sorted(tmp_path.iterdir())
    said = complaint(gradeval, "evaluate", *files, tmp_path / "broken", "--format", form, "-o", tmp_path / "scores")
    assert "broken:7" in said
    assert (tmp_path / "scores").read_text() == "as it was"
    assert sorted(tmp_path.iterdir()) == before


def test_an_output_that_is_the_file_of_topics_or_features_is_refused(
    gradeval: Gradeval, files: list[Path], small: Path
) -> None:
    (small / "topics").write_text("t1\n")
    (small / "rows").write_text("1 qid:1 1:0.5\n")
    rows = f"letor:{small / 'rows'}"
    said = complaint(gradeval, "evaluate", *files, "--topics", small / "topics", "-o", small / "topics")
    assert "would replace the input" in said
    assert "would replace the input" in complaint(gradeval, "evaluate", rows, f"{rows}#1", "-o", small / "rows")
    assert (small / "topics").read_text() == "t1\n"
    assert (small / "rows").read_text() == "1 qid:1 1:0.5\n"


@pytest.mark.parametrize("command", ["evaluate", "correlate"])
def test_measures_among_the_files_are_told_how_to_be_quoted(
    gradeval: Gradeval, files: list[Path], command: str
) -> None:
    said = complaint(gradeval, command, *files, "-m", "AP", "nDCG@10", "P@5")
    assert said == 'nDCG@10: no such file (measures go in one quoted argument: -m "AP nDCG@10 P@5")'


def test_topics_that_are_neither_a_file_nor_a_topic(gradeval: Gradeval, files: list[Path]) -> None:
    said = complaint(gradeval, "evaluate", *files, "--topics", "nofile.txt")
    assert said.startswith("--topics nofile.txt: no such file, and no such topic among the 3 of ")
    assert said.endswith("as in t1,t2")


@pytest.mark.parametrize("nothing", ["", " , "])
def test_no_topics_are_an_error_that_says_what_is_accepted(gradeval: Gradeval, files: list[Path], nothing: str) -> None:
    said = complaint(gradeval, "evaluate", *files, "--topics", nothing)
    assert said.startswith(f"--topics {nothing}: no topics are named in {nothing!r}: write few:GRADE as in few:2, ")


@pytest.mark.parametrize("command", ["evaluate", "check", "correlate"])
def test_standard_input_twice(gradeval: Gradeval, small: Path, command: str) -> None:
    said = complaint(gradeval, command, small / "qrels.txt", "-", "-", input=GOOD)
    assert said == "- -: standard input can be read once; name a file for the others"


@pytest.mark.parametrize(
    ("args", "start"),
    [
        (["--ties", 2], "--ties 2 is not a number from 0 to below 1"),
        (["--judged-share", 0], "--judged-share 0 is not a number above 0, up to 1"),
        (["--missing", 99], "--missing 99 is not a whole number of systems from 0 to 12"),
    ],
)
def test_a_bad_number_for_a_simulation_is_said_of_its_option(
    gradeval: Gradeval, tmp_path: Path, args: list[object], start: str
) -> None:
    assert complaint(gradeval, "simulate", "collection", tmp_path / "new", *args).startswith(start)


def test_a_simulation_of_one_is_counted_in_the_singular(gradeval: Gradeval, tmp_path: Path) -> None:
    one = ["--topics", 1, "--systems", 1, "--missing", 0]
    said = gradeval("simulate", "collection", tmp_path / "new", *one).stdout
    assert ": 1 topic, " in said
    assert ", 1 run, " in said

"""The options of reading, which evaluate and the studies share."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from gradeval import evaluate, read_qrels, read_scores
from gradeval.cli import main
from gradeval.cli.reading import HOW_TO_SKIP, REASONS

from .conftest import GOOD, QRELS, Gradeval, records, refusal


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    lines = [line.split() for line in QRELS.splitlines()]
    text = "".join(f"{topic}\t{document}\t{grade}\n" for topic, _, document, grade in lines)
    (tmp_path / "beir.tsv").write_text("query-id\tcorpus-id\tscore\n" + text)
    return tmp_path / "beir.tsv"


def test_what_was_recognised_is_said_once(gradeval: Gradeval, files: list[Path], beir: Path) -> None:
    result = gradeval("evaluate", beir, *files[1:], "-m", "AP", "--format", "tsv")
    assert f"note: {beir}: read as BEIR tsv" in result.stderr.splitlines()
    assert result.stderr.count("read as") == 1
    assert records(result) == records(gradeval("evaluate", *files, "-m", "AP", "--format", "tsv"))


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_bad_runs_are_skipped_and_named(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, command: str
) -> None:
    broken, missing = tmp_path / "broken", tmp_path / "missing"
    broken.write_text("t1 Q0 d1 1 1 x\nt1 Q0 d1 2 0 x\n")
    args = [command, *collection, "-m", "AP", "--format", "tsv"]
    error = refusal(gradeval(*args, broken))
    assert "broken:2: document 'd1' of topic t1 was already given" in error
    assert error.endswith(HOW_TO_SKIP)
    result = gradeval(*args, broken, missing, "--skip-bad")
    assert result.exit_code == 1
    assert result.stdout == gradeval(*args).stdout
    assert f"gradeval: warning: skipped: {broken}:2: document 'd1'" in result.stderr
    assert f"gradeval: warning: skipped: {missing}: no such file" in result.stderr
    assert f"note: 2 of {len(collection) + 1} runs left out by --skip-bad: broken, missing" in result.stderr
    fine = gradeval(*args, "--skip-bad")
    assert (fine.exit_code, fine.stdout) == (0, result.stdout)
    nothing = gradeval(command, collection[0], broken, "-m", "AP", "--skip-bad")
    assert nothing.exit_code == 2
    assert "no other run can be read" in nothing.stderr


def test_runs_that_are_left_out_are_named_however_many_other_notes_there_are(
    monkeypatch: pytest.MonkeyPatch, gradeval: Gradeval, files: list[Path], tmp_path: Path
) -> None:
    monkeypatch.setattr("gradeval.cli.notices.MOST", 0)
    lines = [line.split() for line in GOOD.splitlines()]
    upside = tmp_path / "upside"
    upside.write_text("".join(f"{t} Q0 {d} {rank} -{score} up\n" for t, _, d, rank, score, _ in lines))
    broken = [tmp_path / f"broken{number}" for number in range(REASONS + 2)]
    for file in broken:
        file.write_text("t1 Q0 d1 1 1\n")
    result = gradeval("evaluate", *files, upside, *broken, "-m", "AP", "--skip-bad")
    said = result.stderr.splitlines()
    assert said[0].endswith(f"left out by --skip-bad: {', '.join(file.name for file in broken)}")
    assert [line.split(": ")[3].removesuffix(":1") for line in said if "skipped" in line] == [
        str(file) for file in broken[:REASONS]
    ]
    assert any("contradict the scores (up in" in line for line in said)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("line", "t1 Q0 d1 1 x tag\n"),
        ("columns", "t1 Q0 d1\n"),
        ("run.json", '{"t1": {"d1": "x"}}'),
        ("run.csv", "query,doc,score\nt1,d1,x\n"),
    ],
)
def test_what_to_do_is_said_where_one_of_several_runs_cannot_be_read(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, name: str, content: str
) -> None:
    broken = tmp_path / name
    broken.write_text(content)
    for command in ("evaluate", "compare", "leave-out", "adm"):
        options = ["-m", "AP"] * (command != "adm")
        assert refusal(gradeval(command, *collection, broken, *options)).endswith(HOW_TO_SKIP), command
    assert HOW_TO_SKIP not in refusal(gradeval("evaluate", collection[0], broken, "-m", "AP"))
    assert HOW_TO_SKIP not in refusal(gradeval("evaluate", *collection, "-m", "AP", "--topics", "x,y"))


def test_a_run_goes_by_its_ranks_where_columns_say_so(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    lines = [line.split() for line in GOOD.splitlines()]
    upside = tmp_path / "upside"
    upside.write_text("".join(f"{t} Q0 {d} {rank} -{score} up\n" for t, _, d, rank, score, _ in lines))
    args = ["evaluate", files[0], upside, "-m", "AP", "--format", "tsv"]
    wrong = gradeval(*args)
    assert "ranks that contradict the scores (up in 2 topics)" in wrong.stderr
    right = [line["value"] for line in records(gradeval(*args, "--columns", "query=1,doc=3,rank=4"))]
    assert right == [line["value"] for line in records(gradeval(*args[:2], files[1], *args[3:]))]
    assert right != [line["value"] for line in records(wrong)]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--columns", "score"], "--columns score: 'score' names no column"),
        (["--columns", "query=a,query=b"], "names the column query twice"),
        (["--columns", "topic=a"], "no column is called 'topic'"),
        (["--columns", "score=bm25"], ":1: has no column 'bm25' (it has t1, Q0, d1, 1, 3.0, good)"),
        (["--columns", "score=bm25", "--input-format", "trec"], "'bm25' is asked for, and trec has no columns"),
        (["--input-format", "json"], "is not valid JSON"),
    ],
)
def test_wrong_options_are_one_line(gradeval: Gradeval, files: list[Path], option: list[str], message: str) -> None:
    assert message in refusal(gradeval("evaluate", *files, *option))


def test_a_folder_of_runs_is_not_written_into(gradeval: Gradeval, small: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    (small / "good.txt").rename(runs / "good.txt")
    args = ["evaluate", small / "qrels.txt"]
    assert gradeval(*args, runs, "-m", "AP", "-o", tmp_path / "out.tsv").exit_code == 0
    assert "lies in the folder" in refusal(gradeval(*args, runs, "-m", "AP", "-o", runs / "out.tsv"))
    over = ["-m", "AP", "--format", "tsv", "-o", runs / "good.txt"]
    assert "would replace the input" in refusal(gradeval(*args, f"{runs}/*.txt", *over))


@pytest.mark.realdata
def test_the_preset_of_deep_learning_gives_the_official_numbers(
    gradeval: Gradeval, data: Callable[[str], Path]
) -> None:
    folder = data("trec-dl21-passage")
    head, *lines = [line.split("\t") for line in (folder / "official_summary.tsv").read_text().splitlines()]
    official = {line[0]: dict(zip(head, line, strict=True)) for line in lines}
    runs = [path for path in sorted((folder / "runs").iterdir()) if path.name in official]
    measures = {"map": "AP", "bpref": "Bpref", "recip_rank": "RR", "P_10": "P@10"}
    args = ["-m", " ".join(measures.values()), "--preset", "dl", "--names", "file"]
    shown = gradeval("evaluate", folder / "qrels.txt", *runs, *args).stdout
    assert runs
    for line in shown.splitlines()[2:-1]:
        run, *values = line.replace("*", "").split()
        assert values == [official[run][f"trec_eval:{name}"] for name in measures]


@pytest.mark.realdata
def test_the_preset_of_trec_covid_gives_the_official_numbers(gradeval: Gradeval, data: Callable[[str], Path]) -> None:
    folder = data("trec-covid-r5")
    with (folder / "leaderboard.csv").open() as file:
        official = {line["tag"].removesuffix(".txt"): line for line in csv.DictReader(file)}  # as names from files
    args = ["-m", "nDCG@20 P@20 RBP Bpref AP", "--preset", "covid", "--names", "file"]
    shown = gradeval("evaluate", folder / "qrels.txt", folder / "runs", *args).stdout
    assert len(official) == 126
    for line in shown.splitlines()[2:-1]:
        run, *values = line.replace("*", "").split()
        assert values == [official[run][name] for name in ("ndcg@20", "P@20", "rbp_p5", "bpref", "map")]


def test_judgments_with_other_columns_are_the_same_judgments(beir: Path, files: list[Path]) -> None:
    by_beir, by_trec = (evaluate(qrels, files[1], "AP nDCG").values.tolist() for qrels in (beir, files[0]))
    assert by_beir == by_trec
    assert read_qrels(beir).read_as == "BEIR tsv"


@pytest.mark.parametrize("command", ["evaluate", "check", "compare", "describe"])
def test_columns_that_no_file_has_are_an_error(gradeval: Gradeval, files: list[Path], command: str) -> None:
    result = gradeval(command, *files, "--columns", "query=nope")
    assert result.exit_code == 2
    assert "--columns query=nope: nothing that was read has columns with names" in result.stderr


def test_commands_that_let_runs_meet_judgments_take_what_must_not_count() -> None:
    commands = {name: main.get_command(click.Context(main), name) for name in main.list_commands(click.Context(main))}
    options = {name: {one.name for one in command.params} for name, command in commands.items() if command is not None}
    meeting = {name for name, names in options.items() if {"ties", "names"} <= names} | {"adm"}
    assert len(meeting) > 20
    assert {name for name, names in options.items() if "exclude" in names and "names" in names} >= meeting
    assert {name for name, names in options.items() if "repeated" in names} >= meeting
    assert not {"exclude", "repeated"} & options["trec_eval"]


@pytest.mark.parametrize(
    "command", ["evaluate -q", "compare -m AP", "describe", "adm --scaling minmax", "judges --judge m=machine.txt"]
)
def test_commands_without_some_pairs_say_what_they_say_of_files_filtered_by_hand(
    gradeval: Gradeval, small: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small)
    (small / "machine.txt").write_text(QRELS.replace("d1 2", "d1 1"))
    (small / "seen.csv").write_text("t1,d3\nt1,x9\n")
    name, *words = command.split()
    files = ["qrels.txt", "good.txt", "bad.txt"]
    found = gradeval(name, *files, *words, "--levels", "0,1,2", "--exclude", "seen.csv")
    assert found.exit_code == 0, found.stderr
    assert "note: excluded: 3 documents of 2 runs, 1 judgment\n" in found.stderr
    for file in (*files, "machine.txt"):
        lines = Path(file).read_text().splitlines(keepends=True)
        Path(file).write_text(
            "".join(line for line in lines if line.split()[0:3:2] not in (["t1", "d3"], ["t1", "x9"]))
        )
    assert gradeval(name, *files, *words, "--levels", "0,1,2").stdout == found.stdout


def test_a_note_says_that_the_order_of_lists_in_json_is_the_ranking(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "lists.json").write_text('{"q1": ["a", "b"]}')
    result = gradeval("evaluate", tmp_path / "lists.json", tmp_path / "lists.json", "-m", "P@1")
    said = "lists.json: read as JSON {topic: [document, ...]}"
    assert [line.partition(said)[2] for line in result.stderr.splitlines() if said in line] == [
        "",
        ", each list from the top rank down",
    ]


def test_wrong_lines_of_judgments_are_counted_with_what_to_do(gradeval: Gradeval, collection: list[Path]) -> None:
    lines = collection[0].read_text().splitlines()
    broken = collection[0].with_name("broken.txt")
    broken.write_text("\n".join([lines[0], "1 0 a x", *lines[1:], "1 0 b"]) + "\n")
    said = refusal(gradeval("evaluate", broken, *collection[1:]))
    assert said.startswith(f"{broken}:2: grade 'x' is not a number")
    assert said.endswith(
        f"; 2 lines are wrong: 'gradeval check' names each; mend or delete them (sed '2d;{len(lines) + 2}d' FILE > NEW)"
    )
    script = re.findall(r"sed '(.*?)'", said)[0]
    mended = broken.with_name("mended.txt")
    mended.write_bytes(subprocess.run(["sed", script, broken], check=True, capture_output=True).stdout)
    assert mended.read_text().splitlines() == lines
    broken.write_text("\n".join([*lines, *(f"1 0 x{number} x" for number in range(6))]))
    said = refusal(gradeval("evaluate", broken, *collection[1:]))
    assert said.endswith("; 6 lines are wrong: 'gradeval check' names each; mend or delete them")
    broken.write_text("nothing that is read\n")
    assert "gradeval check" not in refusal(gradeval("evaluate", broken, *collection[1:]))


@pytest.mark.parametrize(
    "text", ["system,AP,nDCG@10\na,.31,.42\nb,.29,.44\nc,.2,.3\n", "system,measure,value\na,AP,.31\nb,AP,.29\n"]
)
@pytest.mark.parametrize("command", ["compare", "ranks", "report", "discriminate"])
def test_a_lone_file_of_means_is_told_at_once_what_it_does_for(
    gradeval: Gradeval, tmp_path: Path, command: str, text: str
) -> None:
    """Elsewhere a lone file of scores is offered to --scores, which would refuse these a step later."""
    means = tmp_path / "means.csv"
    means.write_text(text)
    told = refusal(gradeval(command, means))
    assert "give values of single topics" in told
    s = read_scores(means, means=True)  # as the refusal says
    assert "in Python s = read_scores(FILE, means=True), of a frame" in told
    assert "0.3100" in repr(s)
    assert "0.3100" in s.to_latex()

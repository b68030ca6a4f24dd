from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gradeval as package
from gradeval.cli import all_commands

from .conftest import Gradeval

COMMAND_LINES = [[], *([name] for name in all_commands()), ["simulate", "collection"]]


def start(*args: object, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gradeval", *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize("words", COMMAND_LINES, ids=" ".join)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_has_help_with_an_example(gradeval: Gradeval, words: list[str], flag: str) -> None:
    result = gradeval(*words, flag)
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert " ".join(["  gradeval", *words[:1]]) in result.stdout


GROUPS = ["simulate", "papers"]
TAKING_NO_COMMAND = [words for words in COMMAND_LINES if (words and words[0] not in GROUPS) or len(words) > 1] + [
    ["simulate", "clicks"],
    ["papers", "ferro14", "table1"],
]
LARGE = ["evaluate", "compare", "report", "check", "ranks", "judges", "train", "crossval"]


@pytest.mark.parametrize("words", COMMAND_LINES[1:], ids=" ".join)
def test_the_short_help_fits_on_a_screen(gradeval: Gradeval, words: list[str]) -> None:
    lines = gradeval(*words, "-h").stdout.splitlines()
    assert len(lines) <= 40
    assert sum(line.strip().startswith("gradeval ") for line in lines) <= 3


def headings_of(help_text: str) -> list[str]:
    """The lines of a help that are headings."""
    return re.findall(r"^([A-Z][\w ]*):$", help_text, re.MULTILINE)


@pytest.mark.parametrize("name", LARGE)
def test_the_whole_help_has_headings(gradeval: Gradeval, name: str) -> None:
    assert len(headings_of(gradeval(name, "--help").stdout)) >= 4


@pytest.mark.parametrize("words", TAKING_NO_COMMAND, ids=" ".join)
def test_options_stand_below_four_headings_at_most_the_same_everywhere(gradeval: Gradeval, words: list[str]) -> None:
    text = gradeval(*words, "--help").stdout
    *headings, last = headings_of(text)
    assert last == "Examples"
    training = {"Training", "Ranker"} & set(headings)
    allowed = (
        ["What to study", "Training", "Ranker", "Output"]
        if training
        else ["What to study", "Statistics", "Reading", "Output"]
    )
    assert headings == [heading for heading in allowed if heading in headings]


def test_the_next_command_is_named_on_terminals_only(gradeval: Gradeval, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "next:" not in gradeval("measures").stderr
    monkeypatch.setattr("gradeval.cli.on_terminal", lambda: True)
    assert gradeval("measures").stderr.splitlines()[-1].startswith("next: gradeval explain MEASURE")
    assert "next:" not in gradeval("measures", "--nonsense").stderr


def test_the_version_is_that_of_the_package(gradeval: Gradeval) -> None:
    assert gradeval("--version").stdout == f"gradeval {package.__version__}\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["evalute"], "no command 'evalute'; did you mean evaluate? (gradeval --help shows how)"),
        (["Leaderboard"], "no command 'Leaderboard'; did you mean report? (gradeval --help shows how)"),
        (
            ["evaluate", "q", "r", "--metric", "AP"],
            "no such option: --metric; did you mean --measures? (gradeval evaluate --help shows how)",
        ),
        (
            ["compare", "q", "r", "--corection", "bh"],
            "no such option: --corection; did you mean --correction? (gradeval compare --help shows how)",
        ),
        (
            ["evaluate", "q", "r", "-k", "10"],
            "no such option: -k; give it with the measure, as nDCG@10 in --measures "
            "(gradeval evaluate --help shows how)",
        ),
        (
            ["evaluate", "qrels.txt", "run.txt", "--rel", "4"],
            "no such option: --rel; give it with each measure, as AP(rel=2) in --measures "
            "(gradeval evaluate --help shows how)",
        ),
        (
            ["correlate", "q", "r", "--ci"],
            "no such option: --ci; studies have intervals without it; correlate shows them with --reference MEASURE "
            "(gradeval correlate --help shows how)",
        ),
        (
            ["evaluate", "--scores", "s.csv"],
            "no such option: --scores; evaluate computes scores; compare, ranks and report read ready ones (gradeval "
            "evaluate --help shows how)",
        ),
        (
            ["gate", "q", "a", "b", "--missing", "common"],
            "no such option: --missing; evaluate, compare and report have it; gate counts 0 for topics that a run "
            "misses (gradeval gate --help shows how)",
        ),
        *(
            (
                ["gate", "q", "a", "b", option, "0.01"],
                f"no such option: {option}; did you mean --margin? (gradeval gate --help shows how)",
            )
            for option in ("--tolerance", "--budget", "--max-loss", "--threshold", "--min-delta")
        ),
        (["xyz"], "no command 'xyz'; gradeval -h all lists the commands (gradeval --help shows how)"),
        (["evaluate"], "missing argument 'QRELS' (gradeval evaluate --help shows how)"),
        (["completion", "tcsh"], None),
        (["--nonsense"], None),
        (
            ["evaluate", "q", "r", "--digits", "many"],
            "invalid value for '--digits': 'many' is not a whole number (gradeval evaluate --help shows how)",
        ),
        (["explain", "AP", "--experiment", "x"], None),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(gradeval: Gradeval, args: list[str], message: str | None) -> None:
    result = gradeval(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("gradeval: error: ")
    assert message is None or result.stderr == f"gradeval: error: {message}\n"


def test_without_a_command_the_help_is_shown(gradeval: Gradeval) -> None:
    result = gradeval()
    assert result.exit_code == 2
    assert "Every day:" in result.stderr


def imported(code: str) -> set[str]:
    """The modules that a new Python has imported after running some code."""
    code += "\nimport sys; print(*sys.modules, file=sys.__stderr__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return set(done.stderr.split())


INVOKE = """
from gradeval.cli import main
try:
    main({args})
except SystemExit as end:
    assert not end.code, end.code
"""


def test_help_imports_no_command() -> None:
    loaded = imported(INVOKE.format(args=["--help"]))
    needed = {"gradeval.cli.command_groups", "gradeval.cli.interruption", "gradeval.cli.streams"}
    assert {name for name in loaded if name.startswith("gradeval.cli.")} == needed


def test_scoring_imports_nothing_that_it_does_not_need(files: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "scores.tsv"
    loaded = imported(INVOKE.format(args=["evaluate", *map(str, files), "-m", "AP", "-o", str(target)]))
    assert target.exists()
    assert not loaded & {
        "rich",
        "scipy",
        "pyarrow",
        "pandas",
        "gzip",
        "lzma",
        "bz2",
        "gradeval.cli.commands.check",
        "gradeval.studies.study",
    }


def test_python_m_gradeval_runs_the_command_line(files: list[Path]) -> None:
    with start("evaluate", *files, "-m", "P@1", "--format", "tsv") as process:
        output, _ = process.communicate()
    assert process.returncode == 0
    assert output.decode() == f"run\ttopic\tmeasure\tvalue\ngood\tall\tP@1\t{2 / 3}\nbad\tall\tP@1\t0.0\n"


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
def test_a_reader_that_goes_away_ends_the_command_as_it_ends_others(files: list[Path]) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "gradeval", "evaluate", *map(str, files)]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("words", [["measures"], ["evaluate"], ["check"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output_is_one_line(files: list[Path], words: list[str], unbuffered: str) -> None:
    command = [sys.executable, "-m", "gradeval", *words, *(map(str, files) if words != ["measures"] else [])]
    with open("/dev/full", "w") as full:
        env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=env)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("note: ", "gradeval: warning: "))]
    assert lines == ["gradeval: error: standard output: cannot be written (No space left on device)"]


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
def test_an_interruption_ends_with_status_130_and_leaves_the_old_file(files: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "scores.tsv"
    target.write_text("as it was")
    restore: dict[str, object] = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    # Tests that run in the background ignore Ctrl-C, and would pass that on.
    with start("evaluate", files[0], "-", "-o", target, stdin=subprocess.PIPE, **restore) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("*.part")) and not list(tmp_path.glob(".*.part")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130, said
    assert b"Traceback" not in said
    assert target.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "good.txt", "qrels.txt", "scores.tsv"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [("", ""), ("Unable to allocate 7.28 TiB for an array", " (unable to allocate 7.28 TiB for an array)")],
)
def test_too_little_memory_is_one_true_line(
    gradeval: Gradeval, files: list[Path], monkeypatch: pytest.MonkeyPatch, said: str, asked: str
) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError(said)

    monkeypatch.setattr("gradeval.cli.commands.evaluate.evaluate", greedy)
    monkeypatch.setattr("gradeval.files.compressed.memory_at_hand", lambda: 3.5e9)
    result = gradeval("evaluate", *files)
    assert result.exit_code == 2
    line = f"out of memory: this takes more than the system gives this command, 3,500 MB, at once{asked}"
    assert result.stderr.splitlines()[-1] == f"gradeval: error: {line}"


def test_usage_says_what_may_be_left_out(gradeval: Gradeval) -> None:
    assert "gradeval compare [OPTIONS] [QRELS RUNS...]" in gradeval("compare", "--help").stdout
    assert "gradeval robustness [OPTIONS] QRELS RUNS..." in gradeval("robustness", "--help").stdout


def test_what_a_simulation_is_about_fits_a_line(gradeval: Gradeval) -> None:
    assert "..." not in gradeval("simulate", "--help").stdout.partition("Commands:")[2].partition("Examples:")[0]


BARE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in "torch lightgbm xgboost altair jinja2 vl_convert pyarrow sklearn".split():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from gradeval.cli import main
for command in COMMANDS:
    sys.argv = ["gradeval", command, "--help"]
    try:
        main()
    except SystemExit as end:
        if end.code:
            print(command, file=sys.stderr)
"""


def test_every_command_has_help_in_a_plain_install() -> None:
    code = BARE.replace("COMMANDS", repr(all_commands()))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: gradeval ") >= len(all_commands())

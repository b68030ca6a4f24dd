"""Signals at any moment, pipes without readers, little memory, closed streams: one line, and whole files."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals, pipes and limits of POSIX")
ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
LONG = 120.0  # seconds, on a busy machine


def as_by_default() -> None:
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)


def start(*words: object, **options: object) -> subprocess.Popen[bytes]:
    """A command in a process of its own, with the signals as programs find them that a terminal starts."""
    command = [sys.executable, "-m", "gradeval", *map(str, words)]
    streams: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": as_by_default}
    return subprocess.Popen(command, **(streams | options))


def wait_for_part(folder: Path) -> None:
    """Wait until the command has begun with its file."""
    deadline = time.monotonic() + LONG
    while not list(folder.glob(".gradeval-t.tsv-*.part")):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("number", [*ENDS, signal.SIGKILL], ids=lambda number: number.name)
def test_a_signal_at_work_leaves_the_old_file(collection: list[Path], tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C is one line, and leaves nothing else; what others leave behind has the name of the file in its own."""
    target = tmp_path / "t.tsv"
    target.write_text("as it was")
    words = ["compare", *collection, "--test", "permutation", "--samples", 10_000_000, "-m", "AP nDCG", "-o", target]
    with start(*words) as process:
        wait_for_part(tmp_path)
        process.send_signal(number)
        _, said = process.communicate(timeout=LONG)
    interrupted = number == signal.SIGINT
    assert process.returncode == (130 if interrupted else -number), said
    assert said.splitlines()[-1:] == ([b"gradeval: interrupted"] if interrupted else [])
    assert target.read_text() == "as it was"
    left = [path.name for path in tmp_path.iterdir() if path != target]
    assert len(left) == (0 if interrupted else 1)
    assert all(name.startswith(".gradeval-t.tsv-") and name.endswith(".part") for name in left)


@pytest.mark.parametrize("seed", range(3))
def test_ctrl_c_at_any_moment_leaves_a_whole_file_or_none(collection: list[Path], tmp_path: Path, seed: int) -> None:
    with start("compare", *collection, "--samples", 300_000, "-m", "AP nDCG", "-o", tmp_path / "t.tsv") as process:
        time.sleep(random.Random(seed).uniform(0.5, 2.0))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LONG)
    assert process.returncode in (0, -signal.SIGINT, 130)
    assert b"Traceback" not in said
    assert set(os.listdir(tmp_path)) <= {"t.tsv"}, said


def test_a_pipe_waits_for_its_reader(files: list[Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with start("evaluate", *files, "-m", "P@1", "--format", "tsv", "-o", tmp_path / "pipe") as process:
        time.sleep(0.5)
        assert (tmp_path / "pipe").read_text().startswith("run\ttopic")
        assert process.wait(LONG) == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_streams_end_no_command_in_a_traceback(files: list[Path], tmp_path: Path, closed: str) -> None:
    words = f'"{sys.executable}" -m gradeval evaluate {" ".join(map(str, files))} -o {tmp_path / "t.tsv"} {closed}'
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False, timeout=LONG)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert (tmp_path / "t.tsv").stat().st_size > 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_device_is_one_line(files: list[Path]) -> None:
    with start("evaluate", *files, "-o", "/dev/full") as process:
        _, said = process.communicate(timeout=LONG)
    assert process.returncode == 2
    errors = [line for line in said.decode().splitlines() if not line.startswith(("note: ", "gradeval: warning: "))]
    assert errors == ["gradeval: error: /dev/full: cannot be written (No space left on device); choose another place"]


PICTURES = 72_000_000_000  # bytes that they need
LIMITED = [
    *(("evaluate", kilobytes, []) for kilobytes in (300_000, 400_000, 600_000)),
    ("compare", 600_000, ["--samples", "50"]),
    ("ranks", 600_000, ["--samples", "50"]),
    ("report", 600_000, ["--studies", "none"]),
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not limit the address space")
@pytest.mark.parametrize(("command", "kilobytes", "words"), LIMITED)
def test_little_memory_is_one_line_and_no_waiting(
    collection: list[Path], tmp_path: Path, command: str, kilobytes: int, words: list[str]
) -> None:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (kilobytes * 1024,) * 2)

    target = tmp_path / ("t.html" if command == "report" else "t.tsv")
    with start(command, *collection, *words, "-m", "AP nDCG", "-o", target, preexec_fn=limit) as process:
        try:
            _, said = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    errors = [line for line in said.decode().splitlines() if not line.startswith(("note: ", "gradeval: warning: "))]
    assert (process.returncode, errors) == (0, [])
    assert target.stat().st_size > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not limit the address space")
def test_a_picture_that_memory_does_not_allow_is_refused_before_the_work(
    collection: list[Path], tmp_path: Path
) -> None:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (PICTURES // 2,) * 2)

    words = ["compare", *collection, "--samples", 10_000_000, "-m", "AP", "-o", tmp_path / "t.tsv"]
    with start(*words, "--plot", tmp_path / "p.svg", preexec_fn=limit) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"--plot needs 72,000 MB of address space" in said
    assert os.listdir(tmp_path) == []

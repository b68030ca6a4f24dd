"""Comments of TREC text that look like data: counted with their first line, wherever they stand and whoever reads."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval import FilesWarning, check, compare, describe, evaluate, judge, judges, read_qrels, read_run
from gradeval._core import Lines, Pools
from gradeval._core import judge as meet_lines
from gradeval.cli import main

QRELS = ["1 0 a 1", "1 0 b 0", "2 0 a 2", "3 0 a 1"]
RUN = ["1 Q0 a 1 3 t", "1 Q0 b 2 2 t", "2 Q0 a 1 2 t", "3 Q0 a 1 2 t"]
DATA = {"qrels": (QRELS, ["#v 0 d1 1", " \t# 0\td1  x"]), "run": (RUN, ["#v Q0 d1 1 2 t", "#v\tQ0\td2 2 1 # "])}
OTHERS = ["#", "# tag: bm25", "#v 0 d1 1 2", "", "# 1 2 3 4 5 6", "##"]
"""Comments with other numbers of columns than data have."""


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("places", [[0, 0], [1, 3], [0, 4], [4, 4], [2, 2]])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff", "# by x\n\n"])
def test_they_are_counted_and_the_first_is_named(
    tmp_path: Path, kind: str, places: list[int], end: str, before: str
) -> None:
    lines, comments = DATA[kind]
    lines = [*lines]
    for place, comment in zip(reversed(places), reversed(comments), strict=True):
        lines[place:place] = [*OTHERS, comment]
    text = (before + end.join(lines) + end).encode()
    (tmp_path / "plain").write_bytes(text)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(text))
    first = places[0] + len(OTHERS) + 1 + before.count("\n")
    for name in ("plain", "packed.gz"):
        if kind == "qrels":
            assert read_qrels(tmp_path / name).skipped == (2, first, comments[0])
        else:
            pools = Pools.of_mapping({"1": {"a": 1.0}}, "q")
            for part_bytes in (0, 1, 20, 1000):
                many = [read_run(tmp_path / name).lines, Lines.of_mapping({"1": {"a": 1.0}}, "m")]
                met = meet_lines(pools, many, part_bytes=part_bytes, threads=2)
                assert met.skipped == [(2, first, comments[0]), None]
            with pytest.warns(FilesWarning, match=rf"t: 2 lines .* \(line {first}: '{comments[0]}'\)"):
                evaluate({"1": {"a": 1}}, tmp_path / name, "AP")


def test_lines_of_other_columns_are_no_data(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("\n".join([*OTHERS, *QRELS, *OTHERS]))
    (tmp_path / "run").write_text("\n".join([*OTHERS[:-2], *RUN, *OTHERS[:-2]]))
    assert read_qrels(tmp_path / "qrels").skipped is None
    assert judge(tmp_path / "qrels", tmp_path / "run").skipped == [None]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Judgments and two runs, each with a comment that looks like data, and none in the second."""
    (tmp_path / "qrels").write_text("\n".join([*QRELS, "#v 0 d1 1"]))
    (tmp_path / "run").write_text("\n".join(["#v Q0 d1 1 2 t", *RUN]))
    (tmp_path / "other").write_text("\n".join(RUN).replace(" t", " u").replace(" 2 2 u", " 2 4 u"))
    return {name: str(tmp_path / name) for name in ("qrels", "run", "other")}


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_every_result_says_so(files: dict[str, str]) -> None:
    qrels, runs = files["qrels"], [files["run"], files["other"]]
    of_qrels, of_run = f"{qrels}: 1 line that begins with # is skipped", "t: 1 line that begins with # is skipped"
    results = [evaluate(qrels, runs, "AP"), compare(qrels, runs, "AP"), describe(qrels, runs)]
    said = [[str(note) for note in result.notes] for result in results]
    assert [[sum(note.startswith(what) for note in notes) for what in (of_qrels, of_run)] for notes in said] == [
        [1, 1]
    ] * 3
    without = [describe(qrels), judges(qrels, {"m": qrels})]
    assert [sum(str(note).startswith(of_qrels) for note in result.notes) for result in without] == [1, 2]
    remarks = check(qrels, runs).remarks
    assert [remark.split(": ")[0] for remark in remarks if "skipped" in remark] == [qrels, files["run"]]
    with pytest.warns(FilesWarning, match="qrels: 1 line"):
        judged = judge(qrels, runs)
    assert [str(note).startswith(of_run) for note in compare(judged, "AP").notes].count(True) == 1


VERBOSE = {"judges": ["-v"]}  # few runs say more that matters


@pytest.mark.parametrize("command", ["evaluate", "check", "describe", "compare", "report", "judges"])
def test_every_command_says_so_once(files: dict[str, str], command: str, tmp_path: Path) -> None:
    given = {"report": ["-o", str(tmp_path / "page.html")], "judges": ["--judge", f"m={files['other']}q"]}.get(
        command, []
    )
    if command == "judges":
        (tmp_path / "otherq").write_text("\n".join(QRELS))
    done = CliRunner().invoke(
        main, [command, files["qrels"], files["run"], files["other"], *given, *VERBOSE.get(command, [])]
    )
    said = (done.stdout if command == "check" else "") + done.stderr
    assert [line for line in said.splitlines() if "begins with #" in line and "qrels: 1 line" in line] != []
    assert said.count("begins with #") == 2, done.stderr

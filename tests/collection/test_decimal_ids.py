"""Ids that pandas wrote with decimals: who refuses or warns of them says what to type, and that mends the file."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradeval import IdsWarning, InputError, check, evaluate, read_qrels

QRELS = "user_id,item_id,rating\n1,10,4\n1,20,0\n2,30,5\n"
TRAIN = "user_id,item_id,rating\n1,40,4\n2,30,1\n"
RUN = "user_id,item_id,score\n1,40,3.5\n1,10,2.0\n2,30,1.0\n2,10,0.5\n"
COMMAND = r"""sed -E 's/([0-9])\.0+([],;:|"}[:space:]]|$)/\1\2/g'"""
FRAME = "df[COLUMN] = df[COLUMN].astype('Int64')"


def with_decimals(text: str, *columns: int) -> str:
    """A csv whose columns pandas has made decimal, cell by cell."""
    head, *rows = text.splitlines()
    cells = [[f"{cell}.0" if at in columns else cell for at, cell in enumerate(row.split(","))] for row in rows]
    return "\n".join([head, *map(",".join, cells)]) + "\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    def write(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


@pytest.mark.parametrize("columns", [(0,), (1,), (0, 1)], ids=["users", "items", "both"])
@pytest.mark.parametrize("decimal", ["train", "qrels"])
def test_exclude_with_decimals_is_refused(write: Any, columns: tuple[int, ...], decimal: str) -> None:
    texts = {"train": TRAIN, "qrels": QRELS} | {
        decimal: with_decimals({"train": TRAIN, "qrels": QRELS}[decimal], *columns)
    }
    qrels, train, run = write("qrels.csv", texts["qrels"]), write("train.csv", texts["train"]), write("run.csv", RUN)
    with pytest.raises(InputError, match="nothing would be excluded") as error:
        evaluate(qrels, run, "P@1", exclude=train)
    assert COMMAND in str(error.value)
    assert FRAME in str(error.value)


def test_the_command_mends_the_file(write: Any, tmp_path: Path) -> None:
    write("decimal.csv", with_decimals(QRELS, 0, 1, 2))
    mended = subprocess.run(
        f"{COMMAND} decimal.csv", shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert mended.stdout == QRELS


@pytest.mark.parametrize(
    ("decimal", "mended"),
    [
        ("1;10.0;0.5\n", "1;10;0.5\n"),
        ("1.0\t10.0\t0.05\n", "1\t10\t0.05\n"),
        ("1.0,10.0\r\n2,v1.0.3\r\n", "1,10\r\n2,v1.0.3\r\n"),
        ("1.0 0 10.0 2\n", "1 0 10 2\n"),
        ('{"1.0": {"10.0": 2}}\n', '{"1": {"10": 2}}\n'),
        ('{"query": 1.0, "doc": 10.0}\n[7.0]\n', '{"query": 1, "doc": 10}\n[7]\n'),
    ],
)
def test_the_command_mends_files_of_every_delimiter(tmp_path: Path, decimal: str, mended: str) -> None:
    (tmp_path / "ids").write_bytes(decimal.encode())
    made = subprocess.run(f"{COMMAND} ids", shell=True, cwd=tmp_path, capture_output=True, check=True)
    assert made.stdout.decode() == mended


@pytest.mark.parametrize("columns", [(0,), (1,)], ids=["users", "items"])
def test_runs_and_judgments_that_differ_by_decimals_are_told_what_to_type(write: Any, columns: tuple[int, ...]) -> None:
    qrels, run = write("qrels.csv", QRELS), write("run.csv", with_decimals(RUN, *columns))
    if columns == (0,):
        with pytest.raises(InputError, match="no run has a topic") as error:
            evaluate(qrels, run, "P@1")
        said = str(error.value)
        assert COMMAND in check(qrels, run).faults[0]
    else:
        with pytest.warns(IdsWarning, match="are they the same") as caught, pytest.warns(match="none of the documents"):
            evaluate(qrels, run, "P@1")
        said = "".join(str(one.message) for one in caught)
    assert COMMAND in said
    assert FRAME in said


def test_other_ids_are_excluded_as_before(write: Any) -> None:
    """Of one kind, or mixed."""
    qrels, run = write("qrels.csv", QRELS), write("run.csv", RUN)
    for train in (TRAIN, TRAIN + "2,x.0,1\n", with_decimals(QRELS, 1) + TRAIN.partition("\n")[2]):
        assert evaluate(qrels, run, "P@1", exclude=write("train.csv", train)).values[:, :1].tolist() == [[[1.0]]]
    assert len(read_qrels(qrels)) == 3

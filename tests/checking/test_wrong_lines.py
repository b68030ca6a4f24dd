"""Every wrong line of a file is a fault, and the others are checked all the same."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from checked_runs import write

from gradeval import check

BROKEN = "1 Q0 a 1 5 r\n1 Q0 b 2 x r\n1 Q0 c\n2 Q0 z 1 2 r\n2 Q0 y 2 1 r\n2 Q0 y 3 0 r\n7 Q0 a 1 1 r\n8 Q0 a 1 nan r\n"


def test_every_wrong_line_is_a_fault_and_the_others_keep_the_rules(tmp_path: Path) -> None:
    run = write(tmp_path, "run", BROKEN)
    rules: dict[str, Any] = {"topics": ["1", "2", "3", "8"], "documents": ["a", "b", "z"], "depth": 1}
    (file,) = check(None, run, **rules).files
    assert [fault.split(" (")[0].split(" of topic")[0] for fault in file.faults] == [
        f"{run}:2: score 'x' is not a number",
        f"{run}:3: found 3 columns",
        f"{run}:6: document 'y'",
        f"{run}:8: score 'nan' is NaN; it must be a finite number",
        f"{run}: 1 line with unknown documents",
        f"{run}: topic 2 has 2 documents; allowed: 1",
        f"{run}: unknown topics 7",
    ]
    assert file.remarks == [f"{run}: returns nothing for 3"]  # a line of 8 is there, which cannot be read
    assert not file.readable


def test_some_wrong_lines_are_named_and_the_rest_is_counted(tmp_path: Path) -> None:
    lines = [f"1 Q0 d{number} 1 {number if number < 3 else 'x'} r\n" for number in range(40)]
    run, never = write(tmp_path, "run", "".join(lines)), write(tmp_path, "never", "".join(lines[3:]))
    qrels = write(tmp_path, "qrels", "1 0 a 1\n" + "1 0 b x\n" * 30)
    said = [file.faults for file in check(qrels, [run, never]).files]
    assert [len(faults) for faults in said] == [26, 26, 2]
    assert said[0][-1] == f"{qrels}: 5 more lines cannot be read; all=True names them"
    assert said[1][-1] == f"{run}: 12 more lines cannot be read; all=True names them"
    assert said[2] == [
        f"{never}:1: score 'x' is not a number (topic 1, document d3)",
        f"{never}: none of its 37 lines can be read; all=True names them",
    ]
    assert [len(file.faults) for file in check(qrels, [run, never], all=True).files] == [30, 37, 37]
    records = check(qrels, run, all=True).table().records
    assert str(records.fields["faults"][1]).count(" is not a number") == 37


def test_the_lines_of_a_text_too_large_to_keep_are_not_checked_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradeval.files.line_faults.MOST_KEPT", 10)
    run = write(tmp_path, "run", BROKEN)
    found = check(None, run, depth=1)
    assert len(found.faults) == 4
    assert found.remarks == [f"{run}: is too large to check its other lines, too; mend these first"]


def test_what_is_read_but_once_says_its_first_fault(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(BROKEN,))
    writer.start()
    (fault,) = check(None, tmp_path / "pipe").faults
    writer.join()
    assert "pipe:2: score 'x' is not a number" in fault


@pytest.mark.parametrize("text", ["t 0 a 3\nt 0 a 1\nt 0 b 0\n", "query,doc,grade\nt,a,3\nt,a,1\nt,b,0\n"])
def test_what_may_come_again_is_no_fault_and_wrong_lines_still_are(text: str, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(text)
    run.write_text("t Q0 a 1 9 r\nt Q0 b 2 8 r\nt Q0 a 3 7 r\n")
    assert [len(file.faults) for file in check(qrels, run).files] == [1, 1]
    assert [len(file.faults) for file in check(qrels, run, repeated="mean").files] == [0, 1]
    checked = check(qrels, run, repeated="mean,best")
    assert checked.passed
    assert any("added to the mean grade" in remark for remark in checked.remarks)
    run.write_text(run.read_text() + "t Q0 c 4 x r\nt Q0 b 5 1 r\n")
    (fault,) = check(qrels, run, repeated=("mean", "best")).faults
    assert "score 'x'" in fault


def test_two_tags_are_one_fault_and_what_else_is_wrong_is_said(tmp_path: Path) -> None:
    lines = [f"1 Q0 d{place} {place} {99 - place} {'one' if place < 60 else 'two'}\n" for place in range(1, 91)]
    lines[80] = "1 Q0 d81 81 x two\n"
    run = write(tmp_path, "run", "".join(lines))
    assert check(None, run).faults == [
        f"{run}:60: tag 'two' differs from 'one' in line 1; a file holds one run, and all its lines carry the same tag",
        f"{run}:81: score 'x' is not a number (topic 1, document d81)",
        f"{run}: 29 more lines have another tag than the first line; all=True names them",
    ]
    assert len(check(None, run, all=True).faults) == 31


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_many_repeated_documents_are_two_faults_and_other_lines_are_said(kind: str, tmp_path: Path) -> None:
    """40 lines come again from line 41 on, and line 81 has no number."""
    lines = [f"1 0 d{at} 1\n" if kind == "qrels" else f"1 Q0 d{at} 1 {at} r\n" for at in range(40)]
    lines += [line.replace(" 1\n", " 0\n") for line in lines]
    lines.append("1 0 x high\n" if kind == "qrels" else "1 Q0 x 1 high r\n")
    file, run = write(tmp_path, "file", "".join(lines)), write(tmp_path, "run", "1 Q0 d0 1 9 r\n")
    files = (file, run) if kind == "qrels" else (None, file)
    found, every = check(*files), check(*files, all=True)
    again, more, *others = found.faults
    assert again.startswith(f"{file}:41: document 'd0' of topic 1 was already ")
    assert more == f"{file}: 39 more lines repeat a document: 42, 43, 44, 45, 46, 47 and 33 more; all=True names them"
    assert others == [f"{file}: 1 more line cannot be read; all=True names them"]
    assert len(every.faults) == 41

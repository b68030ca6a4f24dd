"""Every wrong line of csv and JSONL is named, each as its reader says it of the first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradeval import check

LINES = 120
WRONG = [7, 8, 40, 120]
"""Lines of records, from 1, whose number is none."""
QRELS = {"q0": {"d0": 1, "d1": 0}}


def write(folder: Path, form: str, field: str, wrong: list[int], word: str = "?!") -> tuple[Path, int]:
    """A file of records, and how many lines stand above them."""
    rows = [(f"q{row % 4}", f"d{row}", word if row + 1 in wrong else LINES - row) for row in range(LINES)]
    if form == "jsonl":
        text = "".join(json.dumps(dict(zip(["query_id", "doc_id", field], row, strict=True))) + "\n" for row in rows)
        (folder / "a.jsonl").write_text(text)
        return folder / "a.jsonl", 0
    text = f"query_id,doc_id,{field}\r\n" + "".join(f"{','.join(map(str, row))}\r\n" for row in rows)
    (folder / "a.csv").write_text(text)
    return folder / "a.csv", 1


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_each_wrong_line_is_named_where_it_stands(form: str, kind: str, tmp_path: Path) -> None:
    file, above = write(tmp_path, form, "score" if kind == "run" else "relevance", WRONG)
    found = check(QRELS, file) if kind == "run" else check(file, {"q0": {"d0": 1.0}})
    assert [fault.split(" ")[0] for fault in found.faults] == [f"{file}:{line + above}:" for line in WRONG]
    assert all("'?!' is not a finite number" in fault for fault in found.faults)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_words_as_grades_are_told_once_beside_other_faults(form: str, tmp_path: Path) -> None:
    file, above = write(tmp_path, form, "relevance", WRONG, "Fair")
    [few] = check(file, QRELS).faults
    lines = [line + above for line in WRONG]
    assert few.startswith(f"{file}:{lines[0]}: {'relevance' if form == 'jsonl' else 'grade'} 'Fair'")
    assert few.endswith(f"; words stand in lines {lines[0]}, {lines[1]}, {lines[2]} and {lines[3]}")
    assert check(file, QRELS, recode={"Fair": 2}).passed
    many = [*range(2, 80)]
    file, above = write(tmp_path, form, "relevance", many, "Fair")
    text = file.read_text().replace("Fair", "Good", 30).splitlines()
    text[20 + above] = text[20 + above].replace("Good", "?!")
    text.insert(50, "{" if form == "jsonl" else "q0")
    file.write_text("\n".join(text))
    told, *rest = check(file, QRELS).faults
    assert "--recode Good=GRADE,Fair=GRADE, or" in told
    assert "lines" not in told
    assert [fault.split(" ")[0] for fault in rest] == [f"{file}:{21 + above}:", f"{file}:51:"]
    assert len(check(file, QRELS, recode={"Fair": 2, "Good": 1}).faults) == 2


def test_of_many_wrong_lines_the_first_are_named_unless_all_are_asked_for(tmp_path: Path) -> None:
    wrong = [*range(2, 62, 2)]
    file, _ = write(tmp_path, "csv", "score", wrong)
    some = check(QRELS, file).faults
    assert (len(some), some[-1]) == (26, f"{file}: more lines cannot be read; all=True names them")
    assert [fault.split(":")[-2] for fault in check(QRELS, file, all=True).faults] == [str(line + 1) for line in wrong]


def test_a_document_that_comes_again_is_named_beside_wrong_lines(tmp_path: Path) -> None:
    file, above = write(tmp_path, "jsonl", "score", [50])
    record = json.dumps({"query_id": "q0", "doc_id": "d0", "score": 0.5})
    file.write_text(f"{file.read_text()}\n{record}\n{{not JSON\n")
    said = check(QRELS, file).faults
    assert [fault.split(":")[1] for fault in said] == [str(50 + above), str(LINES + 3), str(LINES + 2)]
    assert "is not valid JSON" in said[1]
    assert "'d0'" in said[2]
    assert not [fault for fault in check(QRELS, file, repeated="first").faults if "'d0'" in fault]


def test_what_is_wrong_with_a_whole_file_is_said_once(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("".join(f"q{at % 4},d{at},{at % 3}\n" for at in range(LINES)))
    [fault] = check({"q0": {"d0": 1}}, file).faults
    assert "may hold ranks or scores" in fault


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_row_of_several_lines_is_named_by_its_first_line(delimiter: str, tmp_path: Path) -> None:
    text = [
        "query_id,doc_id,relevance,text",
        'q0,d0,1,"two',
        'lines, a ""quote"""',
        "q0,d1,x,one line",
        'q0,d2,y,"three',
        "",
        'lines"',
        'q0,d3,1,"open',
        "q0,d4,0,right",
        'q0,d5,1,"two, too',
        'lines"',
    ]
    (tmp_path / "a.csv").write_text("\r\n".join(text).replace(",", delimiter))
    said = check(tmp_path / "a.csv", {"q0": {"d0": 1.0}}).faults
    assert [fault.split(":")[1] for fault in said] == ["4", "5", "8"]
    assert all(part in fault for part, fault in zip(["'x'", "'y'", "a quote opens a cell here"], said, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        '[{"query_id": "q0", "doc_id": "d0", "score": "x"},\n{"query_id": "q0", "doc_id": "d1", "score": "y"}]\n',
        "query_id,doc_id,score\nq0,d0,x\nq0,d1,y\n",
    ],
    ids=["a list", "no right line"],
)
def test_where_lines_do_not_stand_for_themselves_the_first_fault_is_said(text: str, tmp_path: Path) -> None:
    file = tmp_path / ("a.json" if text.startswith("[") else "a.csv")
    file.write_text(text)
    assert len(check(QRELS, file).faults) == 1

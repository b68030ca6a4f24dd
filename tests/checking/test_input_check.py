"""check(): what is wrong with files, before and after judging."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from checked_runs import LINES, write
from refusing import said_of

from gradeval import FilesWarning, InputError, check, evaluate


def test_wrong_files_are_named_and_the_others_reported(tmp_path: Path) -> None:
    good, again = write(tmp_path, "good", LINES), write(tmp_path, "same", LINES)
    broken = write(tmp_path, "broken", LINES + "2 Q0 a 2 0 up\n")
    found = check(None, [good, broken, again, tmp_path / "none"])
    assert [bool(file.faults) for file in found.files] == [False, True, False, True]
    assert "broken:5: document 'a' of topic 2 was already given in line 4" in found.faults[0]
    assert "no such file" in found.faults[1]
    assert [remark for remark in found.remarks if "tag" in remark] == [
        f"{run}: 2 runs have the tag 'up'" for run in (good, again)
    ]
    assert f"{good}, {again}: 2 runs have the tag 'up'" in map(str, found.notes)
    assert found.verdict == "2 of 4 runs have faults"


@pytest.mark.parametrize(
    ("order", "column"), [("{t} {d} 0 {g}", 2), ("{t} 0 {g} {d}", 4), ("{t} {g} {d} 0", 0), ("{t} 0 {d} {g}", 0)]
)
def test_swapped_columns_of_judgments_are_noticed(tmp_path: Path, order: str, column: int) -> None:
    lines = [order.format(t=t, d=f"doc{t}-{d}", g=d % 3) for t in range(301, 304) for d in range(5)]
    qrels = write(tmp_path, "qrels", "".join(f"{line}\n" for line in lines))
    said = check(qrels, write(tmp_path, "run", "301 Q0 doc301-1 1 1 r\n"))
    text = " ".join([*said.faults, *said.remarks])
    assert (f"the documents seem to be in column {column}" in text) == (column > 0)
    assert ("no document is relevant" in text) == (order == "{t} {g} {d} 0")


def test_what_seems_to_be_wrong_is_said_with_its_place(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
    swapped = write(tmp_path, "swapped.csv", "d1,q1,3.5\nd2,q1,1.5\n")
    nothing = write(tmp_path, "nothing.json", '{"q1": {}}')
    upside = write(tmp_path, "upside", "".join(f"q1 Q0 d{n} {n} {n} r\n" for n in range(1, 7)) + "q2 Q0 d1 1 1 r\n")
    assert check(qrels, [swapped, nothing, upside]).faults == [
        f"{swapped}: no topic in common with the judgments: q1 there, d1 here; 'd1' is a document of the judgments: "
        "are topic and document swapped in the run?",
        f"{nothing}: returns no document",
        f"{upside}: the score rises from rank to rank in 5 places of 1 topic (q1), so the last rank counts as the "
        "first: negate distances, or number the ranks anew if the scores are right",
    ]
    with pytest.raises(InputError, match=r"no topic of the task \(q9\) is one of .*qrels \(q1, q2\)"):
        check(qrels, upside, topics=["q9"])


def test_judgments_and_runs_are_taken_as_evaluate_takes_them(tmp_path: Path) -> None:
    judgments = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    good = {"1": {"a": 2.0, "x": 1.0}, "2": {"a": 1.0}}
    foreign = {"9": {"a": 1.0}}
    checked = check(judgments, {"bm25": good, "e5": foreign, "file": write(tmp_path, "run", LINES)})
    assert [file.place for file in checked.files] == ["qrels", "bm25", "e5", "file"]
    assert [bool(file.faults) for file in checked.files] == [False, False, True, False]
    assert checked.files[1].unjudged == pytest.approx(1 / 3)
    (alone,) = check(None, good, topics=["1", "2", "3"]).files
    assert (alone.place, alone.lines, alone.missing) == ("run", 3, ["3"])
    wrong = check(judgments, [good, {"1": {"a": float("nan")}}, 7])
    assert [file.place for file in wrong.files if file.faults] == ["run 2", "run 3"]
    assert "a run is a Run, a file, a frame" in wrong.faults[1]
    assert check({"1": {"a": "x"}}, good).files[0].faults


def test_folders_and_patterns_may_stand_in_a_list(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write(tmp_path, name, LINES.replace("up", name))
    assert [file.tag for file in check(None, [tmp_path]).files] == ["a", "b", "c"]
    assert evaluate({"1": {"a": 1}}, [tmp_path / "[ab]", tmp_path / "c"], "AP").runs == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("topics", "faults"), [("1", 1), ("1,2", 0), (1, 1), (["1", 2], 0), ("all", 0), ("atleast:2:1", 1)]
)
def test_the_topics_of_the_task_mean_what_they_mean_to_evaluate(topics: Any, faults: int, tmp_path: Path) -> None:
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    run = write(tmp_path, "run.txt", LINES)
    assert len(check(qrels, run, topics=topics).faults) == faults
    named = evaluate(qrels, run, "AP", topics=topics).topics
    assert (set(named) == {"1", "2"}) == (faults == 0)


def test_a_selection_of_topics_needs_judgments(tmp_path: Path) -> None:
    run = write(tmp_path, "run.txt", LINES)
    assert check(None, run, topics="1,2").passed
    assert said_of(lambda: check(None, run, topics="few:2")).startswith("topics=few:2: looks at judgments, and there")


SELF = {"1": {"1": 4.0, "a": 3.0, "b": 2.0, "z": 1.0}, "2": {"2": 2.0, "a": 1.0}, "9": {"9": 2.0, "x": 1.0}}
JUDGED = {"1": {"a": 1, "b": 0, "1": 1}, "2": {"a": 2}, "3": {"3": 1}}


@pytest.mark.parametrize("judged", [True, False])
def test_what_is_excluded_is_not_counted_as_if_the_files_had_not_had_it(judged: bool) -> None:
    def without(table: dict[str, Any]) -> dict[str, Any]:
        left = {topic: {name: value for name, value in one.items() if name != topic} for topic, one in table.items()}
        return {topic: one for topic, one in left.items() if one}

    rules: dict[str, Any] = {"documents": ["a", "b", "z", "x"], "depth": 3}
    found = check(JUDGED if judged else None, SELF, exclude="self", **rules)
    expected = check(without(JUDGED) if judged else None, without(SELF), **rules)
    assert not check(JUDGED if judged else None, SELF, **rules).passed
    assert [one.record()[1:-1] for one in found.files] == [one.record()[1:-1] for one in expected.files]
    said = "excluded: 3 documents of the run, "
    said += "1 judgment; 1 topic is left without judgments and ignored (3)" if judged else "0 judgments"
    assert found.remarks == [said, *expected.remarks]
    assert "exclude leaves out nothing" in check(JUDGED, SELF, exclude={"7": ["q"]}).remarks[0]


@pytest.mark.parametrize("gap", ["\u2028", "\u3000", "\u00a0", " "])
def test_swapped_columns_are_seen_where_ids_hold_other_blanks(tmp_path: Path, gap: str) -> None:
    rows = [
        (f"q{topic}", f"d{gap}{document}".replace(" ", "_"), document % 2)
        for topic in range(4)
        for document in range(9)
    ]
    swapped = write(tmp_path, "qrels", "".join(f"{name} 0 {topic} 0\n" for topic, name, _ in rows))
    run = write(tmp_path, "run", "".join(f"{topic} Q0 {name} 1 {grade} r\n" for topic, name, grade in rows))
    found = check(swapped, run)
    assert any("the documents seem to be in column 1: the order is" in remark for remark in found.remarks)


@pytest.mark.parametrize("place", ["empty", "missing", "nothing/*", "pipe"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_place_that_cannot_be_read_does_not_hide_the_others(place: str, at: int, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "in")
    places = []
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"q Q0 d 1 1 {name}\n")
        places.append(str(tmp_path / name))
    places.insert(at, str(tmp_path / place))
    found = check({"q": {"d": 1}}, places)
    assert [file.tag for file in found.files if file.readable and file.tag] == ["a", "b"]
    assert len(found.faults) == 1
    assert found.faults[0].startswith(str(tmp_path / place))
    assert not found.passed


def test_a_submission_with_decimal_commas_is_a_faulty_run_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    write(folder, "good", LINES)
    bad = write(folder, "quick", "".join(f"1 Q0 {name} 1 2{place},23 quick\n" for place, name in enumerate("abc")))
    found = check(None, folder)
    assert not found.passed
    assert found.verdict == "1 of 2 runs has faults"
    assert found.faults[0] == (
        f"{bad}:1: score '20,23' is not a number (topic 1, document a); write 20.23: the comma is a decimal comma"
    )


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (
            "33",
            "grade 33 stands in 1 judgment, and no grade from 4 to 32 in any: a slip? Else declare levels 0,1,2,3,33",
        ),
        ("2.5", "1 grade (2.5) stands among whole grades, and each value is a level: a slip?"),
    ],
)
def test_a_slip_in_a_grade_is_remarked(tmp_path: Path, slip: str, said: str) -> None:
    grades = [*"0123" * 40, slip]
    lines = "".join(f"1 0 d{place} {grade}\n" for place, grade in enumerate(grades))
    qrels = write(tmp_path, "qrels", lines)
    found = check(qrels, write(tmp_path, "run", "1 Q0 d3 1 3 r\n"))
    assert found.passed
    assert found.remarks == [f"{qrels}: {said}"]
    with pytest.warns(FilesWarning, match=re.escape(said)):
        evaluate(qrels, tmp_path / "run", "AP")


def test_listed_topics_name_the_column_of_others(tmp_path: Path) -> None:
    run = write(tmp_path, "run", LINES)
    judgments = {"1": {"a": 1}, "2": {"a": 1}}
    for topics, title in ((["1"], "unknown topics"), (None, "topics without judgments")):
        grid = check(judgments, run, topics=topics).table().grids[0]
        assert title in grid.head


def test_what_is_plainly_no_run_is_one_fault_where_it_is_named_and_left_out_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    (tmp_path / "README.md").write_text("# Runs\n")
    (tmp_path / "notes.txt").write_text("What we did to the runs\nand what we did not\n")
    found = check({"1": {"a": 1, "b": 0}}, sorted(tmp_path.iterdir()))
    assert found.faults == [
        f"{tmp_path / name}: is no run (text); leave it out, or name the folder, {tmp_path}"
        for name in ("README.md", "notes.txt")
    ]
    with pytest.warns(FilesWarning, match=r"README\.md \(text\), notes\.txt \(text\)"):
        assert check({"1": {"a": 1, "b": 0}}, tmp_path).passed

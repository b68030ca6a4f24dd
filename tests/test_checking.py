"""check(): what is wrong with files, before and after judging."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusing import said_of

from gradeval import FilesWarning, InputError, RanksWarning, check, evaluate, read_run
from gradeval.scores.mistakes import NAME_RANKS, OTHER_SET

LINES = """\
1 Q0 a 1 3 up
1 Q0 b 2 2 up
1 Q0 c 3 1 up
2 Q0 a 1 1 up
"""


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def contradictions(text: str) -> int:
    """How often the score rises from one rank to the next, line by line; lines of one rank by falling scores."""
    topics: dict[str, list[tuple[int, float]]] = {}
    for line in text.splitlines():
        topic, _, _, rank, score, _ = line.split()
        topics.setdefault(topic, []).append((int(rank), -float(score)))
    return sum(
        before[1] > after[1]
        for lines in topics.values()
        for before, after in zip(sorted(lines), sorted(lines)[1:], strict=False)
    )


RANKED = [
    (LINES, 0),
    (LINES.replace(" 1 3 ", " 0 3 "), 0),  # ranks from 0
    ("1 Q0 a 0 1 r\n1 Q0 b 1 2 r\n", 1),
    ("1 Q0 a 1 1 r\n1 Q0 b 2 2 r\n1 Q0 c 3 3 r\n", 2),  # scores ascend, as distances do
    ("1 Q0 a 3 3 r\n1 Q0 b 2 2 r\n1 Q0 c 1 1 r\n", 2),  # ranks descend
    ("1 Q0 a 1 4 r\n1 Q0 b 3 3 r\n1 Q0 c 2 2 r\n1 Q0 d 4 1 r\n", 1),  # exchanged inside
    ("1 Q0 c 3 1 r\n1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n", 0),  # lines in any order
    ("1 Q0 a 1 1 r\n1 Q0 b 2 1 r\n", 0),  # tied
    ("1 Q0 a 0 1 r\n1 Q0 b 0 2 r\n", 0),  # ranks that say nothing
    ("1 Q0 a - 1 r\n1 Q0 b - 2 r\n", 0),
    ("1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n1 Q0 b 2 2 r\n", 1),  # a topic in two places
    ("2 Q0 a 2 1 r\n1 Q0 a 1 2 r\n2 Q0 b 1 3 r\n1 Q0 b 2 5 r\n2 Q0 c 3 9 r\n", 2),
]


def rows(text: str) -> list[dict[str, Any]]:
    """The lines as records; ranks are numbers where all of them are."""
    words = [line.split() for line in text.splitlines()]
    read = int if all(rank.isdigit() for _, _, _, rank, _, _ in words) else str
    return [
        {"query_id": topic, "doc_id": document, "rank": read(rank), "score": float(score)}
        for topic, _, document, rank, score, _ in words
    ]


def delimited(text: str, delimiter: str, header: str = "") -> str:
    return header + text.replace(" ", delimiter)


FORMS: dict[str, Callable[[Path, str], Any]] = {
    "trec": lambda folder, text: write(folder, "run", text),
    "csv": lambda folder, text: write(folder, "run.csv", delimited(text, ",", "qid,Q0,docid,rank,score,tag\n")),
    "tsv": lambda folder, text: write(folder, "run.tsv", delimited(text, "\t", "qid\tQ0\tdocid\tRank\tscore\ttag\n")),
    "csv without header": lambda folder, text: write(folder, "run.csv", delimited(text, ",")),
    "jsonl": lambda folder, text: write(folder, "r.jsonl", "\n".join(json.dumps(row) for row in rows(text))),
    "json": lambda folder, text: write(folder, "r.json", json.dumps(rows(text))),
    "parquet": lambda folder, text: pq.write_table(pa.Table.from_pylist(rows(text)), folder / "p") or folder / "p",
    "arrow": lambda _, text: pa.Table.from_pylist(rows(text)),
    "pandas": lambda _, text: pd.DataFrame(rows(text)),
    "polars": lambda _, text: pl.DataFrame(rows(text)),
    "pandas, ranks as text": lambda _, text: pd.DataFrame(rows(text)).astype({"rank": str}),
    "pandas, ranks as categories": lambda _, text: (
        pd.DataFrame(rows(text))
        .astype({"rank": str})
        .astype("category")[["query_id", "doc_id", "rank"]]
        .assign(score=[row["score"] for row in rows(text)])
    ),
    "polars, ranks as text": lambda _, text: pl.DataFrame(rows(text)).cast({"rank": pl.String}),
    "parquet, ranks as text": lambda folder, text: (
        pd.DataFrame(rows(text)).astype({"rank": str}).to_parquet(folder / "p") or folder / "p"
    ),
    "jsonl, ranks as text": lambda folder, text: write(
        folder, "r.jsonl", "\n".join(json.dumps({**row, "rank": str(row["rank"])}) for row in rows(text))
    ),
    "records": lambda _, text: rows(text),
    "records of NumPy": lambda _, text: [
        {**row, "rank": np.int64(row["rank"]) if isinstance(row["rank"], int) else row["rank"]} for row in rows(text)
    ],
    "namedtuples": lambda _, text: list(pd.DataFrame(rows(text)).itertuples(index=False)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("text", "expected"), RANKED)
def test_ranks_that_contradict_scores_are_counted(tmp_path: Path, text: str, expected: int, form: str) -> None:
    assert "-" in text or contradictions(text) == expected
    run = FORMS[form](tmp_path, text)
    (file,) = check(None, run).files
    assert file.contradictions == expected
    topics = {line.split()[0] for line in text.splitlines()}
    upside_down = expected > 0.9 * (len(text.splitlines()) - len(topics))  # at which of the ranks but the first ones
    assert bool(file.faults) == upside_down
    remarked = [remark for remark in file.remarks if "ranks contradict scores" in remark]
    assert bool(remarked) == (expected > 0 and not upside_down)
    scores = evaluate({"1": {"a": 1}, "2": {"a": 1}}, FORMS[form](tmp_path, text), "AP")
    assert scores.coverage is not None
    assert scores.coverage.contradicting.sum() == expected


@pytest.mark.parametrize("ranks", [[1, None], [1.5, 2], ["first", "second"], [True, False], [False, True]])
def test_ranks_that_are_no_whole_numbers_say_nothing(ranks: list[Any], tmp_path: Path) -> None:
    frame = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "rank": ranks, "score": [1.0, 2.0]})
    frame.to_csv(tmp_path / "r.csv", index=False)
    frame.to_json(tmp_path / "r.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "r.parquet")
    runs = [frame, *(tmp_path / f"r.{ending}" for ending in ("csv", "jsonl", "parquet"))]
    runs.append(frame.to_dict("records"))
    assert [file.contradictions for file in check(None, runs).files] == [0] * len(runs)


@pytest.mark.parametrize("ranks", [[10**30, 1], [1, -(10**30)]])
def test_ranks_that_no_number_of_arrow_equals_are_refused_in_one_line(ranks: list[int]) -> None:
    frame = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "rank": ranks, "score": [1.0, 2.0]})
    assert "cannot be read as a table" in said_of(lambda: evaluate({"1": {"a": 1}}, frame, "AP"))
    records = [{**row, "rank": int(row["rank"])} for row in frame.to_dict("records")]
    assert evaluate({"1": {"a": 1}}, records, "AP").values.item() == 1 / 2


def test_evaluate_knows_of_runs_the_other_way_round(tmp_path: Path) -> None:
    upside = write(tmp_path, "up", "1 Q0 a 1 1 r\n1 Q0 b 2 2 r\n")
    scores = evaluate({"1": {"a": 1}}, [read_run(upside), upside.with_name("up")][:1], "AP")
    assert scores.coverage is not None
    assert scores.coverage.contradicting.tolist() == [[1]]
    by_rank = read_run(upside, columns={"query": 1, "doc": 3, "rank": 4})
    assert (scores.values.item(), evaluate({"1": {"a": 1}}, by_rank, "AP").values.item()) == (1 / 2, 1)


def test_the_rules_of_a_task_are_kept_or_said(tmp_path: Path) -> None:
    run = write(tmp_path, "run", LINES)
    fine = check(None, run, topics=["1", "2"], documents=["a", "b", "c"], depth=3)
    assert fine.passed
    assert repr(fine) == "Check(1 file, all are right)"
    strict = check(None, [run], topics=["1", "3"], documents={"a", "b"}, depth=2)
    (file,) = strict.files
    assert strict.faults == [
        f"{run}: 1 line with unknown documents (c)",
        f"{run}: topic 1 has 3 documents; allowed: 2",
        f"{run}: unknown topics 2",
    ]
    assert strict.remarks == [f"{run}: returns nothing for 3"]
    assert (file.lines, file.topics, file.most, file.unknown_documents) == (4, 2, 3, 1)
    assert file.unjudged is None
    records = strict.table().records
    assert list(records.fields["passed"]) == [False]
    with pytest.raises(InputError, match="depth=0 is not a whole number"):
        check(None, run, depth=0)


def test_wrong_files_are_named_and_the_others_reported(tmp_path: Path) -> None:
    good, again = write(tmp_path, "good", LINES), write(tmp_path, "same", LINES)
    broken = write(tmp_path, "broken", LINES + "2 Q0 a 2 0 up\n")
    found = check(None, [good, broken, again, tmp_path / "none"])
    assert [bool(file.faults) for file in found.files] == [False, True, False, True]
    assert "broken:5: document 'a' of topic 2 was already given in line 4" in found.faults[0]
    assert "no such file" in found.faults[1]
    assert found.shared_tags == [f"2 runs have the tag 'up': {good}, {again}"]
    assert found.verdict == "2 of 4 runs have faults"


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


def test_runs_that_the_judgments_do_not_know_are_wrong(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", "1 0 a 1\n1 0 x 0\n2 0 y 1\n")
    fine = check(qrels, write(tmp_path, "run", LINES), cutoff=1)
    assert fine.passed
    assert fine.files[1].judged_at == 1 / 2  # a of topic 1, of two first documents
    assert fine.files[1].unjudged == 3 / 4
    others = check(qrels, write(tmp_path, "other", LINES.replace(" a ", " z ")))
    assert others.faults == [f"{tmp_path}/other: none of its documents is judged; {OTHER_SET}"]
    padded = check(qrels, write(tmp_path, "padded", "01 Q0 a 1 1 r\n"))
    assert padded.faults == [f"{tmp_path}/padded: no topic in common with the judgments: 1 there, 01 here?"]


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
    upside = write(tmp_path, "upside", "q1 Q0 d1 1 1 r\nq1 Q0 d2 2 2 r\nq2 Q0 d1 1 1 r\n")
    assert check(qrels, [swapped, nothing, upside]).faults == [
        f"{swapped}: no topic in common with the judgments: q1 there, d1 here; 'd1' is a document of the judgments: "
        "are topic and document swapped in the run?",
        f"{nothing}: returns no document",
        f"{upside}: the score rises from rank to rank in 1 place of 1 topic (q1), so the last rank counts as the "
        "first: negate distances",
    ]
    with pytest.raises(InputError, match=r"no topic of the task \(q9\) is one of .*qrels \(q1, q2\)"):
        check(qrels, upside, topics=["q9"])


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("collection", "runs"),
    [("trec-covid-r5", ["fc3-qrel-hidden", "uogTrDPH_QE_RF_SB_B"]), ("trec-dl21-passage", ["uogTrPC"])],
)
def test_ranks_that_contradict_scores_are_remarked_as_evaluate_warns_of_them(
    data: Callable[[str], Path], collection: str, runs: list[str]
) -> None:
    """Official scores of these runs go by the scores, of which TREC knows that they decide."""
    folder = data(collection)
    found = check(folder / "qrels.txt", folder / "runs", depth=1000)
    assert found.passed
    contradictory = {Path(file.place).name: file for file in found.files if file.contradictions}
    assert sorted(contradictory) == runs
    for file in contradictory.values():
        assert file.contradictions == contradictions(Path(file.place).read_text())
        (remark,) = [remark for remark in file.remarks if "ranks contradict scores" in remark]
        assert remark.endswith("the scores decide, as in trec_eval")
        with pytest.warns(RanksWarning, match="ranks that contradict the scores .* the scores decide"):
            evaluate(folder / "qrels.txt", file.place, "P@10")


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


def test_scores_that_are_all_equal_in_a_topic_are_remarked(tmp_path: Path) -> None:
    some = "1 Q0 a 1 5 r\n1 Q0 b 2 5 r\n2 Q0 a 1 5 r\n2 Q0 b 2 5 r\n2 Q0 c 3 4 r\n2 Q0 d 4 4 r\n3 Q0 a 1 5 r\n"
    found = check(None, write(tmp_path, "run", some))
    assert found.passed
    assert found.remarks == [
        f"{tmp_path}/run: all scores are equal in 1 topic (1), so ids order documents; {NAME_RANKS}"
    ]
    assert found.files[0].all_tied == ["1"]


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


def test_listed_topics_name_the_column_of_others(tmp_path: Path) -> None:
    run = write(tmp_path, "run", LINES)
    judgments = {"1": {"a": 1}, "2": {"a": 1}}
    for topics, title in ((["1"], "unknown topics"), (None, "topics without judgments")):
        grid = check(judgments, run, topics=topics).table().grids[0]
        assert title in grid.head


def test_faults_are_a_list_in_json_and_a_text_elsewhere(tmp_path: Path) -> None:
    found = check(None, write(tmp_path, "run", LINES), topics=["1"], depth=2)
    found.save(tmp_path / "f.jsonl")
    found.save(tmp_path / "f.csv")
    said = json.loads((tmp_path / "f.jsonl").read_text())
    assert said["faults"] == found.faults
    assert len(found.faults) == 2
    assert said["remarks"] == []
    assert "; ".join(found.faults) in (tmp_path / "f.csv").read_text()


def test_too_long_rankings_are_counted(tmp_path: Path) -> None:
    run = write(tmp_path, "run", "1 Q0 a 1 5 r\n1 Q0 b 2 4 r\n" + LINES.replace("up", "r").replace("1 Q0", "3 Q0"))
    (fault,) = check(None, run, depth=1).faults
    assert fault == f"{run}: topic 3 has 3 documents; allowed: 1; 2 topics have more than that"


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

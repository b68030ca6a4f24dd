"""What is remarked of runs: ranks that contradict scores, ties, rankings that are too long."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checked_runs import LINES, rows, write
from refusing import said_of

from gradeval import InputError, RanksWarning, check, evaluate, read_run
from gradeval.scores.mistakes import NAME_RANKS, OTHER_SET


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
    ranks = len(text.splitlines()) - len(topics)  # but the first ones
    upside_down = expected >= 5 and expected > 0.9 * ranks  # five heads in a row are rarer than .05
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


def test_runs_that_the_judgments_do_not_know_are_wrong(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", "1 0 a 1\n1 0 x 0\n2 0 y 1\n")
    fine = check(qrels, write(tmp_path, "run", LINES), cutoff=1)
    assert fine.passed
    assert fine.files[1].judged_at == 1 / 2  # a of topic 1, of two first documents
    assert fine.files[1].unjudged == 3 / 4
    others = check(qrels, write(tmp_path, "other", LINES.replace(" a ", " z ")))
    assert others.faults == [
        f"{tmp_path}/other: none of its documents is judged: 'a' there, 'z' here (topic 1); {OTHER_SET}"
    ]
    padded = check(qrels, write(tmp_path, "padded", "01 Q0 a 1 1 r\n"))
    (said,) = padded.faults
    assert said.startswith(f"{tmp_path}/padded: no topic in common with the judgments: 1 there, 01 here; topic '01' of")
    assert "the judgments lost zeros" in said


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


def test_scores_that_are_all_equal_in_a_topic_are_remarked(tmp_path: Path) -> None:
    some = "1 Q0 a 1 5 r\n1 Q0 b 2 5 r\n2 Q0 a 1 5 r\n2 Q0 b 2 5 r\n2 Q0 c 3 4 r\n2 Q0 d 4 4 r\n3 Q0 a 1 5 r\n"
    found = check(None, write(tmp_path, "run", some))
    assert found.passed
    assert found.remarks == [
        f"{tmp_path}/run: all scores are equal in 1 topic (1), so ids order documents; {NAME_RANKS}"
    ]
    assert found.files[0].all_tied == ["1"]


def test_too_long_rankings_are_counted(tmp_path: Path) -> None:
    run = write(tmp_path, "run", "1 Q0 a 1 5 r\n1 Q0 b 2 4 r\n" + LINES.replace("up", "r").replace("1 Q0", "3 Q0"))
    (fault,) = check(None, run, depth=1).faults
    assert fault == f"{run}: topic 3 has 3 documents; allowed: 1; 2 topics have more than that"


def test_documents_whose_zeros_the_judgments_lost_are_remarked(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", "".join(f"{topic} 0 {n} 1\n{topic} 0 x{n} 0\n" for topic in "12" for n in (7, 8)))
    lines = [f"{topic} Q0 {one} 1 {9 - at} r\n" for topic in "12" for at, one in enumerate(("x7", "x8", "007", "008"))]
    found = check(qrels, write(tmp_path, "run", "".join(lines)))
    assert found.passed
    (remark,) = [one for one in found.remarks if "are they the same?" in one]
    assert "run: document '007' of the run is not in the judgments, '7' is" in remark
    assert "(topic 1; 3 more documents in 2 topics) If so, the judgments lost zeros" in remark

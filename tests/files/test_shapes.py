"""What a file looks like by its first bytes."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from gradeval.files.named_columns import Columns
from gradeval.files.shapes import EITHER, JUDGMENTS, RUN, UNKNOWN, FileShape, shape_of

GRADED = [(f"t{t}", f"d{d}", (t * d) % 3) for t in range(1, 4) for d in range(1, 9)]
RANKED = [(f"t{t}", f"d{d}", rank, 10.5 - rank) for t in range(1, 4) for rank, d in enumerate(range(3, 11), 1)]
TREC_RUN = "".join(f"{topic} Q0 {doc} {rank} {score} x\n" for topic, doc, rank, score in RANKED)
TREC_QRELS = "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in GRADED)


def table(names: str, rows: list[tuple[object, ...]], separator: str = ",") -> str:
    """A table with a header, if there are names."""
    head = [separator.join(names.split())] if names else []
    return "\n".join([*head, *(separator.join(map(str, row)) for row in rows)]) + "\n"


def mapping(rows: list[tuple[str, str, float]]) -> str:
    """JSON {topic: {document: number}}."""
    topics = dict.fromkeys(topic for topic, *_ in rows)
    return json.dumps({topic: {doc: value for of, doc, value in rows if of == topic} for topic in topics})


SCORED = [(topic, doc, score) for topic, doc, _, score in RANKED]
BY_RANK = [(topic, doc, rank) for topic, doc, rank, _ in RANKED]
SHAPES = {
    "trec.txt": (TREC_QRELS, JUDGMENTS),
    "trec.run": (TREC_RUN, RUN),
    "names.csv": (table("query_id doc_id relevance", GRADED), JUDGMENTS),
    "names.tsv": (table("qid docno label", GRADED, "\t"), JUDGMENTS),
    "rank.csv": (table("query_id doc_id rank", BY_RANK), RUN),
    "scores.csv": (table("query_id doc_id score", SCORED), RUN),
    "beir.tsv": (table("query-id corpus-id score", GRADED, "\t"), EITHER),
    "both.csv": (table("query doc score label", [(*row, 1) for row in SCORED]), EITHER),
    "records.jsonl": ("".join(json.dumps({"qid": q, "docid": d, "grade": g}) + "\n" for q, d, g in GRADED), JUDGMENTS),
    "records.json": (json.dumps([{"qid": q, "docid": d, "rank": r} for q, d, r in BY_RANK]), RUN),
    "hits.jsonl": ('{"question": "q", "retrieved": ["a", "b"]}\n', EITHER),
    "bare.tsv": (table("", GRADED, "\t"), JUDGMENTS._replace(sure=False)),
    "bare-scores.csv": (table("", SCORED), RUN._replace(sure=False)),
    "bare-ranks.tsv": (table("", BY_RANK, "\t"), RUN._replace(sure=False)),
    "mapping.json": (mapping(GRADED), JUDGMENTS._replace(sure=False)),
    "mapping-scores.json": (mapping(SCORED), RUN._replace(sure=False)),
    "half-grades.json": (mapping([(t, d, g / 2) for t, d, g in GRADED]), EITHER),
    "pairs.csv": (table("user item", [row[:2] for row in GRADED]), UNKNOWN),
    "pairs-alone.tsv": ("user\titem\n", FileShape(other="text")),
    "titled.csv": (table("user item title", [(*row[:2], "x") for row in GRADED]), UNKNOWN),
    "own-names.csv": (table("frage dokument punkte", SCORED), UNKNOWN),
    "cut.run": (TREC_RUN[:151], RUN),
    "no-tag.run": (TREC_RUN.replace(" x\n", "\n"), UNKNOWN),
    "no-number.run": (TREC_RUN.replace(" 9.5 ", " x "), UNKNOWN),
    "one-word.run": ("t1 Q0 d\n", UNKNOWN),
    "empty.run": ("", UNKNOWN),
    "blank.run": ("\n \n", UNKNOWN),
    "features.txt": ("2 qid:1 1:0.5 2:1\n", UNKNOWN),
    "README.md": ("# Runs\n\nBM25 and friends, as in the paper.\n", FileShape(other="text")),
    "readme": ("# Runs of the year\n", FileShape(other="text")),
    "runs.md": ("# Runs\n\n## BM25\n", FileShape(other="text")),
    "comments.txt": ("# topic Q0 document rank score tag\n", UNKNOWN),
    "notes.txt": ("- bm25: k1=0.9\n- rm3: better\n", FileShape(other="text")),
    "run.sh": ("#!/bin/bash\npython search.py --k 10 > bm25.run\n", FileShape(other="text")),
    "a.log": ("2024-01-01 10:00:00 INFO start\n2024-01-01 10:00:09 INFO end of it\n", FileShape(other="text")),
    "page.html": ("<html><body>404</body></html>\n", FileShape(other="text")),
    "topics.tsv": ("301\tinternational crime\n302\tpolio\n", FileShape(other="text")),
    "means.csv": ("run,ndcg\nbm25,0.3\n", FileShape(other="text")),
    "config.json": ('{"model": "bm25", "k1": 0.9, "b": 0.4}\n', FileShape(other="JSON without topics")),
    "card.json": ('{\n  "format": "gradeval ranker",\n  "curve": {"a": 1}\n}\n', FileShape(other="a trained ranker")),
    "corpus.jsonl": ('{"_id": "a", "text": "b"}\n{"_id": "c", "text": "d"}\n', FileShape(other="JSON without topics")),
    "a.run.tmp": (TREC_RUN[:100], FileShape(other="unfinished or a copy")),
    "a.run~": (TREC_RUN, FileShape(other="unfinished or a copy")),
    "a.pdf": ("%PDF-1.4\n", FileShape(other="binary data")),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("form", ["plain", "gzip", "utf-16"])
def test_a_file_looks_like_what_it_is(name: str, form: str, tmp_path: Path) -> None:
    text, shape = SHAPES[name]
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if form == "gzip" else text.encode(form.replace("plain", "utf-8")))
    assert shape_of(str(path)) == shape


def test_archives_are_no_runs_and_workbooks_may_be(tmp_path: Path) -> None:
    for name, member, shape in (
        ("a.zip", "r.txt", FileShape(other="an archive")),
        ("a.xlsx", "[Content_Types].xml", UNKNOWN),
    ):
        with io.BytesIO() as data:
            with zipfile.ZipFile(data, "w") as archive:
                archive.writestr(member, TREC_RUN)
            (tmp_path / name).write_bytes(data.getvalue())
        assert shape_of(str(tmp_path / name)) == shape


def test_columns_of_parquet_tell(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "a"
    for value, shape in (("relevance", JUDGMENTS), ("rank", RUN), ("score", EITHER), ("grad", UNKNOWN)):
        pd.DataFrame([*GRADED], columns=["query_id", "doc_id", value]).to_parquet(path)
        assert shape_of(str(path)) == shape


def test_names_that_the_user_gives_are_of_judgments_and_of_runs(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(SHAPES["own-names.csv"][0])
    assert shape_of(str(tmp_path / "a.csv"), Columns(score="punkte")) == EITHER


def test_nothing_is_read_from_what_can_be_read_but_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path, tmp_path / "none"):
        assert shape_of(str(place)) == UNKNOWN

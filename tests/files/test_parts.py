"""Folders of parts give what the whole file gives, in each format and order, or are refused in a line."""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusing import said_of

from gradeval import FilesWarning, check, evaluate, read_qrels, read_run, read_runs

TOPICS = ["7", "07", "q 1", "é"]


def draw_rows(seed: int, value: str) -> pd.DataFrame:
    """All pairs of some topics and documents, in any order: grades or scores."""
    random = np.random.default_rng(seed)
    pairs = [(topic.replace(" ", "_"), f"d{number}") for topic in TOPICS for number in range(12)]
    values = random.integers(0, 4, len(pairs)) if value == "relevance" else random.integers(0, 9, len(pairs)) / 4
    frame = pd.DataFrame(pairs, columns=["query_id", "doc_id"]).assign(**{value: values})
    return frame.iloc[random.permutation(len(pairs))]


def as_trec(frame: pd.DataFrame, place: Path) -> None:
    end = "{2}" if "relevance" in frame else "1 {2} tag"
    rows = (f"{{0}} 0 {{1}} {end}\n".format(*row) for row in frame.itertuples(index=False))
    place.write_text("".join(rows), encoding="utf-8")


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, place: frame.to_csv(place, index=False),
    "tsv": lambda frame, place: frame.to_csv(place, index=False, sep="\t"),
    "txt": as_trec,
    "jsonl": lambda frame, place: frame.to_json(place, orient="records", lines=True),
    "parquet": lambda frame, place: frame.to_parquet(place, index=False),
    "feather": lambda frame, place: frame.reset_index(drop=True).to_feather(place),
}
LAYOUTS = {"straddling": [0, 20, 21, 48], "one part": [0, 48], "one line at a time": list(range(49))}


def write_parts(frame: pd.DataFrame, folder: Path, ending: str, cuts: list[int], *, packed: bool = False) -> Path:
    folder.mkdir()
    for number, (first, last) in enumerate(pairwise(cuts)):
        place = folder / f"part-{number}.{ending}"
        WRITERS[ending](frame.iloc[first:last], place)
        if packed:
            place.with_name(f"{place.name}.gz").write_bytes(gzip.compress(place.read_bytes()))
            place.unlink()
    return folder


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("cuts", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("ending", WRITERS)
def test_parts_are_the_whole(ending: str, cuts: list[int], packed: bool, here: Path) -> None:
    judged, ranked = draw_rows(1, "relevance"), draw_rows(2, "score")
    WRITERS[ending](judged, here / "qrels")
    WRITERS[ending](ranked, here / "run")
    qrels = write_parts(judged, here / "qrels.parts", ending, cuts, packed=packed)
    run = write_parts(ranked, here / "run.parts", ending, cuts, packed=packed)
    (run / "_SUCCESS").touch()
    (run / f".part-0.{ending}.crc").write_bytes(b"crc\0")
    for ties in ("docid", "order"):
        whole = evaluate(here / "qrels", here / "run", "AP nDCG@3 Q", ties=ties)
        parts = evaluate(qrels, run, "AP nDCG@3 Q", ties=ties)
        assert parts.runs == (["tag"] if ending == "txt" else ["run.parts"])
        assert parts.topics == whole.topics
        assert parts.values.tolist() == whole.values.tolist()
    assert read_qrels(qrels).to_dict() == read_qrels(here / "qrels").to_dict()
    assert read_run(run).to_dict() == read_run(here / "run").to_dict()
    assert read_run(run).read_as.startswith(f"one run in {len(cuts) - 1} part")
    assert check(qrels, run).files[1].lines == len(ranked)


def test_numbers_in_names_order_parts_as_they_count(here: Path) -> None:
    frame = draw_rows(3, "score").assign(score=1.0)
    whole = here / "run.csv"
    frame.to_csv(whole, index=False)
    (here / "dask").mkdir()
    for number in range(48):
        frame.iloc[number : number + 1].to_csv(here / "dask" / f"part.{number}.csv", index=False)
    qrels = {topic.replace(" ", "_"): {"d3": 2, "d7": 1} for topic in TOPICS}
    parts, alone = (evaluate(qrels, place, "AP", ties="order") for place in (here / "dask", whole))
    assert parts.values.tolist() == alone.values.tolist()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "feather"])
@pytest.mark.parametrize("value", ["score", "relevance"])
def test_folders_hold_a_column(ending: str, value: str, here: Path) -> None:
    """The topic, the value, and the run, each as folders of Hive say it; a key that names no column says nothing."""
    frame = draw_rows(4, value)
    frame.to_csv(here / "whole.csv", index=False)
    read = read_run if value == "score" else read_qrels
    expected = {
        topic: dict(sorted(documents.items())) for topic, documents in read(here / "whole.csv").to_dict().items()
    }
    for key in ("query_id", value):
        for of_key, rows in frame.groupby(key):
            folder = here / f"by_{key}" / f"{key.upper()}={of_key}" / "year=2024"
            folder.mkdir(parents=True)
            WRITERS[ending](rows.drop(columns=key), folder / f"data_0.{ending}")
        got = read(here / f"by_{key}").to_dict()
        assert {topic: dict(sorted(documents.items())) for topic, documents in got.items()} == expected


@pytest.mark.parametrize("ending", WRITERS)
def test_folders_of_runs_are_runs(ending: str, here: Path) -> None:
    frames = {"bm25": draw_rows(5, "score"), "dense:e5": draw_rows(6, "score")}
    for name, frame in frames.items():
        WRITERS[ending](frame, here / name)
        (here / "runs").mkdir(exist_ok=True)
        write_parts(frame, here / "runs" / f"system={name.replace(':', '%3A')}", ending, [0, 17, 48])
    qrels = here / "qrels.csv"
    draw_rows(7, "relevance").to_csv(qrels, index=False)
    together = evaluate(qrels, here / "runs", "AP")
    assert together.runs == list(frames)
    assert together.values.tolist() == evaluate(qrels, {name: here / name for name in frames}, "AP").values.tolist()
    assert "holds 2 runs (bm25, dense:e5)" in said_of(lambda: read_run(here / "runs"))


@pytest.mark.parametrize("ending", WRITERS)
def test_a_pair_in_two_parts_is_refused(ending: str, here: Path) -> None:
    for value, read in (("score", read_run), ("relevance", read_qrels)):
        frame = draw_rows(8, value)
        twice = pd.concat([frame, frame.iloc[5:6].assign(**{value: 9})])
        folder = write_parts(twice, here / value, ending, [0, 10, 30, 49])
        topic, document = frame.iloc[5][["query_id", "doc_id"]]
        said = said_of(lambda folder=folder, read=read: read(folder))
        assert said.startswith(
            f"{folder}: document {document!r} of topic {topic!r} is in {folder / f'part-0.{ending}'} and in "
            f"{folder / f'part-2.{ending}'}, "
        )
        if value == "relevance":
            assert "with another grade; a topic judges a document once" in said
            assert len(read_qrels(folder, repeated="first")) == 48
        else:
            assert f"if each of its files is a run, name them: '{folder}/*'; if they are folds, " in said
            assert len(read_runs(f"{folder}/*", folder="one").runs) == 3
            assert len(read_run(folder, repeated="first")) == 48


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            ["query_id,doc_id,score\nq,a,1\n", "qid,docid,rank\nq,b,1\n"],
            "part-1: has the columns qid, docid, rank, where",
        ),
        (["query_id,doc_id,score\nq,a,1\n", "q Q0 b 1 2.5 t\n"], "part-1: reads as trec, where"),
        (["q Q0 b 1 2.5 t\n", "q Q0 c 1 x t\n"], "part-1:1: score 'x' is not a number"),
        (["q Q0 b 1 2.5 t\n", "q Q0 c 1 1 u\n"], "part-1: the tag 'u' is another than 't' in"),
        (["query_id,doc_id,score\nq,a,1\n", "query_id,doc_id,score\nq,b,x\n"], "part-1:2: score 'x'"),
        (["", " \n"], "all 2 parts are empty"),
        (["query_id,doc_id,score\n", "query_id,doc_id,score\n"], "holds headers and no lines"),
        ([], "the folder holds no parts that are read"),
    ],
)
def test_wrong_parts_are_refused_by_their_names(parts: list[str], said: str, here: Path) -> None:
    folder = here / "run"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    for number, text in enumerate(parts):
        (folder / f"part-{number}").write_text(text)
    assert said in said_of(lambda: evaluate({"q": {"a": 1}}, folder, "AP"))


def test_empty_parts_and_files_that_were_split_are_read(here: Path) -> None:
    folder = here / "run"
    folder.mkdir()
    texts = ["", "query_id,doc_id,score\n", "score,query_id,doc_id\n2,q,a\n", "1,q,b\n3,r,a\n"]
    for number, text in enumerate(texts[:2] + texts[1:2]):
        (folder / f"part-{number}").write_text(text)
    (folder / "part-3").write_text("query_id,doc_id,score\nq,a,2\n")
    (folder / "part-4").write_text("q,b,1\nr,a,3\n")
    assert read_run(folder).to_dict() == {"q": {"a": 2, "b": 1}, "r": {"a": 3}}


@pytest.mark.parametrize(
    ("first", "second"),
    [("q\ta\t1\nq\tb\t2\n", "q\tc\t3\nr\ta\t1\n"), ("q\ta\t2.5\nr\tb\t1.5\n", "q\tc\t1\nr\ta\t1\n")],
)
def test_ranks_and_scores_without_a_header_are_told_by_all_parts(first: str, second: str, here: Path) -> None:
    (here / "run").mkdir()
    (here / "run" / "part-0").write_text(first)
    (here / "run" / "part-1").write_text(second)
    (here / "whole").write_text(first + second)
    assert read_run(here / "run").to_dict() == read_run(here / "whole").to_dict()


def test_links_in_folders_of_parts_lead_to_nothing_outside(here: Path) -> None:
    folder = write_parts(draw_rows(9, "score"), here / "run", "csv", [0, 30, 48])
    expected = read_run(folder).to_dict()
    (here / "secret").write_text("root:*:20228:0\n")
    (folder / "part-8").symlink_to(here / "secret")
    (folder / "up=1").symlink_to(here)
    (folder / "loop=1").symlink_to(folder)
    with pytest.warns(FilesWarning, match=r"left out of the folder: 3 \(loop=1, part-8, up=1\)"):
        assert read_run(folder).to_dict() == expected


def test_other_folders_are_one_where_the_user_says_so(here: Path) -> None:
    for value, read in (("score", read_run), ("relevance", read_qrels)):
        frame = draw_rows(10, value)
        folder = here / value
        folder.mkdir()
        for number in range(3):
            frame.iloc[number::3].to_csv(folder / f"{'abc'[number]}.csv", index=False)
        assert "give folder='one'" in said_of(lambda folder=folder, read=read: read(folder))
        assert len(read(folder, folder="one")) == len(frame)
    assert evaluate(here / "relevance", here / "score", "AP", folder="one").runs == ["score"]
    whole = evaluate(draw_rows(10, "relevance"), draw_rows(10, "score"), "AP")
    assert evaluate(here / "relevance", here / "score", "AP", folder="one").mean().tolist() == whole.mean().tolist()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"query_id": "q", "retrieved": ["a", "b"]}, {"query_id": "q", "retrieved": ["c"]}),
        ({"query_id": "q", "hits": [{"id": "a", "score": 2.0}]}, {"query_id": "q", "hits": [{"id": "c", "score": 1}]}),
        ({"q": ["a", "b"]}, {"q": ["c"]}),
        ({"bm25": {"q": ["a", "b"]}}, {"bm25": {"q": ["c"]}}),
    ],
)
def test_lists_of_one_query_in_two_parts_are_refused(first: Any, second: Any, here: Path) -> None:
    folder = here / "parts"
    folder.mkdir()
    (folder / "part-0.json").write_text(json.dumps(first))
    (folder / "part-1.json").write_text(json.dumps(second))
    assert "part-1.json: query 'q' was already given in" in said_of(lambda: read_run(folder))
    (folder / "part-1.json").write_text(json.dumps(second).replace('"q"', '"p"'))
    assert sorted(read_run(folder).topics) == ["p", "q"]


def test_folders_of_folds_are_led_to_the_recipe_and_no_option_is_taken_back(here: Path) -> None:
    tests, lists = here / "tests", here / "lists"
    for folder, name, numbers in ((tests, "rating", [1, 1]), (lists, "score", [2, 3])):
        folder.mkdir()
        for fold, (item, number) in enumerate(zip("ab", numbers, strict=True)):
            rows = f"u,{item},{number}\nu,c,{1 if name == 'score' else 0}\n"
            (folder / f"{name}{fold}.csv").write_text(f"user,item,{name}\n{rows}")
    folds = "if they are folds, score each with its judgments and take the mean by topic: docs/ratings.md, Folds"
    said = said_of(lambda: evaluate(tests, lists, "RR"))
    assert f"{folds}; if all are parts of one, give folder='one'" in said
    said = said_of(lambda: evaluate(tests, lists, "RR", folder="one"))
    assert folds in said
    assert "several" not in said
    named = said.partition("name them: ")[2].partition(";")[0]
    assert evaluate(tests, shlex.split(named)[0], "RR", folder="one").runs == ["score0", "score1"]

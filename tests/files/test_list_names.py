"""One list of relevant, or retrieved, documents is known by its name among other columns, whatever parts its ids."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from refusing import said_of

from gradeval import evaluate, judge, qrels_from_frame, read_qrels, read_run, run_from_frame

GOLD = {"q1": ["c1", "c9"], "q2": ["c2"], "q3": ["c5", "c3"]}
QUESTIONS = ["How do I reset it?", "What is it, in short?", "Who pays?"]
WAYS: dict[str, Callable[[list[str]], str]] = {
    "semicolons": ";".join,
    "commas": ", ".join,
    "pipes": "|".join,
    "blanks": " ".join,
    "Python": str,
    "JSON": json.dumps,
}


def gold_table(way: Callable[[list[str]], str], name: str = "gold_chunk_ids") -> pd.DataFrame:
    columns = {"question_id": [*GOLD], "question": QUESTIONS, "question_type": ["how", "fact", "fact"]}
    return pd.DataFrame({**columns, name: [way(ids) for ids in GOLD.values()]})


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("name", ["gold_chunk_ids", "relevant_docs", "expectedChunkIDs", "Ground truth ids"])
@pytest.mark.parametrize("sep", [",", "\t"])
def test_lists_of_relevant_documents_are_read_among_other_columns(
    name: str, sep: str, way: Callable[[list[str]], str], tmp_path: Path
) -> None:
    gold_table(way, name).to_csv(tmp_path / "gold.csv", index=False, sep=sep)
    for place in (tmp_path / "gold.csv", f"lists:{tmp_path / 'gold.csv'}"):
        qrels = read_qrels(place)
        assert qrels.to_dict() == {topic: dict.fromkeys(ids, 1) for topic, ids in GOLD.items()}
        assert qrels.read_as.endswith(f"(question_id, {name}); question, question_type do not count")
    by_text = read_qrels(tmp_path / "gold.csv", columns={"query": "question"})
    assert {*by_text.topics} == {*QUESTIONS}


def test_relevant_and_retrieved_lists_of_one_table_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    path.write_text("question_id,question,gold_ids,retrieved_ids\nq1,x,a;b,c;a\nq2,y,d,d;e\n")
    assert read_qrels(path).to_dict() == {"q1": {"a": 1, "b": 1}, "q2": {"d": 1}}
    assert {topic: [*read_run(path).of(topic)] for topic in ("q1", "q2")} == {"q1": ["c", "a"], "q2": ["d", "e"]}


RAGAS = pd.DataFrame(
    {
        "user_input": [*GOLD],
        "retrieved_contexts": [["Press the knob.", "Turn it."], ["It is small."], ["You pay.", "We do."]],
        "retrieved_context_ids": [["c9", "c4"], ["c2"], ["c7", "c3"]],
        "reference_contexts": [["Turn it.", "Hold it."], ["It is small."], ["All pay.", "We do."]],
        "reference_context_ids": [*GOLD.values()],
    }
)


def test_ids_are_read_from_csv_where_their_texts_stand_beside(tmp_path: Path) -> None:
    RAGAS.to_csv(tmp_path / "ragas.csv", index=False)
    RAGAS.to_json(tmp_path / "ragas.json", orient="records")
    for name in ("ragas.csv", "ragas.json"):
        qrels, run = read_qrels(tmp_path / name), read_run(tmp_path / name)
        assert qrels.to_dict() == {topic: dict.fromkeys(ids, 1) for topic, ids in GOLD.items()}
        assert [[*found] for found in run.to_dict().values()] == [*RAGAS["retrieved_context_ids"]]


@pytest.mark.parametrize("parsed", [["retrieved_contexts", "reference_contexts"], ["reference_context_ids"], []])
def test_advice_on_lists_as_text_makes_lists_of_ids_first(parsed: list[str]) -> None:
    texts = RAGAS.drop(columns="user_input").map(str)
    df = pd.concat([RAGAS["user_input"], RAGAS[parsed], texts.drop(columns=parsed)], axis=1)
    for _ in range(2 - ("reference_context_ids" in parsed)):
        said = said_of(lambda: evaluate(df, df, "R@5"))
        [(name, typed)] = re.findall(r"write df\['(\w+)'\] = (df.*?\)), after import ast$", said)
        df[name] = eval(typed, {"df": df, "ast": ast})
    assert evaluate(df, df, "R@5").mean().item() == pytest.approx(2 / 3)  # (1/2 + 1 + 1/2) / 3


def test_advice_on_other_lists_names_ids_before_texts() -> None:
    called = {"retrieved_contexts": "predicted_texts", "retrieved_context_ids": "predicted_ids"}
    frame = RAGAS.rename(columns=called)
    code = said_of(lambda: run_from_frame(frame)).split("name the column of each run: ")[1].split(";")[0]
    run = eval(code, {"run_from_frame": run_from_frame, "frame": frame})
    assert [[*found] for found in run.to_dict().values()] == [*frame["predicted_ids"]]


def test_a_named_column_of_lists_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    gold_table(";".join, "sources").to_csv(tmp_path / "gold.csv", index=False)
    qrels = read_qrels(tmp_path / "gold.csv", columns={"doc": "sources"})
    assert qrels.to_dict() == {topic: dict.fromkeys(ids, 1) for topic, ids in GOLD.items()}
    assert "doc=question" not in said_of(lambda: read_qrels(tmp_path / "gold.csv"))


def test_a_relevant_document_a_line_is_read_where_queries_repeat(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("question_id,question,gold_chunk_id\nq1,x,c1\nq1,x,c9\nq2,y,c2\n")
    assert read_qrels(path).to_dict() == {"q1": {"c1": 1, "c9": 1}, "q2": {"c2": 1}}
    path.write_text("question_id,question,gold_chunk_ids\nq1,x,c1\nq1,x,c2;c3\n")
    assert "c2;c3" not in said_of(lambda: read_qrels(path)).rpartition("write")[2]


@pytest.mark.parametrize(
    "table",
    [
        "question_id,question,irrelevant_ids\nq1,x,a;b\n",
        "question_id,question,gold_context\nq1,x,It is this and not that\n",
        "question_id,gold_ids,doc_id\nq1,a;b,c\n",
        "question_id,gold_ids,grade\nq1,a;b,2\n",
        "question_id,gold_chunk_ids,gold_doc_ids\nq1,a;b,c\n",
    ],
)
def test_other_columns_are_no_lists_of_relevant_documents(table: str, tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text(table)
    said_of(lambda: read_qrels(tmp_path / "gold.csv"))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("form", ["frame", "records", "jsonl", "parquet"])
def test_lists_as_text_in_frames_and_records_are_told_how_to_be_lists(
    form: str, way: Callable[[list[str]], str], tmp_path: Path
) -> None:
    df, path = gold_table(way), tmp_path / "x"
    if form == "frame":
        said = said_of(lambda: qrels_from_frame(df))
        [typed] = re.findall(r"write df\['gold_chunk_ids'\] = (df.*?\))(?:, after import ast)?$", said)
        df["gold_chunk_ids"] = eval(typed, {"df": df, "ast": ast})
        assert qrels_from_frame(df).to_dict() == {topic: dict.fromkeys(ids, 1) for topic, ids in GOLD.items()}
        return
    if form == "records":
        said = said_of(lambda: judge(df.to_dict("records"), {"q1": ["c1"]}))
    else:
        df.to_json(path, orient="records", lines=True) if form == "jsonl" else df.to_parquet(path)
        said = said_of(lambda: read_qrels(path))
    assert "'gold_chunk_ids' holds lists of documents as text" in said
    assert said.endswith('write each as a list, as ["d1", "d2"]')


TEXTS = {"q1": "Paris is the capital of France, and a large town.", "q2": "Berlin is the capital of Germany."}


@pytest.mark.parametrize("others", [{}, {"answer": ["Paris", "Berlin"]}])
def test_texts_of_documents_are_no_ids_and_the_advice_works(others: dict[str, list[str]], tmp_path: Path) -> None:
    frame = pd.DataFrame({"question_id": [*TEXTS], "gold_context": [*TEXTS.values()], **others})
    place = tmp_path / "gold.csv"
    frame.to_csv(place, index=False)
    said = said_of(lambda: read_qrels(place))
    assert "'gold_context' holds texts, and documents are told by their ids; write these; if the run has" in said
    assert "call the column doc_id, and add a column relevance of numbers" in said
    frame.rename(columns={"gold_context": "doc_id"}).assign(relevance=1).to_csv(place, index=False)
    assert read_qrels(place).to_dict() == {query: {text: 1} for query, text in TEXTS.items()}


def test_texts_of_a_frame_are_told_alike() -> None:
    frame = pd.DataFrame({"question_id": [*TEXTS], "gold_context": [*TEXTS.values()], "answer": ["Paris", "Berlin"]})
    code = said_of(lambda: qrels_from_frame(frame)).split("the very same texts, ")[1]
    judged = eval(code, {"qrels_from_frame": qrels_from_frame, "frame": frame})
    assert judged.to_dict() == {query: {text: 1} for query, text in TEXTS.items()}

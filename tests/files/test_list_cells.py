"""Cells of ids between blanks are judgments and runs."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from refusing import said_of

from gradeval import InputError, evaluate, judge, qrels_from_frame, read_qrels, read_run
from gradeval.warning_categories import FilesWarning

RELEVANT = {"q1": ["a", "b"], "q2": ["3"]}


FOUND = {"q1": ["x", "a", "b"], "q2": ["3", "4"]}


EXPECTED = [((1 / 2 + 2 / 3) / 2 + 1) / 2, (1 / 2 + 1) / 2]  # AP, RR


def cells(lists: dict[str, list[str]], sign: str) -> str:
    return f"id{sign}labels\n" + "".join(f"{query}{sign}{' '.join(ids)}\n" for query, ids in lists.items())


@pytest.mark.parametrize(("sign", "ending"), [(",", "csv"), ("\t", "tsv"), (";", "csv")])
def test_cells_of_ids_are_judgments_and_ranks(tmp_path: Path, sign: str, ending: str) -> None:
    solution, submission = tmp_path / f"solution.{ending}", tmp_path / f"submission.{ending}"
    solution.write_text(cells(RELEVANT, sign))
    submission.write_text(cells(FOUND, sign))
    assert read_qrels(solution).to_dict() == {"q1": {"a": 1, "b": 1}, "q2": {"3": 1}}
    assert read_qrels(solution).read_as == "lists of ids between blanks (id, labels)"
    assert read_run(submission).name == "submission"
    assert evaluate(solution, submission, "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_the_mean_of_kaggle_divides_by_what_can_be_found_down_to_the_cutoff(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text("id,labels\n1,a b c\n")
    (tmp_path / "submission.csv").write_text("id,prediction\n1,a x\n")
    scores = evaluate(tmp_path / "solution.csv", tmp_path / "submission.csv", "AP(norm='min')@2")
    assert scores.mean().item() == 1 / 2


WRITTEN = {
    "python": '"[\'d 1\', \'d2\', ""d\'3""]"',
    "numpy": '"[\'d 1\' \'d2\'\n ""d\'3""]"',
    "json": '"[""d 1"", ""d2"", ""d\'3""]"',
}
SIGNED = {
    "comma": '"d1,d2,d3"',
    "comma and blank": '"d1, d2, d3"',
    "bar": "d1|d2|d3",
    "semicolon": '"d1;d2;d3"',
    "numbers": '"[1, 2, 3]"',
    "blanks": "d1 d2 d3",
    "commas within ids": '"d,1 d2 d3"',
}


@pytest.mark.parametrize("name", [*WRITTEN, *SIGNED])
@pytest.mark.parametrize("kind", ["", "lists:"])
def test_lists_in_cells_keep_their_order_however_they_are_written(tmp_path: Path, name: str, kind: str) -> None:
    if name in ("bar", "comma", "semicolon", "numpy") and not kind:
        return  # may be one id, or holds a line break: lists: says that it is a list
    path = tmp_path / "run.csv"
    cell = {**WRITTEN, **SIGNED}[name]
    path.write_text(f"user,items\nu1,{cell}\nu2,{cell}\n")
    wanted = {"numbers": ["1", "2", "3"], "commas within ids": ["d,1", "d2", "d3"]}.get(
        name, ["d 1", "d2", "d'3"] if name in WRITTEN else ["d1", "d2", "d3"]
    )
    ranked = read_run(f"{kind}{path}").to_dict()["u1"]
    assert sorted(ranked, key=lambda document: -ranked[document]) == wanted


@pytest.mark.parametrize("cell", ["['d\\\\1', 'd2']", "['d1' 'd2' ... 'd9']", "[np.str_('d1')]"])
def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f'user,items\nu1,"{cell}"\n')
    with pytest.raises(InputError, match="is no id of a list; write ids between blanks"):
        read_run(path)


def test_an_empty_cell_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text("id,labels\nq1,\nq2,3 4\n")
    scores = evaluate({"q1": {"a": 1}, "q2": {"3": 1}}, tmp_path / "submission.csv", "RR", missing="zero")
    assert scores.values.ravel().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,labels\n1,a b a\n", "run.csv:2: document 'a' is listed twice"),
        ("id,labels\n1,a b\n1,c d\n", "run.csv:3: query '1' was already given"),
        ("id,labels\n1,a b\n2,c,d e\n3,a b\n", "run.csv:3: found 3 columns"),
        ("id,labels\n1,a b\n,c d\n", "run.csv:3: the query is empty"),
    ],
)
def test_mistakes_in_cells_are_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(text)
    assert said in said_of(lambda: read_run(path, format="lists"))


@pytest.mark.parametrize("signs", ["[{}]", "{}"])
def test_what_fills_lists_at_their_ends_is_left_out(tmp_path: Path, signs: str) -> None:
    lists = {"1": ["10", "11", "-1", "-1"], "2": ["12", "13", "14", "-1"], "3": ["15", "-1", "16", "17"]}
    text = "".join(f"{user}\t{signs.format(' '.join(ids))}\n" for user, ids in lists.items())
    (tmp_path / "run.tsv").write_text(f"user\titems\n{text}")
    with pytest.warns(FilesWarning, match=r"ends of lists hold 3 missing ids \(-1\), which are left out"):
        run = read_run(tmp_path / "run.tsv")
    assert {user: [*documents] for user, documents in run.to_dict().items()} == {
        "1": ["10", "11"],
        "2": ["12", "13", "14"],
        "3": lists["3"],
    }


QUOTED_CELLS = {
    "list": json.dumps(json.dumps(["a", "b"])),
    "hits": json.dumps(json.dumps([{"doc_id": "a", "score": 1.0}, {"doc_id": "b", "score": 0.5}])),
    "scores": json.dumps(json.dumps({"a": 1.0, "b": 0.5})),
    "single quotes": "'" + json.dumps(["a", "b"]) + "'",
}
"""JSON that was written as a text once more."""


@pytest.mark.parametrize("name", QUOTED_CELLS)
def test_json_within_quotes_is_refused_and_read_without_them(tmp_path: Path, name: str) -> None:
    """Its parts between commas and blanks would be ids that no judgments have, and the run would score 0."""
    run = tmp_path / "run.tsv"
    cell = QUOTED_CELLS[name]
    run.write_text(f"query_id\tretrieved\nq1\t{cell}\n")
    said = "run.tsv:2: a cell holds JSON within quotes; write it without these and without backslashes, as"
    assert said in said_of(lambda: read_run(run))
    plain = cell[1:-1].replace("\\", "")
    run.write_text(f"query_id\tretrieved\nq1\t{plain}\n")
    found = read_run(run).of("q1")
    assert sorted(found, key=found.__getitem__, reverse=True) == ["a", "b"]


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

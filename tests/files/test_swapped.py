"""Judgments and runs in each other's place."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from refusing import said_of

from gradeval import check, compare, describe, evaluate, gate, judge, judges, report
from gradeval.cli import main

QRELS = [(f"t{t}", f"d{d}", (t * d) % 3) for t in range(1, 5) for d in range(1, 9)]
RUN = [(f"t{t}", f"d{d}", rank, 9.5 - rank) for t in range(1, 5) for rank, d in enumerate(range(2, 10), 1)]


def as_mapping(rows: list[tuple[Any, ...]]) -> str:
    """JSON {topic: {document: the last number of its row}}."""
    topics = dict.fromkeys(row[0] for row in rows)
    return json.dumps({topic: {row[1]: row[-1] for row in rows if row[0] == topic} for topic in topics})


FORMS: dict[str, tuple[str, Callable[[Any], str], Callable[[Any], str]]] = {
    "trec": ("txt", lambda row: "{} 0 {} {}\n".format(*row), lambda row: "{} Q0 {} {} {} x\n".format(*row)),
    "csv": ("csv", lambda row: "{},{},{}\n".format(*row), lambda row: f"{row[0]},{row[1]},{row[3]}\n"),
    "jsonl": (
        "jsonl",
        lambda row: json.dumps(dict(zip(("qid", "docid", "label"), row, strict=True))) + "\n",
        lambda row: json.dumps(dict(zip(("qid", "docid", "rank", "score"), row, strict=True))) + "\n",
    ),
}
HEADS = {"csv": ("query,doc,relevance\n", "query,doc,score\n")}


@pytest.fixture(params=[*FORMS, "mapping", "packed"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Files of judgments and of a run."""
    form = "trec" if request.param == "packed" else request.param
    if form == "mapping":
        ending, texts = "json", (as_mapping(QRELS), as_mapping(RUN))
    else:
        ending, graded, ranked = FORMS[form]
        heads = HEADS.get(form, ("", ""))
        texts = (heads[0] + "".join(map(graded, QRELS)), heads[1] + "".join(map(ranked, RUN)))
    places = tmp_path / f"judged.{ending}", tmp_path / f"my run.{ending}"
    for place, text in zip(places, texts, strict=True):
        if request.param == "packed":
            import gzip

            place.write_bytes(gzip.compress(text.encode()))
        else:
            place.write_text(text)
    return str(places[0]), str(places[1])


def said_by(*words: str) -> str:
    """The error of a command."""
    result = CliRunner().invoke(main, [*words])
    assert result.exit_code == 2, result.output
    [error] = [line for line in result.stderr.splitlines() if line.startswith("gradeval: error: ")]
    return error


def test_of_several_files_the_one_that_can_be_no_run_is_taken_for_the_judgments(tmp_path: Path) -> None:
    places = {name: str(tmp_path / name) for name in ("a.csv", "a.jsonl", "judged.csv")}
    rows = "".join(f"{topic},{document},{rank}\n" for topic, document, rank, _ in RUN)
    Path(places["a.csv"]).write_text(f"query,sku,position\n{rows}")
    topics = list(dict.fromkeys(row[0] for row in RUN))
    lists = [{"query": topic, "results": [{"sku": row[1]} for row in RUN if row[0] == topic]} for topic in topics]
    Path(places["a.jsonl"]).write_text("".join(f"{json.dumps(one)}\n" for one in lists))
    graded = "".join(f"{topic},{document},{grade}\n" for topic, document, grade in QRELS)
    Path(places["judged.csv"]).write_text(f"query,sku,rating\n{graded}")
    said = said_by("gate", places["a.csv"], places["a.jsonl"], places["judged.csv"])
    assert said.endswith(f"write: gradeval gate {places['judged.csv']} {places['a.csv']} {places['a.jsonl']}")


@pytest.mark.parametrize("command", ["evaluate", "compare", "check", "describe", "judges", "gate", "ranks"])
def test_the_right_command_is_given(command: str, pair: tuple[str, str]) -> None:
    qrels, run = pair
    more = {"judges": ["--judge", f"m={qrels}"], "gate": [qrels]}.get(command, [])
    said = said_by(command, run, qrels, *more)
    assert f"{run}: looks like a run, and {qrels} looks like judgments: these look swapped; write: " in said
    assert f"gradeval {command} {qrels} '{run}'" in said
    first = ["--measure", "AP"] if command == "describe" else ["-m", "AP"] * (command not in ("check", "describe"))
    right = CliRunner().invoke(
        main, [command, qrels, run, *([run, "--allow-equal"] if more == [qrels] else more), *first]
    )
    assert "swapped" not in right.output


PYTHON: dict[str, Callable[[str, str], Any]] = {
    "evaluate": lambda qrels, run: evaluate(qrels, [run], "AP"),
    "judge": judge,
    "compare": lambda qrels, run: compare(qrels, [run], "AP"),
    "check": check,
    "describe": describe,
    "gate": lambda qrels, run: gate(qrels, run, run, measures="AP"),
    "judges": lambda qrels, run: judges(qrels, {"m": qrels}, [run]),
    "report": lambda qrels, run: report(qrels, run, "AP", studies="none"),
}


@pytest.mark.parametrize("function", PYTHON)
def test_functions_say_it_too(function: str, pair: tuple[str, str]) -> None:
    qrels, run = pair
    said = said_of(lambda: PYTHON[function](run, qrels))
    assert said.endswith("these look swapped; give the judgments first")


def test_a_judge_in_the_place_of_a_run_is_named(pair: tuple[str, str]) -> None:
    qrels, run = pair
    copy = Path(qrels).with_stem("model")
    copy.write_bytes(Path(qrels).read_bytes())
    said = said_by("judges", qrels, str(copy), "--judge", run)
    assert said.endswith(f"these look swapped; write: gradeval judges {qrels} --judge {copy} '{run}'")


@pytest.mark.parametrize("at", [0, 1])
def test_one_file_is_not_both(at: int, pair: tuple[str, str]) -> None:
    file = pair[at]
    said = said_by("evaluate", file, file)
    assert f"is given as judgments and as a run, and looks like {('judgments', 'a run')[at]}; name both files" in said
    assert "give both files" in said_of(lambda: evaluate(file, file, "AP"))


def test_a_column_of_scores_beside_the_grades_is_to_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("query_id,doc_id,label,bm25\nq,a,1,2.5\nq,b,0,3.5\n")
    Path("m.run").write_text("q Q0 a 1 2 m\nq Q0 b 2 1 m\n")
    for files in (["t.csv", "m.run"], ["m.run", "t.csv"]):
        said = said_by("gate", "t.csv", *files)
        both, named = ([*map(shlex.split, part.split("gradeval ")[1:])] for part in said.split("; if a column "))
        assert both == [["gate", "t.csv", *("RUN" if file == "t.csv" else file for file in files)]]
        assert named == [["gate", "t.csv", *(f"columns:score=NAME:{f}" if f == "t.csv" else f for f in files)]]
    words = [word.replace("NAME", "bm25") for word in named[0]]
    assert evaluate(words[1], words[2:], "AP").mean().tolist() == [[1.0], [0.5]]
    assert "name two runs behind: gradeval gate t.csv BEFORE AFTER" in said_by("gate", "t.csv", "m.run")
    said = said_by("evaluate", "t.csv", "m.run", "--columns", "score=bm25")
    assert "if another file has 'bm25', write there columns:score=bm25:FILE" in said


def test_lists_of_runs_in_one_table_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relevant documents and runs as columns of one file, written by NumPy with a line break in a cell."""
    monkeypatch.chdir(tmp_path)
    rows = ["q1,how?,['a'],\"['b'\n 'a']\",['a' 'c']", "q2,why?,['b'],['b' 'c'],['c' 'd']"]
    Path("one.csv").write_text("\n".join(["question_id,question,gold_ids,bm25,dense v2", *rows, ""]))
    said = said_by("evaluate", "one.csv", "one.csv")
    _, *words = shlex.split(said.split("name the lists of runs: ")[1])
    assert words == ["evaluate", "one.csv", "columns:doc=bm25:one.csv", "columns:doc=dense v2:one.csv"]
    assert evaluate(*words[1:2], words[2:], "AP").mean().tolist() == [[(1 / 2 + 1) / 2], [1 / 2]]


UNUSUAL = {
    "grades that fall like scores": ('{"a": {"x": 3.5, "y": 3, "z": 2.5, "u": 2, "v": 1.5, "w": 1, "q": 0.5}}', None),
    "scores that tie like grades": (None, '{"a": {"x": 1, "y": 1, "z": 0}}'),
    "lists": ('{"a": ["x", "y"]}', '{"a": {"x": 1, "y": 1, "z": 0}}'),
    "a table of both": (
        "query,doc,score,label\na,x,0.5,1\na,y,0.25,0\n",
        "query,doc,score,label\na,x,0.5,1\na,y,0.25,0\n",
    ),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_only_unusual_is_read(name: str, tmp_path: Path) -> None:
    qrels, run = UNUSUAL[name]
    (tmp_path / "q.json").write_text(qrels or '{"a": {"x": 1, "y": 0}}')
    (tmp_path / "r.json").write_text(run or '{"a": {"x": 0.5, "y": 0.25}}')
    places = [tmp_path / "q.json", tmp_path / "r.json"]
    if "query" in (qrels or ""):
        places = [places[0].rename(tmp_path / "both.csv")] * 2
    assert evaluate(places[0], places[1], "AP").topics == ["a"]

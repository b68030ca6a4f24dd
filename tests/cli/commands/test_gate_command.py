"""``gradeval gate``: the status, what stands on which stream, every format, and the summary of a job."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from gradeval import GateDecision, evaluate, gate

from ..conftest import Gradeval

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
QRELS, ELM, CEDAR, OAK = (EXAMPLES / name for name in ("qrels.txt", "runs/elm.txt", "runs/cedar.txt", "runs/oak.txt"))


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([QRELS, ELM, CEDAR], 0, "passed: no measure is significantly lower"),
        ([QRELS, ELM, OAK], 1, "worse: significantly lower: AP, nDCG@10"),
        ([QRELS, ELM, CEDAR, "--fail-if", "not-shown"], 0, "passed: every measure is shown to lose less"),
        ([QRELS, CEDAR, ELM, "--fail-if", "not-shown", "-m", "AP"], 1, "not shown: AP may lose the margin or more"),
        ([QRELS, CEDAR, ELM, "--fail-if", "not-shown", "--margin", "AP=.5", "-m", "AP"], 0, "passed: every"),
        ([QRELS, ELM, ELM], 1, "identical: AFTER is BEFORE, the same run of the same file, on all 30 topics: name"),
        ([QRELS, ELM, ELM, "--allow-equal"], 0, "passed: no measure"),
        ([QRELS, EXAMPLES / "runs", OAK, "--run", "elm"], 1, "worse: significantly lower"),
        ([QRELS, EXAMPLES / "runs", OAK], 1, "identical: AFTER is BEFORE, the same run of"),
    ],
)
def test_the_status_says_whether_it_passed(gradeval: Gradeval, words: list[object], status: int, said: str) -> None:
    result = gradeval("gate", *words)
    assert (result.exit_code, result.stdout.splitlines()[0][: len(said)]) == (status, said)
    assert result.stdout.splitlines()[1].startswith("measure")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [ELM, OAK],
            "elm.txt: has no scores, as both of two files must: name the judgments first: gradeval gate QRELS",
        ),
        ([ELM.with_name("el.txt"), OAK], "el.txt: no such file (did you mean elm.txt"),
        (["-", OAK], "-: has no scores, as both of two files must"),
        ([QRELS, ELM, OAK, "-o", "a.csv", "-o", "b.csv", "--format", "tsv"], "--format tsv: is of one file"),
        ([QRELS], "1 files: gate takes QRELS BEFORE AFTER, or BEFORE AFTER where both are scores"),
        ([QRELS, ELM, "nothing.run"], "nothing.run: no such file"),
        ([QRELS, ELM, "/dev/null"], ""),
        ([QRELS, ELM, EXAMPLES / "runs"], "choose one, as in --run alder"),
        ([QRELS, ELM, OAK, "--run", "ash"], "--run ash: no run is called so"),
        ([QRELS, ELM, OAK, "--fail-if", "not-shown", "--margin", "0"], "--margin 0 is not a number above 0"),
        ([QRELS, ELM, OAK, "--fail-if", "not-shown", "--margin", "5"], "--margin 5: AP is at most 1"),
        ([QRELS, ELM, OAK, "--fail-if", "not-shown", "--margin", "AP=1"], "--margin AP=1: names none for nDCG@10"),
        ([QRELS, ELM, OAK, "--fail-if", "not-shown", "-m", "NumRelRet"], "leave it out for --fail-if not-shown"),
        ([QRELS, ELM, OAK, "--alpha", "0.7"], "--alpha 0.7 is not a number above 0 and below 0.5"),
        (["no", "such", "files", "-m", "nDGC"], "unknown measure 'nDGC'"),
        ([QRELS, ELM, OAK, "-m", ""], "no measure"),
        ([QRELS, "-", "-"], "standard input can be read once"),
        ([QRELS, ELM, OAK, "-o", ELM], "would replace the input"),
        ([QRELS, ELM, OAK, "--skip-bad"], "no such option"),
        ([QRELS, ELM, OAK, "--alpha", "0.1", "--alpha", "0.2"], "--alpha is given twice"),
    ],
)
def test_wrong_input_is_status_2_and_one_line(gradeval: Gradeval, words: list[object], said: str) -> None:
    result = gradeval("gate", *words)
    errors = [line for line in result.stderr.splitlines() if line.startswith("gradeval: error: ")]
    assert (result.exit_code, result.stdout, len(errors)) == (2, "", 1)
    assert said in errors[0]


def test_a_fault_of_gradeval_is_status_3(gradeval: Gradeval, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a fault within")

    monkeypatch.setattr("gradeval.cli.commands.gate_command.gate", broken)
    result = gradeval("gate", QRELS, ELM, OAK)
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.splitlines()[-1] == "RuntimeError: a fault within"


def test_every_format_says_the_same_and_endings_choose_one(gradeval: Gradeval, tmp_path: Path) -> None:
    words = [QRELS, ELM, OAK, "-m", "AP nDCG@10"]
    found = gate(QRELS, ELM, OAK, "AP nDCG@10")
    assert gradeval("gate", *words, "--format", "json").stdout == found.to_json()
    assert gradeval("gate", *words, "--format", "junit").stdout == found.to_junit()
    assert gradeval("gate", *words, "--format", "markdown").stdout == found.to_markdown()
    for ending in ("json", "xml", "md", "tsv"):
        assert gradeval("gate", *words, "-o", tmp_path / f"gate.{ending}").exit_code == 1
    assert json.loads((tmp_path / "gate.json").read_text())["verdict"] == "worse"
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "2"
    assert (tmp_path / "gate.md").read_text() == found.to_markdown()
    assert gradeval("gate", *words, "--format", "markdown", "--digits", 2).stdout == found.to_markdown(digits=2)


def test_one_call_writes_each_file_as_its_ending_says(gradeval: Gradeval, tmp_path: Path) -> None:
    words = [QRELS, ELM, OAK, "-m", "AP nDCG@10"]
    found = gate(QRELS, ELM, OAK, "AP nDCG@10")
    names = [tmp_path / f"gate.{ending}" for ending in ("xml", "json", "md")]
    result = gradeval("gate", *words, "-o", "-", *(word for name in names for word in ("-o", name)))
    assert (result.exit_code, result.stdout) == (1, str(replace(found, notes=[])) + "\n")
    assert [name.read_text() for name in names] == [found.to_junit(), found.to_json(), found.to_markdown()]
    for name in names:  # the table is on the screen in any case, once
        assert gradeval("gate", *words, "-o", name).stdout == result.stdout


@pytest.mark.parametrize("wrong", ["nowhere/b.json", "b.xyz", "a.md/b.json"])
def test_no_file_is_written_where_one_of_them_cannot_be(gradeval: Gradeval, tmp_path: Path, wrong: str) -> None:
    (tmp_path / "a.md").write_text("as before")
    result = gradeval("gate", QRELS, ELM, OAK, "-o", tmp_path / "a.md", "-o", tmp_path / wrong)
    assert (result.exit_code, (tmp_path / "a.md").read_text()) == (2, "as before")
    assert [each.name for each in tmp_path.iterdir()] == ["a.md"]


def test_files_of_scores_need_no_judgments(gradeval: Gradeval, tmp_path: Path) -> None:
    for name, run in (("before", ELM), ("after", OAK)):
        evaluate(QRELS, run, "AP nDCG@10").save(tmp_path / f"{name}.tsv", by_topic=True)
    result = gradeval("gate", tmp_path / "before.tsv", tmp_path / "after.tsv", "-m", "AP", "--ties", "order")
    assert result.exit_code == 1
    assert "note: --ties says how judgments and runs are read and does nothing with scores; it is ignored\n" in (
        result.stderr
    )
    assert gradeval("gate", QRELS, tmp_path / "before.tsv", OAK, "-m", "AP").exit_code == 1


def test_the_summary_of_a_job_is_written_only_where_asked(
    gradeval: Gradeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("of a step before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    gradeval("gate", QRELS, ELM, OAK, "-m", "AP")
    assert summary.read_text() == "of a step before\n"
    result = gradeval("gate", QRELS, ELM, OAK, "-m", "AP", "--step-summary", "--format", "junit")
    assert result.exit_code == 1
    assert summary.read_text() == f"of a step before\n{gate(QRELS, ELM, OAK, 'AP').to_markdown()}\n"
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert "names no file" in gradeval("gate", QRELS, ELM, OAK, "-m", "AP", "--step-summary").stderr


def test_the_summary_is_written_also_where_nobody_reads_the_table(
    gradeval: Gradeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = GateDecision.write

    def closed(decision: GateDecision, file: Any, format: str, **options: Any) -> None:
        if format == "table":
            raise BrokenPipeError
        write(decision, file, format, **options)

    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setattr(GateDecision, "write", closed)
    gradeval("gate", QRELS, ELM, OAK, "-m", "AP", "--step-summary")
    assert summary.read_text() == f"{gate(QRELS, ELM, OAK, 'AP').to_markdown()}\n"


def test_a_page_lists_all_topics_in_a_fold_and_asks_for_no_package(
    gradeval: Gradeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    find_spec = importlib.util.find_spec
    importlib.import_module("gradeval.charts.rendering")  # it keeps the look for packages that it finds when imported
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "altair" else find_spec(name))
    page = tmp_path / "gate.html"
    result = gradeval("gate", QRELS, ELM, OAK, "-m", "AP", "-o", page)
    assert "gate.html has no picture: " in result.stderr
    assert "needs the package" not in page.read_text()
    assert "install" not in page.read_text().partition("<main>")[2]
    fold = page.read_text().partition("All topics that lost, then those that won, by each measure")[2]
    decision = gate(QRELS, ELM, OAK, "AP")
    assert len(decision.moved) > len(decision.most_moved)
    assert all(f">{one.topic}<" in fold for one in decision.moved)


def workflow(name: str) -> Any:
    """The block of YAML below a heading of the page."""
    yaml = pytest.importorskip("yaml")
    page = (EXAMPLES.parent / "docs" / "gate.md").read_text(encoding="utf-8")
    block = re.search(r"```yaml\n(.*?)```", page.partition(f"## {name}\n")[2], re.DOTALL)
    assert block is not None
    return yaml.safe_load(block[1])


def write_version(folder: Path, run: Path) -> None:
    """A version of a system whose search writes a run, with judgments."""
    (folder / "eval").mkdir(parents=True, exist_ok=True)
    shutil.copy(QRELS, folder / "eval" / "qrels.txt")
    script = folder / "eval" / "search"
    script.write_text(f"#!/bin/sh\ncat {run}\n")
    script.chmod(0o755)


def run_steps(steps: list[str], folder: Path, tmp_path: Path, **more: str) -> list[int]:
    """The status of each step but that which installs."""
    program = tmp_path / "bin" / "gradeval"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradeval "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", **more}
    kept = [step for step in steps if step != "pip install gradeval"]
    assert len(kept) == len(steps) - 1
    return [
        subprocess.run(["bash", "-e", "-c", step], cwd=folder, env=environment, capture_output=True).returncode
        for step in kept
    ]


@pytest.mark.parametrize(("after", "status"), [(CEDAR, 0), (OAK, 1)])
def test_the_workflow_for_github_runs(tmp_path: Path, after: Path, status: int) -> None:
    steps = [step["run"] for step in workflow("GitHub")["jobs"]["gate"]["steps"] if "run" in step]
    for name, run in (("before", ELM), ("after", after)):
        write_version(tmp_path / name, run)
    summary = tmp_path / "summary.md"
    assert run_steps(steps, tmp_path, tmp_path, GITHUB_STEP_SUMMARY=str(summary)) == [0, 0, status]
    assert summary.read_text().startswith(f"### gradeval gate: {('passed', 'worse')[status]}\n")
    assert int(ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures", "")) == 2 * status


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(("after", "status"), [(CEDAR, 0), (OAK, 1)])
def test_the_workflow_for_gitlab_runs(tmp_path: Path, after: Path, status: int) -> None:
    origin, clone = tmp_path / "origin", tmp_path / "clone"

    def git(*words: object) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *who, *map(str, words)], check=True, capture_output=True)

    git("init", origin)
    write_version(origin, ELM)
    git("-C", origin, "add", ".")
    git("-C", origin, "commit", "-m", "old")
    git("clone", origin, clone)
    write_version(clone, after)
    job = workflow("GitLab")["gate"]
    statuses = run_steps(job["script"], clone, tmp_path, CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main")
    assert statuses == [0, 0, 0, 0, status]
    assert int(ElementTree.parse(clone / job["artifacts"]["reports"]["junit"]).getroot().get("failures", "")) == (
        2 * status
    )


def test_a_page_and_a_picture_are_written(gradeval: Gradeval, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    pytest.importorskip("jinja2")
    picture, page = tmp_path / "gate.svg", tmp_path / "gate.html"
    assert gradeval("gate", QRELS, ELM, OAK, "-o", page, "--plot", picture).exit_code == 1
    written = page.read_text()
    found = gate(QRELS, ELM, OAK)
    assert f'<h2 id="result-heading">{found.description}</h2>' in written
    assert f"<caption>{found.description}</caption>" not in written
    assert "?." not in re.findall("<figcaption>(.*?)</figcaption>", written)[0]
    texts = "".join(ElementTree.parse(picture).getroot().itertext())
    assert "May it be merged?" in texts
    assert "nDCG@10" in texts


def test_slices_stand_in_the_table_and_in_the_log_and_leave_the_status(gradeval: Gradeval, tmp_path: Path) -> None:
    labels = tmp_path / "segments.csv"
    rows = [f"{topic},{'head' if topic < 412 else 'tail'}" for topic in range(401, 431)]
    labels.write_text("\n".join(["topic,segment", *rows]) + "\n")
    shown = gradeval("gate", QRELS, ELM, CEDAR, "-m", "AP", "--by", labels)
    decided = gate(QRELS, ELM, CEDAR, "AP", by=labels)
    assert decided.slices is not None
    assert (shown.exit_code, shown.stdout) == (0, str(replace(decided, notes=[])) + "\n")
    assert decided.slices.description in shown.stdout
    logged = gradeval("gate", QRELS, ELM, OAK, "-m", "AP", "--by", labels, "-o", tmp_path / "gate.xml")
    assert logged.exit_code == 1
    assert "slices that got worse: segment tail by AP, segment head by AP (one-sided at 0.05" in logged.stdout
    by_words = gradeval("gate", QRELS, ELM, OAK, "-m", "AP", "--by", "length")
    assert (by_words.exit_code, by_words.stderr.splitlines()[-1]) == (
        2,
        "gradeval: error: --by length: counts the words of queries; give their texts: --queries FILE",
    )
    missing = gradeval("gate", QRELS, ELM, OAK, "--by", tmp_path / "none.csv")
    assert missing.exit_code == 2
    assert "none.csv" in missing.stderr


@pytest.mark.parametrize(("ending", "lacks"), [("csv", True), ("tsv", True), ("jsonl", True), ("json", False)])
def test_a_table_of_topics_that_holds_no_texts_of_documents_says_what_does(
    gradeval: Gradeval, tmp_path: Path, ending: str, lacks: bool
) -> None:
    documents, place = tmp_path / "documents.tsv", tmp_path / f"topics.{ending}"
    names = {line.split()[2] for run in (ELM, CEDAR) for line in Path(run).read_text().splitlines()}
    documents.write_text("".join(f"{name}\ttext of {name}\n" for name in sorted(names)))
    result = gradeval("gate", QRELS, ELM, CEDAR, "-q", "--documents", documents, "-o", place)
    said = f"{place}: documents are listed there without texts; write .json, .md or .html for texts"
    assert (said in result.stderr) == lacks
    assert ("text of" in place.read_text()) != lacks


@pytest.mark.parametrize("with_texts", [False, True])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_all_topics_that_lost_or_won_are_written_as_a_table(
    gradeval: Gradeval, tmp_path: Path, ending: str, with_texts: bool
) -> None:
    files, queries = [tmp_path / f"topics.{ending}", tmp_path / "gate.json"], tmp_path / "queries.tsv"
    queries.write_text("401\twhat, is it?\n")
    texts = ["--queries", queries] if with_texts else []
    result = gradeval("gate", QRELS, ELM, CEDAR, "-q", *texts, *(word for file in files for word in ("-o", file)))
    written = files[0].read_text()
    if ending == "jsonl":
        rows = [json.loads(line) for line in written.splitlines()]
    else:
        rows = list(csv.DictReader(io.StringIO(written), delimiter="," if ending == "csv" else "\t"))
    scores = evaluate(QRELS, [ELM, CEDAR], "AP nDCG@10")
    changes = np.subtract(*scores.values[::-1])
    moved = {
        (str(measure), topic): float(changes[place, column])
        for column, measure in enumerate(scores.measures)
        for place, topic in enumerate(scores.topics)
        if changes[place, column] != 0
    }
    found = {(row["measure"], row["topic"]): float(row["difference"]) for row in rows}
    assert found == pytest.approx(moved)
    assert [*found] == sorted(found, key=lambda at: (at[0] != "AP", found[at] > 0, -abs(found[at])))
    fields = ["measure", "topic", "before", "after", "difference", *["query"] * with_texts, "documents"]
    assert list(rows[0]) == fields
    for row, told in zip(rows, json.loads(files[1].read_text())["moved"], strict=True):
        documents = [
            f"{one['document']} ({'unjudged' if one['grade'] is None else 'grade ' + format(one['grade'], 'g')}) "
            f"{one['before'] or '-'} to {one['after'] or '-'}"
            for one in told.get("documents", ())
        ]
        assert (row["documents"] or "") == "; ".join(documents)
        assert (float(row["difference"]) < 0) == bool(documents)
    assert all(("what, is it?" in row.values()) == (with_texts and row["topic"] == "401") for row in rows)
    assert len(json.loads(files[1].read_text())["moved"]) == len(rows)
    table = result.stdout.partition("topics that lost, then those that won, by each measure\n")[2]
    assert len(table.strip().splitlines()) == 2 + len(rows)
    named = gradeval("gate", QRELS, ELM, CEDAR).stdout
    assert f"topics that lost and won most (all {len(rows)} rows: -q -o topics.csv)" in named


def test_markdown_lists_all_topics_where_they_are_asked_for(gradeval: Gradeval) -> None:
    few, whole = (gradeval("gate", QRELS, ELM, OAK, "--format", "markdown", *words).stdout for words in ([], ["-q"]))
    moved = gate(QRELS, ELM, OAK).moved
    assert [text.count("\n| AP ") + text.count("\n| nDCG@10 ") for text in (few, whole)] == [2 + 12, 2 + len(moved)]


def test_the_short_help_names_what_the_daily_user_needs(gradeval: Gradeval) -> None:
    shown = gradeval("gate", "-h").stdout
    for option in ("--fail-if", "--margin", "--by", "--queries", "--documents", "-q, --per-topic", "-o, --output"):
        assert f"  {option}" in shown


def test_columns_are_those_of_both_runs_together(gradeval: Gradeval, tmp_path: Path) -> None:
    """The name that only AFTER has is met once both are read; a name that neither has is refused."""
    qrels, before, after = tmp_path / "qrels.csv", tmp_path / "a.csv", tmp_path / "b.jsonl"
    qrels.write_text("query,sku,rating\nq1,a,2\nq1,b,0\nq2,a,0\nq2,b,1\n")
    before.write_text("query,position,sku\nq1,1,a\nq1,2,b\nq2,1,b\nq2,2,a\n")
    hits = [{"_id": one, "_score": score} for one, score in (("b", 2.0), ("a", 1.0))]
    after.write_text("".join(json.dumps({"query": query, "hits": {"hits": hits}}) + "\n" for query in ("q1", "q2")))
    words = ["gate", qrels, before, after, "-m", "P@1", "--columns"]
    shown = gradeval(*words, "doc=hits.hits._id")
    assert "-0.5000" in shown.stdout.splitlines()[3]
    refused = gradeval(*words, "doc=hits.nothing")
    assert refused.exit_code == 2
    assert "the documents stand within objects" in refused.stderr

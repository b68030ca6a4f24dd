from __future__ import annotations

import datetime
import hashlib
import json
import shutil
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from graded_features import graded_features

from gradeval import evaluate, read_letor, report, write_letor, write_run
from gradeval.ltr import TreeRanker, feature_importance

from ..conftest import Gradeval, refusal

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
QUICK = ["-m", "AP GAP", "--studies", "none"]


def test_the_command_writes_what_the_function_gives(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    result = gradeval("report", *collection, *QUICK, "--seed", 3, "-o", tmp_path / "report.json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    written = json.loads((tmp_path / "report.json").read_text())["sections"]
    made = json.loads(report(collection[0], collection[1:], "AP GAP", studies="none", seed=3).to_json())["sections"]
    assert [part["tables"] for part in written] == [part["tables"] for part in made]
    assert [part["answer"] for part in written[:-1]] == [part["answer"] for part in made[:-1]]


def test_the_page_says_command_and_digests_and_no_folder(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    gradeval("report", *collection, *QUICK, "--missing", "skip", "-o", tmp_path / "report.json")
    texts = json.loads((tmp_path / "report.json").read_text())["sections"][-1]["texts"]
    names = " ".join(place.name for place in collection)
    assert texts["Command"] == f"gradeval report {names} -m 'AP GAP' --studies none --missing skip -o report.json"
    digest = hashlib.sha256(collection[0].read_bytes()).hexdigest()
    assert texts["SHA-256 of the inputs"].startswith(f"{digest}  {collection[0].name}\n")


def test_title_author_and_date_stand_in_the_command_as_they_are_and_today_as_its_date(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    words = ["--title", "a/b test", "--author", "/me", "--date", "today"]
    result = gradeval("report", *collection, *QUICK, *words, "-o", tmp_path / "report.json")
    assert result.exit_code == 0, result.stderr
    written = json.loads((tmp_path / "report.json").read_text())
    date = written["date"]
    assert datetime.date.fromisoformat(date) <= datetime.date.today()
    assert (written["title"], written["author"]) == ("a/b test", "/me")
    command = written["sections"][-1]["texts"]["Command"]
    assert command.endswith(f" --title 'a/b test' --author /me --date {date} -o report.json")
    refused = refusal(gradeval("report", "nowhere.txt", "none.txt", "--title", " "))
    assert refused.startswith("--title   says nothing; give words")


def test_the_same_command_writes_the_same_bytes(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        gradeval("report", *collection, *QUICK, "-o", tmp_path / name / "report.html")
    once, again = ((tmp_path / name / "report.html").read_bytes() for name in ("a", "b"))
    assert once == again


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([], ""),
        (["-o", "my page.json"], "-o 'my page.json'"),
        (["--output=out/page.json", "-o", "page.md"], "--output=out/page.json -o page.md"),
        (["--seed=3", "--threads", "1", "-o", "page.json"], "--seed=3 --threads 1 -o page.json"),
        (
            ["--date=today", "--title=/a=/b", "-o", "page.json"],
            f"--date={datetime.date.today()} --title=/a=/b -o page.json",
        ),
        (
            ["--judge", "it's={here}/judge.txt", "-o", "{here}/page.json"],
            """--judge 'it'"'"'s=judge.txt' -o page.json""",
        ),
        (["--judge", "judge={here}/judge.txt", "-o", "page.json"], "--judge judge=judge.txt -o page.json"),
    ],
)
def test_the_command_of_the_page_is_what_was_typed(
    gradeval: Gradeval, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], shown: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out").mkdir()
    Path("judge.txt").write_text((EXAMPLES / "qrels.txt").read_text())
    shutil.copytree(EXAMPLES, "examples", ignore=shutil.ignore_patterns("judges"))
    typed = [
        "examples/qrels.txt",
        "examples/runs/elm.txt",
        "examples/runs/oak.txt",
        "-m",
        "AP P@5",
        "--studies",
        "none",
    ]
    result = gradeval("report", *typed, *(word.format(here=tmp_path) for word in words))
    assert result.exit_code == 0, result.stderr
    [place] = [one for one in ("report.html", "my page.json", "out/page.json", "page.json") if Path(one).exists()]
    typed[typed.index("AP P@5")] = "'AP P@5'"
    expected = " ".join(["gradeval", "report", *typed, *filter(None, [shown])])
    written = unescape(Path(place).read_text())
    assert (
        (json.loads(written)["sections"][-1]["texts"]["Command"] == expected) if shown else f">{expected}<" in written
    )


def test_selections_reach_every_section(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    options = [*QUICK, "--runs", "top:3:AP", "--topics", "401,402,403,404", "--depth", 10]
    gradeval("report", *collection, *options, "-o", tmp_path / "report.json")
    written = json.loads((tmp_path / "report.json").read_text())
    assert "3 runs, 4 topics" in written["title"]
    leaderboard = written["sections"][1]["tables"]["Leaderboard"]
    scores = evaluate(collection[0], collection[1:], "AP GAP", topics=["401", "402", "403", "404"], depth=10)
    means = dict(zip(scores.runs, scores.mean().tolist(), strict=True))
    assert len(leaderboard) == 6
    assert all(row["value"] in means[row["run"]] for row in leaderboard)


def test_scores_alone_make_a_report(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    gradeval("evaluate", *collection, "-q", "-m", "AP GAP", "-o", tmp_path / "scores.tsv")
    result = gradeval("report", "--scores", tmp_path / "scores.tsv", "--studies", "none", "-o", tmp_path / "report.md")
    assert result.exit_code == 0, result.stderr
    assert "## Which run is best, and how sure is that?" in (tmp_path / "report.md").read_text()


def test_without_a_name_the_page_is_report_html_and_that_is_said(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = gradeval("report", *collection, "-m", "AP", "--studies", "none")
    assert result.stderr.splitlines()[-1] == "note: written to report.html"
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-o", "report.pdf"], "report.pdf: a report is written to .html, .json, .md; name the file so"),
        (["-o", "report.html", "--studies", "corelate"], "no study 'corelate' (did you mean correlate?)"),
        (["-o", "report.html", "--baseline", "nobody"], "no run 'nobody' to compare with"),
        (
            ["-o", "report.html", "--baseline", "elm,alder"],
            "elm,alder: joins 2 runs; a report takes one: --baseline elm",
        ),
        (["-o", "report.html", "-m", "nDGC"], "nDGC"),
    ],
)
def test_what_cannot_be_written_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert message in refusal(gradeval("report", *collection, *args))
        assert list(tmp_path.iterdir()) == []


@pytest.fixture
def learnt(tmp_path: Path) -> Path:
    """A folder with features, a model, and the run that it makes of them."""
    pytest.importorskip("lightgbm")
    test = graded_features(10, seed=1)
    ranker = TreeRanker("lambdarank:GAP", epochs=4, min_rows=5).fit(graded_features(15))
    ranker.save(tmp_path / "trees")
    write_letor(test, tmp_path / "test.txt")
    write_run(test.run(ranker.score(test), name="trees"), tmp_path / "trees.run")
    return tmp_path


def test_a_model_has_a_section_of_the_page(gradeval: Gradeval, learnt: Path) -> None:
    named = ["--model", learnt / "trees", "--features", learnt / "test.txt"]
    said = gradeval(
        "report", f"letor:{learnt / 'test.txt'}", learnt / "trees.run", *QUICK, *named, "-o", learnt / "report.json"
    )
    assert said.exit_code == 0, said.stderr
    sections = {part["section"]: part for part in json.loads((learnt / "report.json").read_text())["sections"]}
    expected = feature_importance(TreeRanker.load(learnt / "trees"), read_letor(learnt / "test.txt"), "AP")
    rows = sections["model"]["tables"]["Features by importance"]
    lost = {row["feature"]: row["value"] for row in rows if row["kind"] == "permutation"}
    assert lost == dict(zip("1234", expected.drops.mean(0).tolist(), strict=True))
    texts = sections["redo"]["texts"]
    assert "--model trees --features test.txt -o report.json" in texts["Command"]
    for path in (learnt / "test.txt", learnt / "trees" / "card.json", learnt / "trees" / "trees.txt"):
        assert (
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" in f"{texts['SHA-256 of the inputs']}\n"
        )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--features", "test.txt"], "--features FILE are what a model is explained on; give --model MODEL, too"),
        (["--model", "none"], "none: cannot be read (No such file or directory); a model is a folder"),
        (["--model", "trees", "--features", "none.txt"], "none.txt"),
        (["--model", "trees", "-o", "trees/report.html"], "lies in the folder trees, which is read or replaced whole"),
    ],
)
def test_a_model_that_cannot_be_explained_is_refused(
    gradeval: Gradeval, learnt: Path, args: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(learnt)
    place = [] if "-o" in args else ["-o", "report.html"]
    said = gradeval("report", "letor:test.txt", "trees.run", *QUICK, *args, *place)
    assert message in refusal(said)
    assert not Path("report.html").exists()


def test_the_page_replaces_no_input(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "qrels.md"
    place.write_bytes(collection[0].read_bytes())
    assert "would replace the input" in refusal(gradeval("report", place, *collection[1:], "-o", place))


def test_judges_of_the_command_have_names_and_their_files_have_digests(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    judge = tmp_path / "strict.txt"
    judge.write_text(collection[0].read_text())
    result = gradeval("report", *collection, *QUICK, "--judge", judge, "-o", tmp_path / "report.md")
    assert result.exit_code == 0, result.stderr
    written = (tmp_path / "report.md").read_text()
    assert "Can a judge stand for the humans?" in written
    assert "strict by AP: tau 1.00" in written.replace("\\", "")
    assert str(tmp_path) not in written
    assert f"{hashlib.sha256(judge.read_bytes()).hexdigest()}  strict.txt" in written


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "parquet"])
def test_scores_that_evaluate_wrote_are_compared_with(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, ending: str
) -> None:
    saved = tmp_path / f"before.{ending}"
    assert gradeval("evaluate", *collection, "-m", "AP GAP", "-q", "-o", saved).exit_code == 0
    target = tmp_path / "report.json"
    assert gradeval("report", *collection, *QUICK, "--compare-with", saved, "-o", target).exit_code == 0
    assert "changes" in [part["section"] for part in json.loads(target.read_text())["sections"]]


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "md", "html"])
def test_means_alone_are_no_scores_to_compare_with_and_the_option_that_adds_topics_is_named(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, ending: str
) -> None:
    saved = tmp_path / f"before.{ending}"
    assert gradeval("evaluate", *collection, "-m", "AP GAP", "-o", saved).exit_code == 0
    result = gradeval("report", *collection, *QUICK, "--compare-with", saved, "-o", tmp_path / "report.json")
    assert "gradeval evaluate -q" in refusal(result)


def test_a_file_of_groups_is_read_and_stands_among_the_inputs(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    groups, page = tmp_path / "teams.csv", tmp_path / "report.json"
    groups.write_text(f"{collection[1].stem},north\n")
    result = gradeval("report", *collection, "-m", "AP", "--studies", "leave-out", "--groups", groups, "-o", page)
    assert result.exit_code == 0, result.stderr
    sections = json.loads(page.read_text())["sections"]
    assert "teams.csv" in sections[-1]["texts"]["SHA-256 of the inputs"]
    title = "Each run without the judgments that only its group brought"
    [table] = [section["tables"][title] for section in sections if title in section["tables"]]
    assert {row["group"] for row in table} == {"north", None}
    refused = refusal(gradeval("report", *collection, "--groups", groups, "--studies", "none", "-o", page))
    assert refused == "--studies none: lacks leave-out, the only study with groups; write --studies leave-out"


@pytest.mark.parametrize(("judge", "name"), [("{}", "llm"), ("{}", "llm.jsonl"), ("one={}", "one")])
def test_a_judge_alone_is_recoded_and_the_commands_without_judges_leave_that_out(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, judge: str, name: str
) -> None:
    rows = [line.split() for line in collection[0].read_text().splitlines()]
    records = [{"query_id": topic, "doc_id": document, "grade": 2 * int(grade)} for topic, _, document, grade in rows]
    file = tmp_path / "llm.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    highest = max(record["grade"] for record in records)
    recode = ["--recode", f"{name}:{highest}=1", "--recode", "2=1"]
    words = ["--judge", judge.format(file), *recode, "-o", tmp_path / "report.json"]
    result = gradeval("report", *collection, *QUICK, *words)
    assert result.exit_code == 0, result.stderr
    commands = [one for part in json.loads((tmp_path / "report.json").read_text())["sections"] for one in part["redo"]]
    of_judges = [command for command in commands if f"--recode {name}:{highest}=1" in command]
    assert [command.split()[1] for command in of_judges] == ["judges"]
    assert all("--recode 2=1" in command for command in commands if command.split()[1] in ("compare", "evaluate"))

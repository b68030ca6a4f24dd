"""Names come from files that anybody may have written: tags, topics, measures and paths are text wherever they go."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from browsing import Browse
from click.testing import Result
from graded_features import graded_features

from gradeval import evaluate, read_scores, write_letor

from .conftest import Gradeval

MARKUP = [
    "</script><script>alert(1)</script>",
    '"><img/src=x/onerror=alert(1)>',
    "<!--<script>",
    "'];alert(1);//",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
]
CONTROLS = ["\x1b[31mred", "two\nlines", "del\x7f", "\x9b2J", "\u202egnp.evil", "\u2028\u2029", "\u2066\u2069", "\x00"]
EVIL = MARKUP[0]
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal obeys, but for the end of a line."""


def says(*results: Result) -> str:
    """What commands said on both streams; they did what they should."""
    for result in results:
        assert result.exit_code == 0, result.stderr
    return "".join(result.stdout + result.stderr for result in results)


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores in which runs, topics and measures have hostile names: JSON can say all of them."""
    rng = np.random.default_rng(0)
    place = tmp_path_factory.mktemp("scores") / "scores.jsonl"
    names = MARKUP + CONTROLS
    lines = [
        {"run": run, "topic": topic, "measure": measure, "value": float(rng.random())}
        for run in names
        for topic in names
        for measure in (EVIL, CONTROLS[0], "AP")
    ]
    place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return place


@pytest.fixture
def hostile(collection: list[Path], tmp_path: Path) -> list[Path]:
    """Judgments and six runs whose tags and files have hostile names, on hostile topics."""
    tags = [*MARKUP[:3], "del\x7f", "\x9b2J", "\u202egnp.evil"]
    topics: dict[str, str] = {}

    def renamed(line: str) -> list[str]:
        topic, *words = line.split()
        return [topics.setdefault(topic, f"{tags[len(topics) % len(tags)]}{len(topics)}"), *words]

    files = []
    for place, (path, name) in enumerate(
        zip(collection, ["qrels\x1b[31m", "a\nb", "c\u202e", "<svg onload=alert(1)>", "d", "e", "f"], strict=True)
    ):
        words = [renamed(line) for line in path.read_text().splitlines()]
        for line in words:
            line[5:] = [tags[place - 1]] if place else []
        files.append(tmp_path / name)
        files[-1].write_text("".join(" ".join(line) + "\n" for line in words))
    return files


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "-m", "AP", "-q"],
        ["check"],
        ["compare", "-m", "AP"],
        ["correlate", "-m", "AP nDCG", "--runs", "top:4:AP"],
        ["robustness", "-m", "AP nDCG", "--rates", "100,50", "--samples", 2],
    ],
)
def test_no_control_character_of_a_name_reaches_a_terminal(
    gradeval: Gradeval, hostile: list[Path], words: list[object]
) -> None:
    command, *options = words
    assert RAW.findall(says(gradeval(command, *hostile, *options))) == []


def test_notes_on_missing_topics_and_shared_tags_are_clean(gradeval: Gradeval, hostile: list[Path]) -> None:
    qrels, first, *_ = hostile
    lines = first.read_text().splitlines()
    lacking = first.with_name("lacking\x1b[2J")
    lacking.write_text("\n".join(lines[len(lines) // 2 :]) + f"\n\x9bother Q0 d1 1 1 {lines[0].split()[-1]}\n")
    said = says(gradeval("evaluate", qrels, first, lacking, "-m", "AP"), gradeval("check", qrels, first, lacking))
    assert "\\x9bother" in said
    assert "lacking\\x1b[2J" in said
    assert RAW.findall(said) == []


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "no\x1b[31mfile", "no\nfile"],
        ["evaluate", "-m", "\x1b[31mAP", "q", "r"],
        ["eval\x1b[31muate"],
        ["compare", "--scores", "no\u202efile"],
        ["rank", "no\x9bmodel", "none"],
    ],
)
def test_an_error_is_one_line_without_control_characters(gradeval: Gradeval, words: list[str]) -> None:
    result = gradeval(*words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert RAW.findall(result.stderr) == []


def test_scores_with_hostile_names_are_studied(gradeval: Gradeval, scores: Path) -> None:
    args = ["--scores", scores, "--samples", 20]
    assert RAW.findall(says(gradeval("compare", *args, "--test", "permutation"), gradeval("discriminate", *args))) == []


FORGED = [*CONTROLS, "1\nmap                   \tall\t1.0000", "1\rb", "1\x85b", "tab\there", "\x1c"]
"""Names that JSON, Parquet and frames can say, some of which look like further lines."""
PLAIN = ["301", "a_b", "50%", "x,y", 'say "hi"', "C:\\runs", "日本語", "=1+1", "-"]


def evaluated(gradeval: Gradeval, folder: Path, topics: list[str], format: str) -> Result:
    """What evaluate writes of two runs with these topics."""
    (folder / "qrels.json").write_text(json.dumps({topic: {"d": 1, "e": 0} for topic in topics}))
    for place, run in enumerate("ab"):
        answers = {topic: {"d": float(place), "e": 1.0} for topic in topics}
        (folder / f"{place}.jsonl").write_text(
            "".join(
                json.dumps({"run": run, "query_id": topic, "doc_id": document, "score": score}) + "\n"
                for topic, scores in answers.items()
                for document, score in scores.items()
            )
        )
    files = [folder / f"{place}.jsonl" for place in range(2)]
    return gradeval("evaluate", folder / "qrels.json", *files, "-m", "AP P@1", "-q", "--format", format)


@pytest.mark.parametrize("format", ["tsv", "jsonl", "markdown", "latex", "table", "trec_eval"])
def test_each_name_is_of_its_line_in_every_format(gradeval: Gradeval, tmp_path: Path, format: str) -> None:
    """As many lines as without hostile names, none of which holds a control character; other names are as they were."""
    hostile = says(evaluated(gradeval, tmp_path, FORGED, format))
    assert RAW.findall(hostile.replace("\t", "")) == []
    named = says(evaluated(gradeval, tmp_path, [f"topic{number}" for number in range(len(FORGED))], format))
    assert len(hostile.splitlines()) == len(named.splitlines())
    assert len(re.findall(r"^map +\tall\t", hostile, re.M)) == len(re.findall(r"^map +\tall\t", named, re.M))


def test_each_name_is_of_its_cell_in_csv(gradeval: Gradeval, tmp_path: Path) -> None:
    """Whose readers get line breaks back; no other control character is there."""
    result = evaluated(gradeval, tmp_path, FORGED, "csv")
    assert RAW.findall(says(result)) == []
    rows = list(csv.DictReader(io.StringIO(result.stdout, newline="")))
    assert len(rows) == 2 * 2 * (len(FORGED) + 1)  # and the means
    assert [name for name in FORGED if "\n" in name and "\t" not in name] == ["two\nlines"]
    assert sum(row["topic"] == "two\nlines" for row in rows) == 2 * 2
    assert all(row["value"] and row["measure"] in ("AP", "P@1") for row in rows)


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl"])
def test_names_without_control_characters_are_read_back_as_they_were(ending: str, tmp_path: Path) -> None:
    names = [*PLAIN, *MARKUP]
    scores = evaluate(
        {name: {"d": 1} for name in names}, {name: {n: {"d": 1.0} for n in names} for name in names}, "AP"
    )
    scores.save(tmp_path / f"x.{ending}", by_topic=True)
    again = read_scores(tmp_path / f"x.{ending}")
    assert (again.topics, again.runs) == (names, names)


def test_trec_eval_s_own_command_keeps_each_name_in_its_line(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text(json.dumps({topic: {"d": 1} for topic in FORGED}))
    (tmp_path / "run.json").write_text(json.dumps({topic: {"d": 1.0} for topic in FORGED}))
    said = says(
        gradeval("trec_eval", "-q", "-m", "map", "-m", "num_rel", tmp_path / "qrels.json", tmp_path / "run.json")
    )
    assert RAW.findall(said.replace("\t", "")) == []
    assert len(said.splitlines()) == 2 * (len(FORGED) + 1)


def test_svg_and_pdf_of_hostile_names_are_whole(gradeval: Gradeval, scores: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    from xml.etree import ElementTree

    args = ["--scores", scores, "--samples", 20]
    says(*(gradeval("discriminate", *args, "--plot", tmp_path / f"plot.{end}") for end in ("svg", "pdf")))
    texts = "".join(ElementTree.parse(tmp_path / "plot.svg").getroot().itertext())
    assert "\\x1b[31mred" in texts
    assert EVIL in texts
    assert (tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF")


FEW = ["--samples", 20]
PLOTS = {
    "compare": ["compare", "scores", "--test", "permutation", *FEW],
    "baseline": ["compare", "scores", "--baseline", EVIL, "--test", "permutation", *FEW],
    "discriminate": ["discriminate", "scores", *FEW],
    "correlate scores": ["correlate", "scores", *FEW],
    "correlate": ["correlate", "runs", "-m", "AP nDCG", *FEW],
    "robustness": ["robustness", "runs", "-m", "AP nDCG", "--rates", "100,50", "--samples", 2],
    "inform": ["inform", "runs", "-m", "AP nDCG", "--least", 1, *FEW],
    "inform grid": ["inform_users", "runs", "-m", "AP", "--step", "0.5", "--runs", "top:2:AP", "--least", 1, *FEW],
    "swaps": ["swaps", "--levels", "2,5", "--items", 20, "--swaps", 6, "--repetitions", 4],
    "users": ["virtual-users", "parts", "--strategies", "1,2", "--users", "2:values,3", "--samples", 20],
    "train": ["train", "parts", "--objective", "lambdarank:AP", "--ranker", "linear", "--epochs", 3],
    "crossval": ["crossval", "parts", "--objective", "lambdarank:AP", "--ranker", "linear", "--epochs", 2, "--jobs", 1],
}


@pytest.mark.parametrize("chart", PLOTS)
def test_on_a_page_hostile_names_are_text(
    browse: Browse, gradeval: Gradeval, scores: Path, hostile: list[Path], tmp_path: Path, chart: str
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    if chart in ("train", "crossval"):
        pytest.importorskip("torch")
    parts = [tmp_path / f"<svg onload=alert({number})>\x1b.txt" for number in range(4)]
    for number, part in enumerate(parts):
        write_letor(graded_features(6, seed=number, prefix=f"{EVIL}{number}-"), part)
    inputs: dict[object, list[object]] = {"scores": ["--scores", scores], "runs": [*hostile], "parts": [*parts]}
    words = [word for given in PLOTS[chart] for word in inputs.get(given, [given])]
    page = tmp_path / "page.html"
    says(gradeval(*words, "--plot", page))
    with browse(page) as visit:
        for mark in visit.page.locator(".mark-symbol path, .mark-rect path").all()[:3]:
            mark.hover(force=True)  # a tooltip may appear
        assert visit.violations() == []
        assert (visit.dialogs, visit.requests, visit.said) == ([], [page.as_uri()], [])
        assert RAW.findall(visit.page.locator("main").inner_text().replace("\t", " ")) == []
        if chart in ("compare", "baseline", "discriminate", "correlate scores"):
            assert EVIL in visit.text()
            assert "\\x1b[31mred" in visit.text()

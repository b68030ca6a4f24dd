from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

from gradeval import Scores, evaluate, read_qrels, read_run, read_scores

from .conftest import Gradeval

MEASURES = "AP nDCG@10 GAP(g=[0.5,0.5]) nDCG(dcg='exp-log2')@2 RBP NumRet"
Row = dict[str, object]


@pytest.fixture
def scores(files: list[Path]) -> Scores:
    return evaluate(read_qrels(files[0]), [read_run(path) for path in files[1:]], MEASURES)


def rows(text: str, form: str) -> list[Row]:
    """Rows of a long format as a reader that knows nothing of gradeval sees them, numbers as floats."""
    if form == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    table = csv.DictReader(io.StringIO(text), delimiter="\t" if form == "tsv" else ",")
    numbers = ("value", "low", "high")
    return [
        {name: (float(cell) if cell else None) if name in numbers else cell for name, cell in row.items()}
        for row in table
    ]


def expected(scores: Scores, *, by_topic: bool) -> list[Row]:
    names = list(map(str, scores.measures))
    cells = [
        (run, topic, measure, float(scores.values[r, t, m]))
        for r, run in enumerate(scores.runs)
        for t, topic in enumerate(scores.topics)
        for m, measure in enumerate(names)
        if by_topic
    ]
    mean = scores.mean()
    cells += [
        (run, "all", name, float(mean[r, m])) for r, run in enumerate(scores.runs) for m, name in enumerate(names)
    ]
    return [dict(zip(("run", "topic", "measure", "value"), cell, strict=True)) for cell in cells]


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
@pytest.mark.parametrize("by_topic", [False, True])
def test_long_formats_read_back_to_the_last_bit(
    gradeval: Gradeval, files: list[Path], scores: Scores, form: str, by_topic: bool
) -> None:
    flags = ["-q"] if by_topic else []
    result = gradeval("evaluate", *files, "-m", MEASURES, "--format", form, *flags)
    assert rows(result.stdout, form) == expected(scores, by_topic=by_topic)


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_intervals_are_two_more_fields_that_only_means_fill(
    gradeval: Gradeval, files: list[Path], scores: Scores, form: str
) -> None:
    result = gradeval("evaluate", *files, "-m", MEASURES, "--format", form, "-q", "--ci")
    records = rows(result.stdout, form)
    assert all(list(row) == ["run", "topic", "measure", "value", "low", "high"] for row in records)
    assert all(row["low"] is None and row["high"] is None for row in records if row["topic"] != "all")
    bounds = [[row["low"], row["high"]] for row in records if row["topic"] == "all"]
    assert bounds == scores.ci().reshape(-1, 2).tolist()


def test_only_topics_that_count_have_lines(gradeval: Gradeval, files: list[Path]) -> None:
    arguments = [*files, "-m", "AP", "-q", "--format", "tsv"]
    skipped = rows(gradeval("evaluate", *arguments, "--missing", "skip", "--empty", "skip").stdout, "tsv")
    assert [(row["run"], row["topic"]) for row in skipped] == [
        ("good", "t1"), ("good", "t2"), ("bad", "t1"), ("bad", "t2"), ("good", "all"), ("bad", "all"),
    ]  # fmt: skip
    credited = rows(gradeval("evaluate", *arguments, "--empty", "one").stdout, "tsv")
    assert [row["value"] for row in credited if row["topic"] == "t3"] == [1, 1]


def test_a_table_shows_what_the_tsv_says_and_marks_the_best(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("evaluate", *files, "-m", "AP P@1 NumRet", "--digits", 2)
    head, rule, good, bad, legend = result.stdout.splitlines()
    assert head.split() == ["run", "AP", "P@1", "NumRet"]
    assert set(rule) == {"-"}
    assert good.split() == ["good", "0.67*", "0.67*", "6"]  # a count is neither rounded nor better
    assert bad.split() == ["bad", "0.22", "0.00", "5"]
    assert legend == "* best of its column"


def test_a_table_with_topics_has_the_means_at_its_end(gradeval: Gradeval, files: list[Path]) -> None:
    lines = gradeval("evaluate", *files, "-m", "AP", "-q", "--missing", "skip").stdout.splitlines()
    assert [line.split() for line in lines if "-" not in line] == [
        ["run", "topic", "AP"],
        ["good", "t1", "1.0000"], ["good", "t2", "1.0000"], ["good", "t3", "0.0000"],
        ["bad", "t1", "0.1667"], ["bad", "t2", "0.5000"], ["bad", "t3"],
        ["good", "all", "0.6667*"], ["bad", "all", "0.3333"], ["*", "best", "of", "its", "column"],
    ]  # fmt: skip


def test_markdown_is_a_table_with_the_best_in_bold(gradeval: Gradeval, files: list[Path]) -> None:
    lines = gradeval("evaluate", *files, "-m", "AP P@1", "--format", "markdown").stdout.splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["run", "AP", "P@1"]
    assert [cell.strip("-") for cell in cells[1]] == ["", ":", ":"]
    assert cells[2:4] == [["good", "**0.6667**", "**0.6667**"], ["bad", "0.2222", "0.0000"]]
    assert lines[4:] == ["", "Means over 3 topics; bold: best of its column."]


def test_latex_is_a_booktabs_table_with_the_best_in_bold(gradeval: Gradeval, files: list[Path]) -> None:
    text = gradeval("evaluate", *files, "-m", "AP GAP(g={1:1})", "--format", "latex").stdout
    assert "\\begin{tabular}{lrr}\n\\toprule\nrun & AP & GAP(g=\\{1:1\\}) \\\\\n\\midrule\n" in text
    assert "good & \\textbf{0.6667} & \\textbf{0.6667} \\\\\n" in text
    assert text.endswith("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
    assert "\\caption{Means over 3 topics; bold: best of its column.}\n\\label{tab:means-AP-GAP-g-1-1}\n" in text
    bare = gradeval("evaluate", *files, "-m", "AP", "--format", "latex", "--caption", "", "--label", "").stdout
    assert "table}" not in bare
    assert "caption" not in bare


@pytest.mark.parametrize("command", ["evaluate", "ranks", "correlate"])
def test_captions_and_labels_of_ones_own(gradeval: Gradeval, files: list[Path], command: str) -> None:
    args = [command, *files, "-m", "AP P@1", "--caption", "Ours & theirs", "--label", "tab:ours"]
    if command == "correlate":
        args += ["--samples", 0]
    text = gradeval(*args, "--format", "latex").stdout
    legends = {"correlate": r". \textdagger{} above 0.99.", "evaluate": ". Bold: best of its column."}
    marks = legends.get(command, "")
    assert rf"Ours \& theirs{marks}}}" in text
    assert r"\label{tab:ours" in text
    assert "Ours & theirs" in gradeval(*args, "--format", "markdown").stdout
    assert "--caption stands in latex, markdown, html alone; it is ignored" in gradeval(*args, "-v").stderr


@pytest.mark.parametrize(
    ("command", "labels"),
    [
        ("evaluate", ["tab:main"]),
        ("compare", ["tab:main", "tab:main-AP"]),
        ("ranks", ["tab:main"]),
        ("robustness", ["tab:main"]),
    ],
)
def test_a_label_of_ones_own_is_written_to_a_file_as_it_is(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, command: str, labels: list[str]
) -> None:
    written = tmp_path / "main.tex"
    assert gradeval(command, *files, "-m", "AP", "--label", "tab:main", "-o", written).exit_code == 0
    assert re.findall(r"\\label\{(.*?)\}", written.read_text()) == labels


def test_trec_eval_prints_three_columns_under_its_own_names(gradeval: Gradeval, files: list[Path]) -> None:
    measures = "AP nDCG@10 P@5 NumRelRet GAP AP(rel=2)"
    lines = gradeval("evaluate", *files[:2], "-m", measures, "-q", "--format", "trec_eval").stdout.splitlines()
    assert lines[0] == "runid                 \tall\tgood"
    assert lines[1] == "map                   \tt1\t1.0000"
    names = ["map", "ndcg_cut_10", "P_5", "num_rel_ret", "GAP", "AP(rel=2)"]
    assert [line.split("\t")[0].strip() for line in lines[1:]] == names * 4
    assert [line.split("\t")[1] for line in lines[1:]] == [t for t in ("t1", "t2", "t3", "all") for _ in names]
    assert lines[-3] == "num_rel_ret           \tall\t3"


def test_parquet_holds_all_values_and_loads_as_scores(
    gradeval: Gradeval, files: list[Path], scores: Scores, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    target = tmp_path / "scores.parquet"
    assert gradeval("evaluate", *files, "-m", MEASURES, "--missing", "skip", "-o", target).exit_code == 0
    loaded = read_scores(target)
    assert (loaded.values == scores.values).all()
    assert (loaded.runs, loaded.topics, loaded.measures) == (scores.runs, scores.topics, scores.measures)
    assert loaded.missing == "skip"


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl", "markdown", "latex", "trec_eval", "table"])
def test_a_file_gets_the_same_bytes_as_standard_output(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, name: str
) -> None:
    target = tmp_path / "out"
    result = gradeval("evaluate", *files, "--format", name, "-o", target)
    assert (result.exit_code, result.stdout) == (0, "")
    assert target.read_bytes() == gradeval("evaluate", *files, "--format", name).stdout_bytes


@pytest.mark.parametrize(
    ("suffix", "name"),
    [
        (".tsv", "tsv"),
        (".CSV", "csv"),
        (".jsonl", "jsonl"),
        (".md", "markdown"),
        (".tex", "latex"),
        (".txt", "table"),
        ("", "table"),
    ],
)
def test_the_name_of_a_file_says_its_format(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, suffix: str, name: str
) -> None:
    target = tmp_path / f"out{suffix}"
    gradeval("evaluate", *files, "-o", target)
    assert target.read_bytes() == gradeval("evaluate", *files, "--format", name).stdout_bytes


@pytest.mark.parametrize(
    ("args", "accepted"),
    [
        (["--format", "parquet"], "-o scores.parquet"),
        (["--format", "trec_eval", "--ci"], "tsv"),
        (["-o", "x.parquet", "--ci"], "jsonl"),
    ],
)
def test_what_a_format_cannot_do_is_an_error_before_any_work(
    gradeval: Gradeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], accepted: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = gradeval("evaluate", "not there", "nor this", *args)
    assert result.exit_code == 2
    assert accepted in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".json", ".htm", ".XLSX", ".tsv.gz"])
@pytest.mark.parametrize("command", ["evaluate", "correlate"])
def test_an_ending_that_names_no_format_is_an_error_before_any_work(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, command: str, ending: str
) -> None:
    target = tmp_path / f"out{ending}"
    result = gradeval(command, *files, "-m", "AP P@1", "-o", target)
    assert result.exit_code == 2
    said = result.stderr.splitlines()[-1]
    assert f"no format has the ending {target.suffix.lower()}; accepted: .txt, .tsv, .csv, .jsonl, .md, .tex" in said
    assert not target.exists()
    assert gradeval("evaluate", *files, "-m", "AP", "--format", "tsv", "-o", target).exit_code == 0


@pytest.mark.parametrize(
    ("command", "options", "pictures"),
    [
        ("evaluate", ["-q"], 1),
        ("ranks", [], 1),
        ("compare", ["--test", "t"], 1),
        ("correlate", ["--samples", 0], 1),
        ("describe", [], 1),
        ("check", [], 0),
    ],
)
def test_a_page_holds_the_tables_and_the_chart_of_the_result(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, command: str, options: list[object], pictures: int
) -> None:
    pytest.importorskip("vl_convert")
    pytest.importorskip("jinja2")
    pytest.importorskip("altair")
    measures = [] if command in ("describe", "check") else ["-m", "AP nDCG@10"]
    result = gradeval(command, *collection, *measures, *options, "-o", tmp_path / "page.html")
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "page.html").read_text()
    assert f"<h1>gradeval {command}</h1>" in page
    assert page.count("<figure") == pictures
    assert "Content-Security-Policy" in page
    for name in (run.stem for run in collection[1:]):
        assert f">{name}</th>" in page or command in ("compare", "correlate", "describe")
    if command == "evaluate":
        scores = evaluate(collection[0], collection[1:], "AP")
        keys = [float(key) for key in re.findall(r'data-value="([^"]+)"', page)]
        assert all(min(abs(key - mean) for key in keys) < 1e-6 for mean in scores.mean()[:, 0].tolist())


def test_a_page_without_its_packages_is_refused_before_any_work(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for command in ("evaluate", "check", "correlate"):
        result = gradeval(command, *files, "-o", tmp_path / "page.html")
        assert result.exit_code == 2
        assert "page.html needs the package jinja2: pip install 'gradeval[report]'" in result.stderr
    assert list(tmp_path.glob("*.html")) == []


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
@pytest.mark.parametrize("command", ["gate", "compare"])
def test_a_page_without_what_draws_is_written_without_its_picture(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    result = gradeval(command, *files[:3], "-o", tmp_path / "page.html", "-o", tmp_path / "page.md")
    assert result.exit_code in (0, 1), result.stderr
    assert "page.html has no picture: pip install 'gradeval[charts]' adds what draws it" in result.stderr
    page = (tmp_path / "page.html").read_text()
    assert "<figure" not in page
    assert "<table" in page
    assert (tmp_path / "page.md").stat().st_size


def test_parquet_without_pyarrow_is_refused_before_any_work(
    gradeval: Gradeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = gradeval("evaluate", "not there", "nor this", "-o", tmp_path / "scores.parquet")
    assert result.exit_code == 2
    assert "scores.parquet: writing it needs the package pyarrow" in result.stderr
    assert not list(tmp_path.iterdir())

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from awkward_tables import AWKWARD, FORBIDDEN, HOSTILE, table, written
from score_tables import scores_of

from gradeval import compare, correlate
from gradeval.tables.grid import Column, Estimate, Grid
from gradeval.tables.markup import facts
from gradeval.tables.records import Records
from gradeval.tables.table import Table


def test_markdown_escapes_what_would_be_markup() -> None:
    lines = written("markdown", table(AWKWARD[:8])).splitlines()
    for line, name in zip(lines[2:], AWKWARD, strict=False):
        cells = re.split(r"(?<!\\)\|", line)
        assert len(cells) == 4
        assert re.sub(r"\\(.)", r"\1", cells[1].strip()) == name


def test_a_name_is_no_link_and_no_picture_in_markdown() -> None:
    text = written("markdown", table(["[go](http://a.b)", "![see](x.png)", "GAP(g=[0.5,0.5])"]))
    assert re.findall(r"(?<!\\)\]\(", text) == []
    assert "GAP(g=[0.5,0.5])" in text


def test_latex_escapes_what_would_be_markup() -> None:
    text = written("latex", table(["a_b", "50%", "A & B", "C:\\runs", "{x}", "#1", "~", "^", "$"]))
    names = [re.split(r" & (?=\d)", line)[0] for line in text.splitlines()[5:-2]]
    assert names == [
        r"a\_b", r"50\%", r"A \& B", r"C:\textbackslash{}runs", r"\{x\}", r"\#1", r"\textasciitilde{}",
        r"\textasciicircum{}", r"\$",
    ]  # fmt: skip


def test_html_is_escaped_has_titles_of_rows_and_columns_and_marks_the_best() -> None:
    grid = Grid(
        [Column("run", "name"), Column("AP", spec=".1f")], [["<script>", 0.5], ["b", 0.1]], best=frozenset({(0, 1)})
    )
    text = Table([grid], Records({}))._repr_html_()
    assert "<script>" not in text
    assert '<th scope="row" style="text-align:left">&lt;script&gt;</th>' in text
    assert '<th scope="col" style="text-align:right">AP</th>' in text
    assert "<strong>0.5</strong>" in text
    assert text.count("<strong>") == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_facts_for_a_notebook_are_escaped(name: str) -> None:
    shown = facts(f"<b>{name}", [(name, "<script>"), ("lines", 1_234)])
    assert "&lt;b&gt;" in shown
    assert "&lt;script&gt;" in shown
    assert "1,234" in shown
    assert not FORBIDDEN.search(shown)


def test_latex_leaves_room_for_a_mark_behind_numbers_that_have_none() -> None:
    columns = [Column("run", "name"), Column("AP", spec=".2f"), Column("P", spec=".2f"), Column("note", "text")]
    rows = [
        ["a", Estimate(0.5, "▲", (0.4, 0.6)), 0.1, "x"],
        ["b", Estimate(0.4, " ", (0.3, 0.5)), 0.2, "y"],
        ["c", 0.3, 0.3, "z"],
        ["d", None, 0.3, None],
    ]
    room = r"\phantom{$\blacktriangle$}"
    lines = written("latex", Table([Grid(columns, rows)], Records([], []))).splitlines()
    assert [line for line in lines if line.endswith(r"\\")][1:] == [
        r"a & 0.50$\blacktriangle$ [0.40, 0.60] & 0.10 & x \\",
        rf"b & 0.40{room} [0.30, 0.50] & 0.20 & y \\",
        rf"c & 0.30{room} & 0.30 & z \\",
        r"d &  & 0.30 &  \\",
    ]


def test_latex_has_a_minus_before_negative_numbers_and_keeps_hyphens_of_names() -> None:
    columns = [Column("run", "name"), Column("d", spec="+.2f"), Column("interval", spec="+.2f"), Column("note", "text")]
    rows = [["a -1", Estimate(-0.5, "▼"), (-0.6, 0.4), "b -2"], ["x-2", Estimate(0.25, " "), (-0.1, -0.05), "-"]]
    grid = Grid(columns, rows, best=frozenset({(0, 1)}))
    lines = written("latex", Table([grid], Records([], []))).splitlines()
    assert [line for line in lines if line.endswith(r"\\")][1:] == [
        r"a -1 & \textbf{$-$0.50$\blacktriangledown$} & [$-$0.60, +0.40] & b -2 \\",
        r"x-2 & +0.25\phantom{$\blacktriangle$} & [$-$0.10, $-$0.05] & - \\",
    ]


@pytest.mark.parametrize(("form", "bold"), [("latex", r"\textbf{0.58}"), ("markdown", "**0.58**")])
@pytest.mark.parametrize("mark", ["", " "])
def test_no_blank_stands_within_bold(form: str, bold: str, mark: str) -> None:
    rows = [["one", Estimate(0.58, mark)], ["two", Estimate(0.5, mark)]]
    grid = Grid([Column("run", "name"), Column("AP", spec=".2f")], rows, best=frozenset({(0, 1)}))
    assert bold in written(form, Table([grid], Records.of(["run"], [["one"], ["two"]])))


PAIR = [["a", "1"], ["b", "2"]]


@pytest.mark.parametrize(
    ("captions", "titles", "floats"),
    [
        ((None,), ("AP",), []),
        (("All.",), ("",), [("All.", "")]),
        (("All.",), ("AP",), [("All.", "tab:AP")]),
        ((None, None), ("P@5", "P@5"), [("P@5", "tab:P-5"), ("P@5", "tab:P-5-2")]),
        (("One.", None), ("AP", "nDCG(dcg='exp-log2')@10"), [("One.", "tab:AP"), (None, "tab:nDCG-dcg-exp-log2-10")]),
        (("", ""), ("AP", "P"), []),
    ],
)
def test_each_of_several_tables_is_a_float_with_caption_and_label(
    captions: tuple[str | None, ...], titles: tuple[str, ...], floats: list[tuple[str | None, str]]
) -> None:
    both = zip(captions, titles, strict=True)
    grids = [replace(Grid.of_texts(["run", "AP"], PAIR, title=title), caption=caption) for caption, title in both]
    text = written("latex", Table(grids, Records([], [])))
    begun = re.findall(r"\\begin\{table\}\n\\centering\n\\caption\{(.*)\}\n(?:\\label\{(.*)\}\n)?\\begin\{tab", text)
    shown = [caption or title for (caption, _), title in zip(floats, titles, strict=False)]
    assert begun == [(caption, label) for caption, (_, label) in zip(shown, floats, strict=True)]
    assert text.count(r"\end{table}") == len(floats)
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == len(grids)
    assert text.count("booktabs") == 1


def numbered(rows: int, columns: int) -> Table:
    """A captioned table of so many rows and of columns of numbers of six letters."""
    head = ["run", *(f"P@{place}" for place in range(columns))]
    cells = [[f"run{row}", *["0.1234"] * columns] for row in range(rows)]
    return Table([replace(Grid.of_texts(head, cells), caption="All.", label="tab:all")], Records([], []))


@pytest.mark.parametrize(("columns", "wide"), [(3, False), (12, True)])
def test_a_long_table_goes_over_pages_under_the_same_head(columns: int, wide: bool) -> None:
    text = written("latex", numbered(126, columns))
    assert text.startswith("% needs \\usepackage{booktabs,longtable}\n")
    head, *_, lines = text.split("\\endhead")
    assert r"\begin{table}" not in text
    assert head.count("P@2") == 2  # on the first page, and on the others
    assert "\\caption{All.}\n\\label{tab:all}\\\\\n" in head
    assert lines.count("run") == 126
    assert ("\\scriptsize" in head) == ("fewer measures" in head) == wide
    assert r"\begin{longtable}" not in written("latex", numbered(40, columns))


def test_a_table_that_is_wider_than_a_line_is_made_smaller() -> None:
    assert r"\resizebox" not in written("latex", numbered(3, 2))
    text = written("latex", numbered(3, 5))
    assert text.startswith("% needs \\usepackage{booktabs,graphicx}\n")
    assert text.index(r"\resizebox") < text.index(r"\begin{tabular}")
    assert "\\end{tabular}}\n\\end{table}\n" in text


def test_the_packages_of_all_tables_stand_on_top() -> None:
    grids = [grid for size in ((3, 2), (3, 5), (126, 2)) for grid in numbered(*size).grids]
    text = written("latex", Table(grids, Records([], [])))
    assert text.startswith("% needs \\usepackage{booktabs,longtable,graphicx}\n")
    assert text.count("usepackage") == 1
    marked = Grid.of_texts(["run", "AP"], [["a", "0.1▲"]])
    text = written("latex", Table([*grids[:1], marked], Records([], [])))
    assert text.startswith("% needs \\usepackage{booktabs,amssymb}\n")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_pdflatex_takes_long_and_wide_tables(tmp_path: Path) -> None:
    bare = [Table([replace(grid, caption="", label="")], Records([], [])) for grid in numbered(50, 12).grids]
    tables = [numbered(rows, columns) for rows in (3, 126) for columns in (2, 12)]
    head = "\\documentclass{article}\\usepackage{booktabs,longtable,graphicx}\\begin{document}"
    body = "\n\n".join(written("latex", one) for one in [*tables, *bare])
    (tmp_path / "all.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_means_and_correlations_fit_a_column_of_two(tmp_path: Path) -> None:
    values = np.random.default_rng(0).uniform(0, 1, (6, 30, 5)) / 2 + np.arange(6)[:, None, None] / 12
    scores = scores_of(values, "AP nDCG@10 GAP P@10 ERR@20")
    some = scores.sel(measures=scores.measures[:3])
    tables = [compare(scores, baseline="A"), correlate(scores), correlate(some), compare(some), scores]
    head = "\\documentclass{article}\\usepackage{booktabs,amssymb,graphicx}\\begin{document}\\twocolumn"
    body = "\n\n".join(one.to_latex(caption="Ours.") for one in tables)
    (tmp_path / "all.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert b"Overfull" not in done.stdout


@pytest.mark.parametrize("form", ["markdown", "html", "latex", "tsv", "csv", "jsonl"])
def test_captions_stand_where_a_format_has_them(form: str) -> None:
    grid = replace(Grid.of_texts(["run", "AP"], PAIR), caption="▲: better & worse.", foot="▲ better")
    table = Table([grid], Records.of(["run"], [["a"], ["b"]]))
    text = table._repr_html_() if form == "html" else written(form, table)
    shown = {
        "markdown": "\n\n▲: better & worse.\n",
        "html": "<caption>▲: better &amp; worse.</caption>",
        "latex": r"\caption{$\blacktriangle$: better \& worse.}",
    }
    assert shown.get(form, "run") in text
    assert ("worse" in text) == (form in shown)

"""A table in every format, read back by readers that know nothing of gradeval."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from gradeval import InputError, evaluate
from gradeval.tables.format import FORMATS
from gradeval.tables.grid import Column, Estimate, Grid
from gradeval.tables.markup import facts
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Table
from gradeval.tables.text import plain, show, styled

AWKWARD = [
    "plain",
    "a_b",
    "50%",
    "A & B",
    "x|y",
    "C:\\runs",
    'say "hi", twice',
    "*star*",
    "tab\there",
    "line\nbreak",
    "日本語",
]
HOSTILE = ["\x1b[2J", "a\nb", "\x7f", "\x9b31m", "\u202eevil", "x\u2066y", "p\u2028q", "\ud800"]
"""An escape sequence, a line break, DEL, C1, bidirectional controls, a line separator, half of a character."""
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def table(names: list[str]) -> Table:
    """Names and a number each: 0, 1/7, 2/7 ..."""
    values = [place / 7 for place in range(len(names))]
    grid = Grid([Column("run", "name"), Column("AP", spec=".4f")], list(zip(names, values, strict=True)))
    return Table([grid], Records({"run": Coded(names, np.arange(len(names))), "value": np.array(values)}))


def written(name: str, shown: Table) -> str:
    file = io.BytesIO()
    shown.write(file, name)
    return file.getvalue().decode()


def test_every_ending_is_that_of_one_format() -> None:
    assert list(FORMATS) == ["table", "tsv", "csv", "jsonl", "markdown", "latex", "html", "parquet"]
    assert len({format.ending for format in FORMATS.values()}) == len(FORMATS)


def test_csv_quotes_names_so_that_readers_get_them_back() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", table(AWKWARD)), newline="")))
    escaped = [name.replace("\t", "\\t").replace("\n", "\\n") for name in AWKWARD]
    assert [row["run"] for row in rows] == escaped
    assert [float(row["value"]) for row in rows] == [place / 7 for place in range(len(AWKWARD))]


def test_jsonl_gives_names_and_numbers_back() -> None:
    rows = [json.loads(line) for line in written("jsonl", table([*AWKWARD, *HOSTILE[:-1]])).split("\n")[:-1]]
    assert [row["run"] for row in rows] == [*AWKWARD, *HOSTILE[:-1]]
    assert [row["value"] for row in rows] == [place / 7 for place in range(len(rows))]


def test_tsv_has_one_line_a_record_whatever_the_names() -> None:
    text = written("tsv", table(AWKWARD))
    assert {line.count("\t") for line in text.splitlines()} == {1}
    assert len(text.split("\n")) == 1 + len(AWKWARD) + 1
    assert "tab\\there\t" in text


def test_exact_values_that_are_none_or_infinite() -> None:
    records = Records.of(["p", "who", "sure"], [(0.1 + 0.2, None, True), (float("inf"), "x", False)])
    assert written("tsv", Table([], records)) == "p\twho\tsure\n0.30000000000000004\t\tTrue\ninf\tx\tFalse\n"
    assert written("csv", Table([], records)) == "p,who,sure\n0.30000000000000004,,True\ninf,x,False\n"
    assert written("jsonl", Table([], records)) == (
        '{"p": 0.30000000000000004, "who": null, "sure": true}\n{"p": null, "who": "x", "sure": false}\n'
    )


def test_long_records_are_written_in_one_piece() -> None:
    rows = 100_000  # more than are joined at a time
    records = Records({"n": np.arange(rows), "x": np.arange(rows) / 3})
    lines = written("tsv", Table([], records)).splitlines()
    assert lines[1:] == [f"{n}\t{n / 3!r}" for n in range(rows)]


def test_records_become_an_arrow_table() -> None:
    pytest.importorskip("pyarrow")
    frame = table(["a", "b"]).to_frame()
    assert frame.to_pydict() == {"run": ["a", "b"], "value": [0.0, 1 / 7]}


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"parquet"}))
def test_no_text_holds_a_control_character(name: str) -> None:
    shown = table(HOSTILE)
    grids = [*shown.grids, Grid([Column("\x1b]0;title", "name")], [], title="\u202etitle")]
    named = Coded(["\x1b[2J\u202e"] * len(HOSTILE), np.arange(len(HOSTILE)))
    shown = Table(grids, Records(shown.records.fields | {"\x1b[2J\u202e": named}))
    assert not FORBIDDEN.search(written(name, shown).replace("\t", ""))
    assert "1b[2J" in written(name, shown) or "001b[2J" in written(name, shown)
    assert "u202e" in written(name, shown)


@pytest.mark.parametrize("name", ["table", "tsv", "csv", "jsonl", "markdown", "latex"])
def test_a_terminal_gets_no_control_character_of_a_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")

    class Terminal(io.BytesIO):
        def isatty(self) -> bool:
            return True

    file = Terminal()
    table(HOSTILE).write(file, name)
    assert not FORBIDDEN.search(file.getvalue().decode().replace("\t", ""))


def test_markdown_escapes_what_would_be_markup() -> None:
    lines = written("markdown", table(AWKWARD[:8])).splitlines()
    for line, name in zip(lines[2:], AWKWARD, strict=False):
        cells = re.split(r"(?<!\\)\|", line)
        assert len(cells) == 4
        assert re.sub(r"\\(.)", r"\1", cells[1].strip()) == name


def test_latex_escapes_what_would_be_markup() -> None:
    text = written("latex", table(["a_b", "50%", "A & B", "C:\\runs", "{x}", "#1", "~", "^", "$"]))
    names = [re.split(r" & (?=\d)", line)[0] for line in text.splitlines()[5:-2]]
    assert names == [
        r"a\_b", r"50\%", r"A \& B", r"C:\textbackslash{}runs", r"\{x\}", r"\#1", r"\textasciitilde{}",
        r"\textasciicircum{}", r"\$",
    ]  # fmt: skip


def test_cells_are_written_as_their_column_says() -> None:
    assert Column("x", spec="+.2f").write(0.125) == "+0.12"
    assert Column("x", spec=".1%").write(0.5) == "50.0%"
    assert Column("x", spec=".2f").write(Estimate(0.5, "▲", (0.25, 0.75))) == "0.50▲ [0.25, 0.75]"
    assert Column("x", spec=".2f").write(Estimate(0.5, spread=0.25)) == "0.50 ±0.25"
    assert Column("x", spec=".1f").write((1, 2)) == "[1.0, 2.0]"
    assert Column("x", spec=".1f").write(None) == ""


def test_several_grids_stand_under_their_titles() -> None:
    both = Table([Grid.of_texts(["a"], [["1"]], title="one"), Grid.of_texts(["b"], [["2"]], title="two")], Records({}))
    assert written("table", both) == "one\na\n-\n1\n\ntwo\nb\n-\n2\n"
    assert written("markdown", both).startswith("**one**\n\n| a   |\n")
    assert "\n% two\n" in written("latex", both)
    assert "<caption>two</caption>" in both._repr_html_()


def test_notes_are_printed_below() -> None:
    noted = Table([Grid.of_texts(["a"], [["1"]])], Records({}), ["t <test>"])
    assert str(noted) == "a\n-\n1\nt <test>"
    assert "<p>t &lt;test&gt;</p>" in noted._repr_html_()
    assert "test" not in noted.to_markdown()


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


def test_a_notebook_shows_both_ends_of_a_long_table_and_how_much_is_between() -> None:
    shown = table([f"run{number}" for number in range(5000)])
    text = shown._repr_html_()
    assert text.count("<tr>") == 1 + 100 + 1 + 100
    assert "... 4,800 more" in text
    assert re.findall(r">(run\d+)<", text) == [f"run{number}" for number in [*range(100), *range(4900, 5000)]]


def test_a_page_is_that_of_the_commands_with_its_chart_and_its_notes(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    qrels, runs = (
        {"1": {"a": 1, "b": 0}, "2": {"a": 2}},
        {"one": {"1": {"a": 2, "b": 1}, "2": {"a": 1}}, "two": {"1": {"b": 1}}},
    )
    evaluate(qrels, runs, "AP").save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">\n')
    assert "Content-Security-Policy" in text
    assert "data:image/svg+xml;base64," in text
    assert "vegaEmbed" in text
    assert "data:image" not in written("html", table(["a"]))  # which has no chart


def test_a_page_says_what_is_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.charts.rendering.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"^html needs the package altair: pip install"):
        written("html", table(["a"]))


def test_a_file_is_written_in_the_format_of_its_ending(tmp_path: Path) -> None:
    for name, format in FORMATS.items():
        if name == "parquet":
            continue
        path = tmp_path / f"out{format.ending.upper()}"
        table(AWKWARD).save(path)
        assert path.read_bytes().decode() == written(name, table(AWKWARD))
        table(AWKWARD).save(tmp_path / "other.dat", format=name)
        assert (tmp_path / "other.dat").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("out.xlsx", {}, r"out.xlsx: no format has the ending .xlsx; accepted: .txt, .tsv, .csv, .jsonl, .md, .tex"),
        ("out", {}, "out: no ending says the format; accepted: .txt"),
        ("out.csv", {"format": "excel"}, "format 'excel' is not one of table, tsv, csv"),
    ],
)
def test_a_format_that_there_is_not_is_an_error(
    tmp_path: Path, name: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        table(["a"]).save(tmp_path / name, **options)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_plain_tables_align_whatever_the_script() -> None:
    from rich.cells import cell_len

    lines = list(plain(table(["plain", "日本語", "ü"]).grids[0]))
    assert len({cell_len(line.rstrip("\n")) for line in lines}) == 1
    assert [line.split()[0] for line in lines[2:]] == ["plain", "日本語", "ü"]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A terminal of 60 columns."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return monkeypatch


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def picture(grid: Grid) -> str:
    return "".join(styled(grid))


def test_a_narrow_terminal_gets_several_tables_and_every_column(terminal: pytest.MonkeyPatch) -> None:
    titles = "AP AP(rel=2) nDCG@10 nDCG(dcg='exp-log2')@20 GAP xGAP eGAP RBP ERR@20 Q@10".split()
    runs = [f"run{n}" for n in range(126)]
    grid = Grid.of_texts(["run", *titles], [[run, *["0.5000"] * len(titles)] for run in runs])
    lines = without_colours(picture(grid)).splitlines()
    assert max(map(len, lines)) <= 60
    heads = [line.split() for line in lines if line.startswith("run ")]
    assert len(heads) > 1
    assert [name for head in heads for name in head[1:]] == titles
    assert [line.split()[0] for line in lines if re.match(r"run\d", line)] == runs * len(heads)


def test_a_terminal_gets_the_best_values_in_bold(terminal: pytest.MonkeyPatch) -> None:
    columns = [Column("run", "name"), Column("AP", spec=".4f")]
    grid = Grid(columns, [["a", 0.25], ["b", 0.75]], best=frozenset({(1, 1)}))
    assert re.search(r"\x1b\[1;32m *0\.7500", picture(grid))
    terminal.delenv("FORCE_COLOR")
    terminal.setenv("TERM", "dumb")
    assert "0.7500*" in picture(grid)


def test_a_name_wider_than_the_terminal_is_folded_not_cut(terminal: pytest.MonkeyPatch) -> None:
    name = "system-" * 12
    text = without_colours(picture(table([name, "short"]).grids[0]))
    assert max(map(len, text.splitlines())) <= 60
    assert name in "".join(line.split(" ")[0] for line in text.splitlines())


def test_show_writes_plain_text_to_what_is_no_terminal() -> None:
    file = io.BytesIO()
    show([Grid.of_texts(["file", "lines"], [["a", "10"], ["bc", "9"]])], file)
    assert file.getvalue() == b"file  lines\n-----------\na        10\nbc        9\n"


def test_a_shortened_grid_keeps_its_marks_and_rules() -> None:
    columns = [Column("n", spec="d"), Column("x", "text")]
    grid = Grid(columns, [[n, "x"] for n in range(10)], best=frozenset({(0, 0), (5, 0), (9, 0)}), ruled=9)
    short = grid.shortened(4)
    assert [row[0] for row in short.texts()] == ["0", "1", "... 6 more", "8", "9"]
    assert short.best == {(0, 0), (4, 0)}
    assert short.ruled == 4
    assert grid.shortened(10) is grid


def test_a_table_as_a_dictionary_and_as_frames_holds_the_exact_values() -> None:
    shown = table(["elm", "oak"])
    assert shown.to_dict() == {"run": ["elm", "oak"], "value": [0.0, 1 / 7]}
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = shown.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame["run"].to_list() == ["elm", "oak"]
    assert frame["value"].to_list() == [0.0, 1 / 7]


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
    assert lines[5:9] == [
        r"a & 0.50$\blacktriangle$ [0.40, 0.60] & 0.10 & x \\",
        rf"b & 0.40{room} [0.30, 0.50] & 0.20 & y \\",
        rf"c & 0.30{room} & 0.30 & z \\",
        r"d &  & 0.30 &  \\",
    ]


def test_parquet_writes_out_what_is_no_utf8() -> None:
    """As the name of a file may be, of which Python makes halves of characters."""
    pyarrow = pytest.importorskip("pyarrow.parquet")
    names = [b"r\xff.txt".decode(errors="surrogateescape"), "\ud800", "żółw"]
    records = Records({"coded": Coded(names, np.arange(3)), "list": list(names), "tuple": tuple(names)})
    file = io.BytesIO()
    Table([], records).write(file, "parquet")
    read = pyarrow.read_table(io.BytesIO(file.getvalue())).to_pydict()
    assert read == {key: ["r\\udcff.txt", "\\ud800", "żółw"] for key in ["coded", "list", "tuple"]}

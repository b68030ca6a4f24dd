from __future__ import annotations

import io
import re

import pytest
from awkward_tables import FORBIDDEN, HOSTILE, table, written

from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.tables.text import plain, shorten, show, styled


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


def test_several_grids_stand_under_their_titles() -> None:
    both = Table([Grid.of_texts(["a"], [["1"]], title="one"), Grid.of_texts(["b"], [["2"]], title="two")], Records({}))
    assert written("table", both) == "one\na\n-\n1\n\ntwo\nb\n-\n2\n"
    assert written("markdown", both).startswith("**one**\n\n| a   |\n")
    assert "\n% two\n" in written("latex", both)
    assert "<caption>two</caption>" in both._repr_html_()


def test_plain_tables_align_whatever_the_script() -> None:
    from rich.cells import cell_len

    lines = list(plain(table(["plain", "日本語", "ü"]).grids[0]))
    assert len({cell_len(line.rstrip("\n")) for line in lines}) == 1
    assert [line.split()[0] for line in lines[2:]] == ["plain", "日本語", "ü"]


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


@pytest.mark.parametrize(("letters", "short"), [(3, "abc"), (2, "a…"), (9, "abc")])
def test_a_text_is_cut_to_so_many_letters(letters: int, short: str) -> None:
    assert shorten("abc", letters) == short


@pytest.mark.parametrize(
    ("foot", "best", "line"),
    [
        ("▲ better", True, "* best of its column; ▲ better"),
        ("▲ better", False, "▲ better"),
        ("", True, "* best of its column"),
        ("a\x1b[31mb", False, "a\\x1b[31mb"),
    ],
)
def test_one_line_below_a_table_explains_its_marks(foot: str, best: bool, line: str) -> None:
    cells = frozenset({(0, 1)}) if best else frozenset()
    grid = Grid([Column("run", "name"), Column("AP")], [["a", 0.5], ["b", 0.4]], best=cells, foot=foot)
    assert list(plain(grid))[4:] == [f"{line}\n"]

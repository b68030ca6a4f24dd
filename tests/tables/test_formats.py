from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Sequence

import numpy as np
import pytest

from gradeval import Scores
from gradeval.formula.spelling import parse_measures
from gradeval.tables.format import FORMATS
from gradeval.tables.grid import Grid, grid
from gradeval.tables.result import Result
from gradeval.tables.table import drawn, plain, show
from gradeval.tables.trec_eval import trec_eval_name

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


def result(runs: Sequence[str], measures: str = "AP P@5 NumRet", topics: int = 2, **options: object) -> Result:
    """Random scores of some runs, means computed here and not by Scores."""
    parsed = parse_measures(measures)
    shape = (len(runs), topics, len(parsed))
    values = np.random.default_rng(3).random(shape)
    present, vacant = np.ones(shape[:2], bool), np.zeros(shape[1:], bool)
    scores = Scores(values, present, vacant, list(runs), [f"t{n}" for n in range(topics)], parsed)
    return Result(scores, values.mean(1), **options)  # type: ignore[arg-type]


def written(name: str, given: Result) -> str:
    file = io.BytesIO()
    FORMATS[name].write(given, file)
    return file.getvalue().decode()


def test_the_formats_are_those_of_the_command_line() -> None:
    assert list(FORMATS) == ["table", "tsv", "csv", "jsonl", "markdown", "latex", "trec_eval", "parquet"]
    assert all(FORMATS[name].write.__module__.startswith("gradeval.tables") for name in FORMATS)


def test_csv_quotes_names_so_that_readers_get_them_back() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", result(AWKWARD)), newline="")))
    assert [row["run"] for row in rows[::3]] == AWKWARD


def test_tsv_has_one_line_a_value_whatever_the_names() -> None:
    text = written("tsv", result(AWKWARD))
    assert {line.count("\t") for line in text.splitlines()} == {3}
    assert len(text.split("\n")) == 1 + 3 * len(AWKWARD) + 1
    assert "tab\\there\tall" in text


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl"])
def test_many_runs_topics_and_measures_stay_in_order(name: str) -> None:
    given = result([f"r{n}" for n in range(30)], "AP P@5 RR nDCG", topics=20, by_topic=True)
    lines = written(name, given).splitlines()[name != "jsonl" :]
    cells = [re.findall(r"\b(r\d+|t\d+|all|AP|P@5|RR|nDCG)\b", line) for line in lines]
    names = list(map(str, given.scores.measures))
    expected = [
        *itertools.product(given.scores.runs, given.scores.topics, names),
        *itertools.product(given.scores.runs, ["all"], names),
    ]
    assert list(map(tuple, cells)) == expected


def test_markdown_escapes_what_would_be_markup() -> None:
    lines = written("markdown", result(AWKWARD[:8])).splitlines()
    for line, name in zip(lines[2:], AWKWARD, strict=False):
        cells = re.split(r"(?<!\\)\|", line)
        assert len(cells) == 6
        assert re.sub(r"\\(.)", r"\1", cells[1].strip()) == name


def test_latex_escapes_what_would_be_markup() -> None:
    text = written("latex", result(["a_b", "50%", "A & B", "C:\\runs", "{x}", "#1", "~", "^", "$"]))
    names = [re.split(r" & (?=0|.textbf)", line)[0] for line in text.splitlines()[5:-2]]
    assert names == [
        r"a\_b", r"50\%", r"A \& B", r"C:\textbackslash{}runs", r"\{x\}", r"\#1", r"\textasciitilde{}",
        r"\textasciicircum{}", r"\$",
    ]  # fmt: skip


def test_the_best_value_is_marked_by_what_can_be_read() -> None:
    given = result(["a", "b", "c"], "AP P@5 NumRet RBPresidual")
    given.means[:] = [[0.50001, 0.1, 9, 0.1], [0.50004, 0.1, 8, 0.2], [0.4, 0.1, 7, 0.3]]
    best = grid(given).best
    assert best == {
        (0, 1),
        (1, 1),
    }  # 0.5000 twice; all alike: none; counts and residuals are not better for being more


def test_a_single_run_has_no_best_values() -> None:
    assert not grid(result(["only"])).best


def test_plain_tables_align_whatever_the_script() -> None:
    from rich.cells import cell_len

    lines = list(plain(grid(result(["plain", "日本語", "ü"], "AP"))))
    assert len({cell_len(line.rstrip("\n").rstrip("*")) for line in (lines[0].rstrip(), *lines[2:])}) <= 2
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


def test_a_narrow_terminal_gets_several_tables_and_every_column(terminal: pytest.MonkeyPatch) -> None:
    measures = "AP AP(rel=2) nDCG@10 nDCG(dcg='exp-log2')@20 GAP xGAP eGAP RBP ERR@20 Q@10"
    runs = [f"run{n}" for n in range(126)]
    text = drawn(grid(result(runs, measures)))
    lines = without_colours(text).splitlines()
    assert max(map(len, lines)) <= 60
    heads = [line.split() for line in lines if line.startswith("run ")]
    assert len(heads) > 1
    assert [name for head in heads for name in head[1:]] == measures.split()
    assert [line.split()[0] for line in lines if re.match(r"run\d", line)] == runs * len(heads)


def test_a_terminal_gets_the_best_values_in_bold(terminal: pytest.MonkeyPatch) -> None:
    given = result(["a", "b"], "AP")
    given.means[:] = [[0.25], [0.75]]
    assert re.search(r"\x1b\[1;32m *0\.7500", drawn(grid(given)))
    terminal.delenv("FORCE_COLOR")
    terminal.setenv("TERM", "dumb")
    assert "0.7500*" in drawn(grid(given))


def test_a_name_wider_than_the_terminal_is_folded_not_cut(terminal: pytest.MonkeyPatch) -> None:
    name = "system-" * 12
    text = without_colours(drawn(grid(result([name, "short"], "AP"))))
    assert max(map(len, text.splitlines())) <= 60
    assert name in "".join(line.split(" ")[0] for line in text.splitlines())


def test_show_writes_plain_text_to_what_is_no_terminal() -> None:
    file = io.BytesIO()
    show(Grid(["file", "lines"], [["a", "10"], ["bc", "9"]]), file)
    assert file.getvalue() == b"file  lines\n-----------\na        10\nbc        9\n"


TREC_EVAL = """
AP map   AP@100 map_cut_100   AP(rel=2) AP(rel=2)   AP(norm='min')@5 AP(norm='min')@5
gmAP gm_map   nDCG ndcg   nDCG@20 ndcg_cut_20   nDCG(discount='jk') nDCG(discount='jk')
P@10 P_10                     R@1000 recall_1000        RR recip_rank          RR@10 RR@10
Success@5 success_5           Rprec Rprec               Bpref bpref            infAP infAP
IPrec@0.1 IPrec@0.1           IPrec(mode='trec9')@0.1 iprec_at_recall_0.10     IPrec11(mode='trec10') 11pt_avg
SetP set_P                    SetF set_F                NumQ num_q             NumRelRet num_rel_ret
GAP GAP                       Q@10 Q@10                 IPrec(mode='trec10')@1 iprec_at_recall_1.00
""".split()


@pytest.mark.parametrize(("spelling", "name"), list(zip(TREC_EVAL[::2], TREC_EVAL[1::2], strict=True)))
def test_measures_go_by_trec_evals_names_where_it_has_them(spelling: str, name: str) -> None:
    assert trec_eval_name(parse_measures(spelling)[0]) == name

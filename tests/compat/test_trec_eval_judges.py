"""Judgments of several judges: averages by the definition, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from refusing import said_of

from gradeval import Run
from gradeval.cli import main
from gradeval.compat.trec_eval import Options
from gradeval.compat.trec_eval_judges import print_averages, read_judges

RUN = Run.from_dict({"q": {"a": 3.0, "x": 2.5, "b": 2.0, "c": 1.0}}, "tag")


def test_values_are_averaged_over_judges(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("# two judges\nq 1 a 1\nq 1 b 0\n\nq 2 b 1\nq 2 c 1\nr 1 a 1\n")
    judged = read_judges(tmp_path / "qrels")
    map_of_both = (1 + (1 / 3 + 2 / 4) / 2) / 2
    printed = print_averages(judged, RUN, ["map_avgjg", "num_q"], Options(by_topic=True))
    assert [line.split() for line in printed] == [
        ["map_avgjg", "q", f"{map_of_both:.4f}"],
        ["num_q", "all", "1"],
        ["map_avgjg", "all", f"{map_of_both:.4f}"],
    ]
    printed = print_averages(judged, RUN, ["map_avgjg", "runid"], Options(complete=True))  # r counts 0
    assert [line.split()[-1] for line in printed] == ["tag", f"{map_of_both / 2:.4f}"]


def test_a_line_that_is_no_judgment_is_refused_with_its_number(tmp_path: Path) -> None:
    (tmp_path / "jg").write_text("# lines\nq 1 a 2\nq 1 b x\n")
    assert "jg:3: 'q 1 b x' is not read" in said_of(lambda: read_judges(tmp_path / "jg"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-R prefs", "-R prefs: preferences between documents are not computed here; trec_eval 10 itself does so"),
        ("-R qrels_prefs -m all_prefs", "-R qrels_prefs: preferences between documents are not computed"),
        ("-m all_prefs", "trec_eval has no measure 'all_prefs'"),
        ("-R qrels_jg -m map", "-R qrels_jg has no measure 'map'; accepted: qrels_jg, map_avgjg"),
        ("-R qrels_jg -J", "-R qrels_jg goes with"),
        ("-R qrels_jg -Z z", "-R qrels_jg goes with"),
        ("-R other", "-R other: accepted are qrels and qrels_jg"),
        ("-Z z", "z:1: 'q map 0.5' is not read"),
    ],
)
def test_what_is_not_computed_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 1 a 2\nq 1 b 1\n")
    Path("run").write_text("q Q0 a 1 3 tag\n")
    Path("z").write_text("q map 0.5\n")
    refused = CliRunner().invoke(main, ["trec_eval", *options.split(), "qrels", "run"])
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert said in refused.stderr

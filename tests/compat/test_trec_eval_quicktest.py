"""trec_eval 10's own quick test but for preferences: 12 calls, each compared byte for byte with what it prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval.cli import main

pytestmark = pytest.mark.realdata

PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20"
)
CALLS = [
    ("", "qrels.test", "results.test", "out.test"),
    ("", "qrels.test.with-comments", "results.test", "out.test"),
    ("", "qrels.comment.test", "results.comment.test", "out.comment.test"),
    ("-m all_trec", "qrels.test", "results.test", "out.test.a"),
    ("-m all_trec -q", "qrels.test", "results.test", "out.test.aq"),
    ("-m all_trec -q -c", "qrels.test", "results.trunc", "out.test.aqc"),
    ("-m all_trec -q -c -M100", "qrels.test", "results.trunc", "out.test.aqcM"),
    ("-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level", "results.test", "out.test.aql"),
    ("-m qrels_jg -q -R qrels_jg", "qrels.123", "results.test", "out.test.qrels_jg"),
    ("-m qrels_jg -q -R qrels_jg", "qrels.comments.123", "results.test", "out.test.qrels_jg"),
    (PARAMETERS, "qrels.test", "results.test", "out.test.meas_params"),
    ("-q -m all_trec -Z zscores_file", "qrels.test", "results.test", "out.test.aqZ"),
]


@pytest.mark.parametrize(("options", "qrels", "run", "expected"), CALLS)
def test_the_quick_test_of_trec_eval_10(
    data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, options: str, qrels: str, run: str, expected: str
) -> None:
    folder = data("trec-eval-10")
    monkeypatch.chdir(folder)
    printed = CliRunner().invoke(main, ["trec_eval", *options.split(), qrels, run])
    assert printed.exit_code == 0, printed.stderr
    assert printed.stdout_bytes == (folder / expected).read_bytes()

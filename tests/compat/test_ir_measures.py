"""Our measures inside ir_measures and PyTerrier, and their measures and records inside ours."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gradeval
from gradeval import InputError, evaluate, judge, parse_measure
from gradeval.formula.definition import REGISTRY

ir_measures = pytest.importorskip("ir_measures")
g: Any = pytest.importorskip("gradeval.compat.ir_measures")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}, "q3": {"a": 0}}
RUN = {"q1": {"b": 3.0, "c": 2.0, "a": 1.0}, "q3": {"a": 1.0}}


def records() -> tuple[list[Any], list[Any]]:
    """An example on disk as ir_measures reads it."""
    qrels = ir_measures.read_trec_qrels(str(EXAMPLES / "qrels.txt"))
    return list(qrels), list(ir_measures.read_trec_run(str(EXAMPLES / "runs" / "elm.txt")))


def test_both_kinds_of_measures_are_computed_in_one_call() -> None:
    spelled = "GAP(g=[0.2,0.3,0.5]) xGAP eGAP Q@10 AWP RWP RMeasure muAP NDCNG@10 gmAP".split()
    measures = [
        ir_measures.nDCG @ 10,
        g.GAP(g=[0.2, 0.3, 0.5]),
        g.xGAP,
        g.eGAP,
        g.Q @ 10,
        g.AWP,
        g.RWP,
        g.RMeasure,
        g.muAP,
    ]
    measures += [g.NDCNG @ 10, g.gmAP]
    theirs = ir_measures.calc_aggregate(measures, *records())
    ours = evaluate(EXAMPLES / "qrels.txt", EXAMPLES / "runs" / "elm.txt", ["nDCG@10", *spelled]).mean()[0]
    assert [theirs[measure] for measure in measures] == pytest.approx(ours.tolist(), abs=1e-12)


def test_every_registered_measure_gives_our_values_and_reads_back() -> None:
    names = [name for name, known in ir_measures.measures.registry.items() if isinstance(known, g.GradedMeasure)]
    assert {"GAP", "xGAP", "eGAP", "Q", "AWP", "RWP", "RMeasure", "muAP", "NDCNG"} <= set(names)
    ours = judge(QRELS, RUN)
    for name in names:
        required = REGISTRY[name].parameters.get("cutoff") is not None and "cutoff" not in getattr(g, name).params
        measure = getattr(g, name) @ 2 if required else getattr(g, name)
        assert ir_measures.parse_measure(str(measure)) == measure
        values = {one.query_id: one.value for one in ir_measures.iter_calc([measure], QRELS, RUN)}
        expected = dict(zip(ours.topics, parse_measure(str(measure))(ours)[0].tolist(), strict=True))
        assert values == pytest.approx(expected, abs=1e-12), name


def test_lists_of_parameters_read_back() -> None:
    measure = g.GAP(g=[0.2, 0.8]) @ 5
    assert str(measure) == "GAP(g='[0.2,0.8]')@5"
    assert ir_measures.parse_measure(str(measure)) == measure
    assert measure.gradeval == parse_measure("GAP(g=[0.2,0.8])@5")


WITHOUT_NUM = """
import ast, sys, warnings
from types import ModuleType

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    gone = [name for name in ("Num", "Str", "Bytes", "NameConstant", "Ellipsis") if hasattr(ast, name)]
    taken = ModuleType("ast")
    taken.__dict__.update({name: value for name, value in vars(ast).items() if name not in (*gone, "__getattr__")})
sys.modules["ast"] = taken
assert not hasattr(taken, "Num")
"""
"""Python as it is from 3.14 on, where these names of ast are gone."""


@pytest.mark.parametrize(
    ("measure", "same"),
    [
        ("AP", "AP"),
        ("nDCG@10", "nDCG@10"),
        ("RBP(p=0.5)@10", "RBP(p=0.5)@10"),
        ("GAP(g='[0.2,0.8]')", "GAP(g='[0.2,0.8]')"),
        ("nDCG(gains={0: 1, 1: 2})@3", "nDCG(gains={0:1,1:2})@3"),
    ],
)
def test_measures_are_read_where_python_has_no_ast_num(measure: str, same: str) -> None:
    code = (
        f"{WITHOUT_NUM}\nimport gradeval.compat.ir_measures, ir_measures\nprint(ir_measures.parse_measure({measure!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().replace(" ", "") == same.replace(" ", "")


def test_what_is_no_measure_is_refused_there_as_elsewhere() -> None:
    code = f"{WITHOUT_NUM}\nimport gradeval.compat.ir_measures, ir_measures\nir_measures.parse_measure('P(rel=f(1))@5')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ValueError" in done.stderr.splitlines()[-1]


def test_names_that_ir_measures_has_stay_its_own() -> None:
    assert type(ir_measures.parse_measure("AP")).__module__.startswith("ir_measures")
    with pytest.raises(AttributeError, match=r"write ir_measures\.nDCG"):
        _ = g.nDCG
    with pytest.raises(AttributeError, match="did you mean GAP"):
        _ = g.GAPP
    assert {"GAP", "register"} <= set(dir(g))
    assert not {"nDCG", "math", "REGISTRY"} & set(dir(g))


def test_missing_and_empty_are_parameters() -> None:
    def mean(measure: Any) -> float:
        return float(ir_measures.calc_aggregate([measure], QRELS, RUN)[measure])

    [value] = gradeval.evaluate(QRELS, RUN, "GAP").sel(topics="q1").values.ravel()
    assert mean(g.GAP) == pytest.approx(value / 3)
    assert mean(g.GAP(missing="skip")) == pytest.approx(value / 2)
    assert mean(g.GAP(empty="skip")) == pytest.approx(value / 2)
    assert mean(g.GAP(empty="one")) == pytest.approx((value + 1) / 3)
    assert mean(g.GAP(empty="skip", missing="skip")) == pytest.approx(value)
    by_topic = {one.query_id: one.value for one in g.GAP(missing="skip").iter_calc(QRELS, RUN)}
    assert math.isnan(by_topic["q2"])


def test_sums_and_geometric_means_are_kept() -> None:
    totals = ir_measures.calc_aggregate([g.NumNonRelRet, g.gmBpref], QRELS, RUN)
    expected = evaluate(QRELS, RUN, "NumNonRelRet gmBpref").mean()[0]
    assert [totals[g.NumNonRelRet], totals[g.gmBpref]] == pytest.approx(expected.tolist())


def test_all_measures_of_a_call_share_one_meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    met = []
    original = g.meet
    monkeypatch.setattr(g, "meet", lambda *args, **options: met.append(1) or original(*args, **options))
    evaluator = ir_measures.evaluator([g.GAP, g.Q @ 10, g.muAP, g.GAP @ 5], QRELS)
    evaluator.calc_aggregate(RUN)
    assert len(met) == 1
    other = {"q2": {"a": 1.0}}
    assert evaluator.calc_aggregate(other)[g.GAP] == pytest.approx(1 / 3)  # another run is not taken for the last one
    assert len(met) == 2


def test_scores_tie_in_single_precision_as_for_their_own_measures() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 16_777_217.0, "z": 16_777_216.0}}
    measures = [ir_measures.AP, g.xGAP]
    assert list(ir_measures.calc_aggregate(measures, qrels, run).values()) == [0.5, 0.5]


@pytest.mark.parametrize(
    "measure", ["GAP(g=3)", "GAP(nope=1)", "Q(beta='x')", "GAP(missing='x')", "GAP(g='[0.5')", "CG", "GAP@0"]
)
def test_wrong_parameters_are_input_errors(measure: str) -> None:
    with pytest.raises(InputError):
        ir_measures.calc_aggregate([ir_measures.parse_measure(measure)], QRELS, RUN)


def test_a_measure_of_ones_own_can_be_registered() -> None:
    @gradeval.measure
    def MyShare(judged: gradeval.JudgedRankings, *, rel: float = 1) -> Any:
        """A share.

        My own.
        """
        return gradeval.P(rel=rel, cutoff=2)(judged)

    try:
        mine = g.register(MyShare)
        assert ir_measures.calc_aggregate([mine(rel=2)], QRELS, RUN)[mine(rel=2)] == 0
        assert ir_measures.parse_measure("MyShare") == mine
        with pytest.raises(InputError, match="of its own"):
            g.register(gradeval.AP)
    finally:
        del REGISTRY["MyShare"], ir_measures.measures.registry["MyShare"]


def test_their_command_line_has_all_measures() -> None:
    files = str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "runs" / "elm.txt")
    command = [sys.executable, "-W", "ignore", "-m", "gradeval.compat.ir_measures", *files]
    done = subprocess.run([*command, "GAP@10", "nDCG@10"], capture_output=True, text=True, check=True)
    means = evaluate(*files, "GAP@10 nDCG@10").mean()[0]
    assert done.stdout.splitlines() == [f"GAP@10\t{means[0]:.4f}", f"nDCG@10\t{means[1]:.4f}"]
    wrong = subprocess.run([*command, "GAP(g=3)"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("gradeval: error: GAP: g=3")


def test_their_records_and_measures_are_read_by_ours() -> None:
    qrels, run = records()
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.AP(rel=2) @ 100, g.GAP(g=[0.2, 0.3, 0.5]) @ 5]
    mine = evaluate(qrels, run, measures)
    written = evaluate(
        EXAMPLES / "qrels.txt", EXAMPLES / "runs" / "elm.txt", "AP nDCG@10 AP(rel=2)@100 GAP(g=[0.2,0.3,0.5])@5"
    )
    assert mine.measures == written.measures
    assert mine.mean().tolist() == written.mean().tolist()
    assert evaluate(iter(qrels), iter(run), ir_measures.AP).mean() == mine.mean()[:, :1]
    assert evaluate(iter(qrels), [iter(run), run], ir_measures.AP).mean().tolist() == [[mine.mean()[0, 0]]] * 2


def test_wrong_records_are_input_errors() -> None:
    qrels, run = records()
    other = qrels[0]._replace(relevance=qrels[0].relevance + 1)
    with pytest.raises(InputError, match=f"{qrels[0].doc_id}.* twice"):
        evaluate([*qrels, other], run, "AP")
    with pytest.raises(InputError, match="item"):
        evaluate([*qrels, 3], run, "AP")
    with pytest.raises(InputError, match="option of evaluate"):
        evaluate(qrels, run, g.GAP(missing="skip"))


def test_experiments_of_pyterrier_take_them() -> None:
    pt = pytest.importorskip("pyterrier")
    import pandas as pd

    def ranking(shift: int) -> Any:
        rows = [(f"q{i}", f"d{j}", float((i * j * 7 + shift * j * j) % 11), 0) for i in range(1, 9) for j in range(9)]
        return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"]).sort_values(["qid", "score"])

    judged = [(f"q{i}", f"d{j}", (i + j) % 3) for i in range(1, 9) for j in range(6)]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    topics = pd.DataFrame([(f"q{i}", "text") for i in range(1, 9)], columns=["qid", "query"])
    systems = [ranking(1), ranking(2)]
    measures = [ir_measures.nDCG @ 10, g.GAP, g.Q @ 10]
    table = pt.Experiment(systems, topics, qrels, measures, names=["a", "b"], baseline=0, correction="holm")
    tables = [frame.rename(columns={"qid": "query_id", "docno": "doc_id"}) for frame in systems]
    frame = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    ours = evaluate(frame, tables, "nDCG@10 GAP Q@10").mean()
    assert table[["nDCG@10", "GAP", "Q@10"]].to_numpy() == pytest.approx(ours)
    assert "GAP p-value corrected" in table.columns

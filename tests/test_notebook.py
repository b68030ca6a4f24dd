"""A notebook, executed by Jupyter's own client: what results show, what is warned of, and how long work reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

CELLS = {
    "setup": f"""
import glob, warnings
import gradeval
from gradeval import *
qrels = read_qrels({str(EXAMPLES / "qrels.txt")!r})
runs = read_runs(sorted(glob.glob({str(EXAMPLES / "runs" / "*.txt")!r})))
""",
    "scores": "scores = evaluate(qrels, runs, 'AP nDCG@10')\nscores",
    "again": "evaluate({'1': {'d': 1}, '2': {'d': 1}}, {'1': {'d': 1.0}}, 'AP').to_dict()",
    "silenced": "warnings.simplefilter('ignore', GradevalWarning)\nscores = evaluate(qrels, runs)\nlen(scores.topics)",
    "hostile": "evaluate({'1': {'d': 1}}, Run.from_dict({'1': {'d': 1.0}}, '<script>alert(1)</script>'), 'AP')",
    "qrels": "qrels",
    "runs": "runs",
    "judged": "judge(qrels, runs)",
    "chart": "plot(scores.sel(measures='AP'))",
    "study": "correlate(scores, samples=50, progress=True)",
    "explain": "explain('GAP@5')",
    "help": "help(GAP)",
    "question": "get_ipython().inspector.info(nDCG @ 10)['docstring']  # what nDCG? shows",
    "dir": "sorted(set(gradeval.__all__) - set(dir(gradeval)))",
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[dict[str, Any]]]:
    """The outputs of each cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def shown(outputs: list[dict[str, Any]], kind: str = "text/html") -> str:
    (data,) = [one["data"] for one in outputs if one["output_type"] == "execute_result"]
    return str(data[kind])


def streamed(outputs: list[dict[str, Any]], name: str = "stderr") -> str:
    return "".join(one["text"] for one in outputs if one["output_type"] == "stream" and one["name"] == name)


def test_scores_show_their_means_and_warn_once(outputs: dict[str, list[dict[str, Any]]]) -> None:
    html = shown(outputs["scores"])
    assert html.count("<tr>") == 13
    assert "<strong>0.5699</strong>" in html
    warned = streamed(outputs["scores"])
    assert (
        warned.count("CoverageWarning: 1 of 12 runs returned nothing for some of the 30 topics (beech: 1; topic 408)")
        == 1
    )


def test_a_dictionary_is_what_other_tools_take(outputs: dict[str, list[dict[str, Any]]]) -> None:
    assert shown(outputs["again"], "text/plain") == "{'run': {'1': {'AP': 1.0}, '2': {'AP': 0.0}}}"
    assert "CoverageWarning" in streamed(outputs["again"])


def test_warnings_can_be_silenced(outputs: dict[str, list[dict[str, Any]]]) -> None:
    assert shown(outputs["silenced"], "text/plain") == "30"
    assert streamed(outputs["silenced"]) == ""


def test_names_from_files_are_escaped(outputs: dict[str, list[dict[str, Any]]]) -> None:
    assert "&lt;script&gt;" in shown(outputs["hostile"])
    assert "<script>" not in shown(outputs["hostile"])


@pytest.mark.parametrize(("name", "text"), [("qrels", "1,875"), ("runs", "willow"), ("judged", "documents")])
def test_what_is_read_shows_itself(outputs: dict[str, list[dict[str, Any]]], name: str, text: str) -> None:
    assert text in shown(outputs[name])


def test_a_chart_shows_itself_as_svg(outputs: dict[str, list[dict[str, Any]]]) -> None:
    svg = shown(outputs["chart"], "image/svg+xml")
    assert svg.startswith("<svg")
    assert "willow" in svg
    assert "<script" not in svg
    assert not [part for part in svg.split('"') if part.startswith("http") and "w3.org" not in part]


def test_long_work_reports_its_progress(outputs: dict[str, list[dict[str, Any]]]) -> None:
    assert "50/50" in streamed(outputs["study"])
    assert "<table>" in shown(outputs["study"])


@pytest.mark.parametrize("name", ["explain", "help", "question"])
def test_the_formula_of_a_measure_is_shown(outputs: dict[str, list[dict[str, Any]]], name: str) -> None:
    formula = {"explain": "GAP = 1/Z", "help": "GAP = 1/Z", "question": "nDCG@k = DCG@k / IDCG@k"}[name]
    assert formula in str(outputs[name])


def test_completion_offers_the_lazy_names(outputs: dict[str, list[dict[str, Any]]]) -> None:
    assert shown(outputs["dir"], "text/plain") == "[]"

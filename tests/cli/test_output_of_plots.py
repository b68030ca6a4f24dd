from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Gradeval

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

STUDIES = {
    "correlate": ["-m", "AP nDCG", "--samples", 0],
    "robustness": ["-m", "AP nDCG", "--rates", "100,50", "--samples", 2],
    "discriminate": ["-m", "AP nDCG", "--samples", 50],
    "compare": ["-m", "AP"],
    "inform": ["-m", "AP nDCG", "--runs", "top:2:AP", "--least", 1, "--samples", 20],
}
SAYS = {
    "correlate": ["Kendall", "topics all: 6 runs, 12 topics"],
    "robustness": ["judgments kept (% of the pool)", "stratified, floor 1; 2 samples"],
    "discriminate": ["achieved significance level (ASL)", "15 pairs"],
    "compare": ["Differences between runs", "AP, row less column"],
    "inform": ["RMS error of precision", "relevant from grade 2"],
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_draws_what_it_found(gradeval: Gradeval, collection: list[Path], study: str, tmp_path: Path) -> None:
    result = gradeval(study, *collection, *STUDIES[study], "--plot", tmp_path / "plot.svg")
    assert result.exit_code == 0, result.stderr
    drawn = (tmp_path / "plot.svg").read_text()
    assert all(words in drawn for words in SAYS[study])
    assert result.stdout == gradeval(study, *collection, *STUDIES[study]).stdout  # the table as well


def test_users_on_a_grid_make_lines(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    args = ["-m", "AP", "--step", "0.5", "--runs", "top:2:AP", "--least", 1, "--samples", 20]
    assert gradeval("inform_users", *collection, *args, "--plot", tmp_path / "plot.svg").exit_code == 0
    drawn = (tmp_path / "plot.svg").read_text()
    assert "g1, share of users whom the lowest grade satisfies" in drawn
    assert all(f">{name}<" in drawn for name in ("GAP", "xGAP", "eGAP", "AP"))


def test_the_picture_of_a_baseline_names_it(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    args = ["-m", "AP", "--baseline", "alder", "--plot", tmp_path / "plot.svg"]
    assert gradeval("compare", *collection, *args).exit_code == 0
    assert "baseline alder" in (tmp_path / "plot.svg").read_text()


def test_informativeness_is_drawn_without_intervals(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    args = ["-m", "AP nDCG", "--least", 1, "--samples", 0, "--plot", tmp_path / "plot.svg"]
    assert gradeval("inform", *collection, *args).exit_code == 0
    drawn = (tmp_path / "plot.svg").read_text()
    assert "no intervals" in drawn
    assert "95%" not in drawn


def test_many_runs_have_the_best_of_them_in_an_inset(gradeval: Gradeval, tmp_path: Path) -> None:
    """From 31 runs on."""
    rng = np.random.default_rng(0)
    for runs in (30, 31):
        head = ["topic", *(f"run{run}" for run in range(runs))]
        lines = [[str(topic), *(f"{run / 40 + 0.1 * rng.random():.4f}" for run in range(runs))] for topic in range(5)]
        (tmp_path / "ap.csv").write_text("".join(",".join(line) + "\n" for line in [head, *lines]))
        args = ["--scores", f"AP={tmp_path / 'ap.csv'}", "--samples", 50, "--plot", tmp_path / "plot.svg"]
        result = gradeval("discriminate", *args)
        assert result.exit_code == 0, result.stderr
        assert ("pairs of the 15 best runs" in (tmp_path / "plot.svg").read_text()) == (runs == 31)

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from gradeval import InputError
from gradeval.charts.rendering import COLOURS, require_charts, space_out
from gradeval.extras import install_hint

altair = pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from gradeval.charts.correlation_charts import correlation_chart
from gradeval.charts.rendering import render

CELLS = [("all", "AP", "nDCG", 0.5), ("all", "AP", "AP", 1.0)]


@pytest.mark.parametrize(
    ("suffix", "begin"), [(".png", b"\x89PNG"), (".svg", b"<svg"), (".pdf", b"%PDF"), (".html", b"<!DOCTYPE html>")]
)
def test_a_picture_has_the_format_of_its_name(suffix: str, begin: bytes) -> None:
    drawn = render(correlation_chart(CELLS, "kendall", ["all"]), "tau" + suffix.upper())
    assert drawn.lstrip().startswith(begin)


def test_a_page_needs_no_network() -> None:
    page = render(correlation_chart(CELLS, "kendall", ["all"]), "tau.html").decode()
    assert "<script src=" not in page
    assert 'src="http' not in page


def test_another_suffix_is_refused() -> None:
    with pytest.raises(InputError, match=r"--plot tau\.gif: does not end in one of \.png, \.svg, \.pdf, \.html"):
        require_charts("tau.gif")


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    hide = "import sys; sys.modules['altair'] = None; from gradeval.charts.rendering import require_charts as f;"
    tried = "\ntry: f('tau.png')\nexcept ValueError as error: print(error)"
    said = subprocess.run([sys.executable, "-c", hide + tried], capture_output=True, text=True, check=True).stdout
    assert said == f"--plot needs the package altair: {install_hint('charts')}\n"


def test_colours_differ() -> None:
    assert len(set(COLOURS)) == len(COLOURS)


@pytest.mark.parametrize("seed", range(5))
def test_labels_keep_their_distance_and_their_order(seed: int) -> None:
    heights = np.random.default_rng(seed).random(12).tolist()
    placed = space_out(heights, 0.1)
    order = np.argsort(heights)
    assert all(high - low > 0.1 - 1e-9 for low, high in pairwise(np.array(placed)[order]))


def test_labels_far_apart_stay_where_they_are() -> None:
    assert space_out([0.9, 0.1, 0.5], 0.1) == pytest.approx([0.9, 0.1, 0.5])


def test_labels_stay_below_the_upper_edge() -> None:
    assert space_out([0.98, 0.99, 0.2], 0.1, 1.0) == pytest.approx([0.9, 1.0, 0.2])

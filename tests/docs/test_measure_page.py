"""The pages of the measures: one each, with what its reader looks for, and all of it current."""

from __future__ import annotations

import re
import runpy
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest

from gradeval import AP, CG, RBP, Bpref, Judged, Measure, SetP, nDCG
from gradeval.formula.definition import REGISTRY
from gradeval.formula.parameters import MEANINGS
from making.drawing import POOL, RANKS, merged, pictures_of, shared, spread, worth
from making.measure_page import elsewhere, ties_of

ROOT = Path(__file__).resolve().parents[2]
MEASURES = ROOT / "docs" / "measures"


def test_what_is_generated_is_current() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "generate.py"))["pages"]()
    stale = [str(path) for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert stale == [], "python docs/generate.py writes them anew"
    left = {path for path in MEASURES.rglob("*") if path.is_file()} - pages.keys()
    assert left == set()


def test_every_measure_has_a_page_with_formula_range_and_example() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in MEASURES.glob("*/*.md")}
    assert pages.keys() == REGISTRY.keys()
    for name, text in pages.items():
        assert text.startswith(f"# {name}")
        assert "```math" in text or name.startswith("Num")
        assert "\n## Range\n" in text
        assert "\n## Worked example\n" in text


def test_the_page_of_a_family_holds_the_formula_and_the_source_of_each_measure() -> None:
    for path in MEASURES.glob("*/*.md"):
        page = path.read_text(encoding="utf-8")
        family = path.parent.with_suffix(".md").read_text(encoding="utf-8")
        there = family.partition(f"\n## {page.partition(chr(10))[0].removeprefix('# ')}\n")[2].partition("\n## ")[0]
        formulas, source = re.findall(r"```math\n.*?```", page, re.DOTALL), re.findall(r"\*\*Source\*\*.*", page)
        assert source != []
        assert [part for part in [*formulas, *source] if part not in there] == []
        assert f"]({path.parent.name}/{path.name})" in there


def test_a_page_says_what_each_parameter_means() -> None:
    shared = {name for measure in REGISTRY.values() for name in measure.definition.parameters} & {*MEANINGS}
    assert shared == {*MEANINGS}
    assert {name for measure in REGISTRY.values() for name in measure.definition.parameters} == shared
    assert "* `@cutoff`: Only the first ranks count" in (MEASURES / "gain" / "nDCG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (AP, "over all their orders, exactly."),
        (Bpref, "from 256 drawn orders where there are too many."),
        (Judged, "over all their orders, exactly."),
        (SetP, "does not depend on the order of documents"),
    ],
)
def test_a_page_says_what_equal_scores_do(measure: Measure, said: str) -> None:
    assert said in ties_of(measure)
    for page in MEASURES.glob(f"*/{measure.name}.md"):
        assert f"\n## Ties\n\n{ties_of(measure)}\n" in page.read_text(encoding="utf-8")


def test_every_measure_has_its_place_in_the_lists() -> None:
    text = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert [measure for measure in REGISTRY if not re.search(rf"`{measure}[`@\[]", text)] == []


def test_what_a_document_is_worth_by_its_rank() -> None:
    assert shared(worth(RBP, 3)) == pytest.approx([0.8**rank for rank in range(RANKS)])
    assert worth(AP, 1) == pytest.approx([1 / rank / sum(POOL[1:]) for rank in range(1, RANKS + 1)])
    assert worth(CG, 2) == [2.0] * 10 + [0.0] * 10


def test_lines_that_coincide_are_one_and_names_stand_apart() -> None:
    assert merged([("grade 1", [1.0, 0.5]), ("grade 2", [1.0, 0.5]), ("grade 3", [2.0, 1.0])]) == {
        "grade 1, 2": [1.0, 0.5],
        "grade 3": [2.0, 1.0],
    }
    places = spread([200.0, 199.0, 206.0])
    ordered = sorted(places)
    assert all(after - before >= 16 for before, after in pairwise(ordered))
    assert max(places) <= 206


def test_pictures_are_whole_svg_and_sets_have_none() -> None:
    assert pictures_of(SetP) == {}
    for _, drawing in pictures_of(nDCG).values():
        tree = ElementTree.fromstring(drawing)
        assert len(tree.findall("{*}polyline")) == 3


def test_what_differs_elsewhere_is_what_the_page_on_agreement_says() -> None:
    agreement = (
        "## Measure by measure\n| a | b | c |\n|---|---|---|\n| `AP@k` | x | y |\n| | z | w |\n| `Q` | q | q |\n"
    )
    text = "\n".join(elsewhere(AP, agreement))
    assert "| x | y |\n| z | w |" in text
    assert "| q | q |" not in text

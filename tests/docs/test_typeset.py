"""Docstrings as Markdown; formulas in plain text become LaTeX that says the same."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from gradeval.formula.definition import REGISTRY
from making.prose import escaped, paragraphs, split_formula
from making.typeset import latex

MATHML = "{http://www.w3.org/1998/Math/MathML}"


@pytest.mark.parametrize(
    ("plain", "typeset"),
    [
        ("AP = 1/RB * sum_{n: r[n] >= rel} C_n / n", r"\frac{1}{\mathrm{RB}} \, \sum_{n \,:\, r[n] \ge \mathrm{rel}}"),
        ("x = (a + b) c / (d + 1)", r"x = \frac{(a + b) \, c}{d + 1}"),  # between blanks: the whole products
        ("x = a b/c d", r"x = a \, \frac{b}{c} \, d"),  # without blanks: the two neighbours
        ("x = (a + b) / c * d", r"x = \frac{a + b}{c} \, d"),
        ("x = sum_i d_i A(t_i) / sum_i d_i", r"x = \frac{\sum_{i} \, d_{i} \, A\!(t_{i})}{\sum_{i} \, d_{i}}"),
        ("x = sum_n a(n) / b(n)", r"x = \sum_{n} \, \frac{a\!(n)}{b\!(n)}"),
        ("x = sum_{n=1..k} p^(n-1)", r"x = \sum_{n = 1}^{k} \, p^{n - 1}"),
        ("S@k = 1{C_k > 0}", r"S@k = \mathbf{1}\{C_{k} > 0\}"),
        ("x = a / sum of the gains", r"x = \frac{a}{\text{sum of the gains}}"),
        ("x = max(a, 1e-5)", r"x = \max\!(a ,\; 10^{-5})"),
    ],
)
def test_a_formula_is_read_as_it_is_meant(plain: str, typeset: str) -> None:
    assert typeset in latex(plain)


@pytest.mark.parametrize("wrong", ["x = (a + b", "x = a ) b", "x = / a"])
def test_what_is_no_formula_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"missing|opens|begins"):
        latex(wrong)


def test_every_formula_of_a_measure_becomes_mathml_without_a_command_left_over() -> None:
    converter = pytest.importorskip("latex2mathml.converter", reason="latex2mathml is not installed")
    formulas = {
        name: formula
        for name, measure in REGISTRY.items()
        for paragraph in paragraphs(measure.definition.formula)[1:]
        if (formula := split_formula(paragraph)[1])
    }
    assert {name for name in REGISTRY if not name.startswith("Num")} == formulas.keys()
    for name, formula in formulas.items():
        tree = ElementTree.fromstring(converter.convert(latex(formula)))
        shown = "".join(tree.itertext())
        assert "\\" not in shown, name
        divided = formula.replace("ERR@k of all", "").count("/")
        assert len(list(tree.iter(f"{MATHML}mfrac"))) == divided, name
        letters = sorted(letter for letter in formula if letter.isalpha() and letter.isascii() and letter in "RBCZNMn")
        assert [letter for letter in letters if shown.count(letter) < 1] == [], name


@pytest.mark.parametrize(
    ("plain", "markdown"),
    [
        ("Z = sum_k g_k RB(k)", "Z = Σ<sub>k</sub> g<sub>k</sub> RB(k)"),
        ("A(a) = sum_{k<=a} g_k", "A(a) = Σ<sub>k≤a</sub> g<sub>k</sub>"),
        ("as map_cut and norm='min' of trec_eval", "as map_cut and `norm='min'` of trec_eval"),
        ("n < b, and log_b(n)", "n \\< b, and log<sub>b</sub>(n)"),
    ],
)
def test_prose_is_markdown(plain: str, markdown: str) -> None:
    assert escaped(plain) == markdown

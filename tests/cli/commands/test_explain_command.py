"""``gradeval explain MEASURE``: what it is, and a list worked out."""

from __future__ import annotations

import re

import pytest

from gradeval.explanation.references import cited_by, read_entries
from gradeval.formula.definition import REGISTRY, REQUIRED
from gradeval.formula.spelling import parse_measure

from ..conftest import Gradeval, refusal


@pytest.mark.parametrize("name", REGISTRY)
def test_explain_shows_formula_parameters_and_a_worked_example(gradeval: Gradeval, name: str) -> None:
    result = gradeval("explain", name)
    assert result.exit_code == 0, result.stderr
    measure = REGISTRY[name]
    documentation = measure.definition.formula.__doc__ or ""
    assert documentation.split("\n")[0] in result.stdout
    for parameter, default in measure.definition.parameters.items():
        line = next(line for line in result.stdout.splitlines() if line.startswith(f"  {parameter}"))
        assert measure.definition.kinds[parameter][0].accepts in line
        assert ("must be given" if default is REQUIRED else f"default {default!r}") in line
    assert re.search(rf"^  {name}.* = -?\d+\.\d{{4}}$", result.stdout.splitlines()[-1])


def test_the_worked_example_adds_up(gradeval: Gradeval) -> None:
    lines = gradeval("explain", "P@5").stdout.splitlines()
    assert lines[-1] == f"  P@5 = {3 / 5:.4f}"  # grades 2, 0, unjudged, 3, 1
    changes = [float(line.split()[-1]) for line in lines if re.match(r" +\d+ ", line)]
    assert changes == [0.2, 0, 0, 0.2, 0.2, 0, 0]


@pytest.mark.parametrize(
    "spelling",
    ["GAP(g=[0.1,0.9])", "GAP(g=[0.1,0.2,0.3,0.1,0.3])", "GAP(g={5:1})", "AP(rel=7)", "nDCG(gains={0:1,4:2})@3",
     "IPrec@0.2", "map_cut_100", "ndcg", "AP(rel=0.5)", "AP(judged_only=True)"],
)  # fmt: skip
def test_explain_finds_a_scale_on_which_the_parameters_make_sense(gradeval: Gradeval, spelling: str) -> None:
    result = gradeval("explain", spelling)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{parse_measure(spelling)}\n")


def test_explain_shows_the_values_that_differ_from_the_defaults(gradeval: Gradeval) -> None:
    text = gradeval("explain", "Q(beta=3)@10").stdout
    assert re.search(r"^  beta .* default 1, here 3$", text, re.MULTILINE)
    assert re.search(r"^  cutoff \(@\) .* default None, here 10$", text, re.MULTILINE)


def test_explain_of_an_unknown_measure_names_its_neighbours(gradeval: Gradeval) -> None:
    result = gradeval("explain", "nDGC")
    assert result.exit_code == 2
    assert "did you mean" in result.stderr
    assert "nDCG" in result.stderr


@pytest.mark.parametrize("name", REGISTRY)
def test_bibtex_prints_the_entries_of_the_texts_and_nothing_else(gradeval: Gradeval, name: str) -> None:
    keys = cited_by(REGISTRY[name])
    result = gradeval("explain", name, "--bibtex")
    if not keys:
        assert f"{name} has no entry of BibTeX; its source is " in refusal(result)
        return
    assert result.stdout == "\n\n".join(read_entries()[key] for key in keys) + "\n"
    assert result.stderr == ""


def test_bibtex_is_of_a_measure_alone(gradeval: Gradeval) -> None:
    assert "kappa is a statistic of judges" in refusal(gradeval("explain", "kappa", "--bibtex"))
    assert "--grades does nothing where --bibtex" in refusal(gradeval("explain", "AP", "--bibtex", "--grades", "1,0"))


def test_bibtex_of_several_measures_prints_each_entry_once(gradeval: Gradeval) -> None:
    keys = dict.fromkeys(key for name in ("AP", "GAP", "nDCG") for key in cited_by(REGISTRY[name]))
    assert len(keys) < sum(len(cited_by(REGISTRY[name])) for name in ("AP", "GAP", "nDCG", "nDCG"))
    entries = "\n\n".join(read_entries()[key] for key in keys) + "\n"
    assert gradeval("explain", "AP", "GAP", "nDCG@10", "nDCG", "--bibtex").stdout == entries
    bare = next(name for name in REGISTRY if not cited_by(REGISTRY[name]) and not REGISTRY[name].definition.at)
    some = gradeval("explain", "AP", bare, "--bibtex")
    assert some.stdout == gradeval("explain", "AP", "--bibtex").stdout
    assert f"{bare} has no entry of BibTeX" in some.stderr


def test_several_measures_are_explained_below_each_other(gradeval: Gradeval) -> None:
    texts = [gradeval("explain", name).stdout for name in ("AP", "GAP")]
    assert gradeval("explain", "AP", "GAP").stdout == "\n".join(texts)


@pytest.mark.parametrize("option", ["format", "caption"])
def test_options_of_models_are_refused_for_measures_and_their_help_says_so(gradeval: Gradeval, option: str) -> None:
    said = refusal(gradeval("explain", "GAP", f"--{option}", "latex"))
    assert f"--{option} is for models alone, and GAP is none" in said
    assert re.search(rf"--{option} [^:]*MODEL: ", gradeval("explain", "--help").stdout)


def test_one_text_with_several_measures_is_taken_as_by_m(gradeval: Gradeval) -> None:
    for more in ([], ["--bibtex"]):
        assert gradeval("explain", "nDCG@10 GAP", *more).stdout == gradeval("explain", "nDCG@10", "GAP", *more).stdout
    assert "cannot read the measure 'nDCG@10 ours'" in gradeval("explain", "nDCG@10 ours").stderr

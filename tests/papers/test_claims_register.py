"""The register of claims: verdicts follow from rules and intervals, and from nothing else."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
import pytest

from gradeval import InputError, papers
from gradeval.cli import main
from gradeval.papers.claims_register import FOLDER, VERDICTS, Claim, Measurement, read_expected, read_measured
from gradeval.papers.item import TEXTS

CLAIMS = papers.claims().claims
FINDINGS = Path(__file__).resolve().parents[2] / "benchmarks" / "findings"


@pytest.mark.parametrize(
    ("rule", "low", "high", "verdict"),
    [
        ("above 0", 0.1, 0.3, "holds"),
        ("above 0", 0.0, 0.3, "open"),  # the bound itself is not above it
        ("above 0", -0.1, 0.3, "open"),
        ("above 0", -0.3, 0.0, "open"),
        ("above 0", -0.3, -0.1, "does not hold"),
        ("above 0.9", 0.91, 0.99, "holds"),
        ("above 0.9", 0.8, 0.89, "does not hold"),
        ("below 0.5", 0.1, 0.4, "holds"),
        ("below 0.5", 0.6, 0.7, "does not hold"),
        ("within 0.02", -0.02, 0.02, "holds"),
        ("within 0.02", -0.03, 0.01, "open"),
        ("within 0.02", 0.021, 0.03, "does not hold"),
        ("within 0.02", -0.5, -0.4, "does not hold"),
        ("within 1e-12", 3e-16, 3e-16, "holds"),
    ],
)
def test_a_verdict_on_a_collection_is_the_place_of_the_interval(
    rule: str, low: float, high: float, verdict: str
) -> None:
    claim = Claim("ferro14", "one", "", "", rule=rule)
    assert claim.verdict_on(Measurement("here", (low + high) / 2, low, high)) == verdict


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ([(0.1, 0.2), (0.3, 0.4)], "holds"),
        ([(0.1, 0.2), (-0.3, 0.4)], "holds in part"),
        ([(0.1, 0.2), (-0.3, -0.1)], "holds in part"),
        ([(-0.1, 0.2), (-0.3, 0.4)], "open"),
        ([(-0.1, 0.2), (-0.3, -0.1)], "does not hold"),
    ],
)
def test_the_verdict_of_several_collections(bounds: list[tuple[float, float]], verdict: str) -> None:
    measured = tuple(Measurement(str(place), sum(each) / 2, *each) for place, each in enumerate(bounds))
    assert Claim("ferro14", "one", "", "", rule="above 0", measured=measured).verdict == verdict
    assert Claim("ferro14", "one", "", "", untestable="private").verdict == "cannot be tested here"


@pytest.mark.parametrize("claim", CLAIMS, ids=[f"{claim.text}-{claim.name}" for claim in CLAIMS])
def test_a_claim_is_measured_or_says_why_not(claim: Claim) -> None:
    assert claim.quotation
    assert claim.where
    assert bool(claim.measured) != bool(claim.untestable)
    assert bool(claim.measured) == bool(claim.contrast and claim.rule and claim.command)
    assert len({each.collection for each in claim.measured}) == len(claim.measured)
    for each in claim.measured:
        assert each.low <= each.value + 1e-9
        assert each.value <= each.high + 1e-9
        assert claim.verdict_on(each) in VERDICTS


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.command], ids=lambda claim: claim.name)
def test_the_command_of_a_claim_exists(claim: Claim) -> None:
    program, *words = shlex.split(claim.command)
    assert program == "gradeval"
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command, info_name="gradeval"), words.pop(0))
        assert found is not None, claim.command
        command = found
    known = {name for option in command.params for name in option.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_all_that_was_measured_is_of_a_claim() -> None:
    assert set(read_measured()) == {claim.name for claim in CLAIMS if claim.measured}
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(TEXTS)


def test_what_a_reader_of_the_texts_would_measure_is_of_claims_or_says_why_not() -> None:
    names = {text: {claim.name for claim in CLAIMS if claim.text == text} for text in TEXTS}
    for each in read_expected():
        assert each.expected, each
        assert set(each.claims) <= names[each.text], each
        assert bool(each.claims) != each.differs.startswith("not in the register"), each
    assert {each.text for each in read_expected()} == set(TEXTS)
    assert sum(map(len, (claim.expected for claim in CLAIMS))) == sum(len(each.claims) for each in read_expected())


def test_what_is_said_of_the_measures_themselves_is_so_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FINDINGS))
    try:
        import laws

        by_name = {claim.name: claim for claim in CLAIMS}
        found = list(laws.laws([]))
        assert len(found) > 20
        for claim, *numbers in found:
            assert by_name[claim].verdict_on(Measurement(*numbers)) == "holds", claim
    finally:
        for name in ("laws", "claims", "public_runs"):
            sys.modules.pop(name, None)


def test_claims_are_of_a_text_or_of_all() -> None:
    assert len(CLAIMS) == sum(len(papers.claims(text).claims) for text in TEXTS)
    register = papers.claims("zhai16")
    assert register.counts().total() == len(register.claims)
    assert str(register.claims[0].name) in str(register)
    with pytest.raises(InputError, match=r"there is no text 'zhai15'.*did you mean zhai16"):
        papers.claims("zhai15")

"""The register of claims: verdicts follow from rules and intervals, and from nothing else."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import click
import numpy as np
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
    measurement = Measurement("here", (low + high) / 2, low, high)
    assert claim.uncorrected_on(measurement) == claim.verdict_on(measurement) == verdict
    assert claim.verdict_on(replace(measurement, corrected=0.05)) == verdict
    assert claim.verdict_on(replace(measurement, corrected=0.0501)) == "open"


YES, NO, OPEN = (0.1, 0.2), (-0.3, -0.1), (-0.3, 0.4)  # what "above 0" says of such intervals


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ([YES], "holds"),
        ([YES, YES], "holds"),
        ([YES, OPEN], "holds in part"),
        ([OPEN, YES, YES], "holds in part"),
        ([YES, NO], "contradictory"),
        ([NO, OPEN, OPEN, YES], "contradictory"),
        ([OPEN, OPEN], "open"),
        ([OPEN, NO], "fails in part"),
        ([NO, OPEN, NO], "fails in part"),
        ([NO], "does not hold"),
        ([NO, NO], "does not hold"),
    ],
)
def test_the_verdict_of_several_collections(bounds: list[tuple[float, float]], verdict: str) -> None:
    measured = tuple(Measurement(str(place), sum(each) / 2, *each) for place, each in enumerate(bounds))
    assert Claim("ferro14", "one", "", "", rule="above 0", measured=measured).verdict == verdict
    assert Claim("ferro14", "one", "", "", untestable="private").verdict == "cannot be tested here"
    doubtful = tuple(replace(each, corrected=0.06) for each in measured)
    claim = Claim("ferro14", "one", "", "", rule="above 0", measured=doubtful)
    assert (claim.uncorrected, claim.verdict) == (verdict, "open")


@pytest.mark.parametrize(
    ("rule", "value", "low", "high", "z"),
    [
        ("above 0", 0.3, 0.1, 0.9, 0.3 / 0.2),  # the side on which the bound lies, in halves of a 95% interval
        ("above 0", -0.3, -0.9, -0.1, 0.3 / 0.2),
        ("above 0.9", 0.95, 0.9, 0.99, 1.0),  # it ends at the bound: p is .05
        ("below 0.5", 0.4, 0.2, 0.45, 0.1 / 0.05),
        ("within 0.02", 0.01, 0.005, 0.015, 0.01 / 0.005),  # the nearer bound
        ("within 0.02", -0.04, -0.05, -0.03, 0.02 / 0.01),
        ("within 0.02", 0.0, -0.01, 0.04, 0.02 / 0.04),  # the side with more doubt
        ("above 0", 0.0, 0.0, 0.04, 0.0),
    ],
)
def test_p_is_read_off_the_side_of_the_interval_that_faces_the_bound(
    rule: str, value: float, low: float, high: float, z: float
) -> None:
    p = Claim("ferro14", "one", "", "", rule=rule).p_value(Measurement("here", value, low, high))
    assert p == pytest.approx(2 - 2 * NormalDist().cdf(NormalDist().inv_cdf(0.975) * z), abs=1e-7)


def test_p_agrees_with_the_interval_and_there_is_none_without_a_width() -> None:
    assert Claim("ferro14", "one", "", "", rule="above 0").p_value(Measurement("here", 0.5, 0.5, 0.5)) is None
    for claim in CLAIMS:
        for each in claim.measured:
            assert (each.p is None) == (each.low == each.high)
            if each.p is not None and abs(each.p - 0.05) > 1e-6:
                assert (each.p < 0.05) == (claim.uncorrected_on(each) != "open"), (claim.name, each)


def test_decisions_are_corrected_over_the_register_by_benjamini_and_hochberg() -> None:
    decisions = [each for claim in CLAIMS for each in claim.measured if each.p is not None]
    ascending = sorted(decisions, key=lambda each: each.p or 0.0)
    least = 1.0
    for rank in range(len(ascending), 0, -1):
        each = ascending[rank - 1]
        assert each.p is not None
        least = min(least, each.p * len(ascending) / rank)
        assert each.corrected == pytest.approx(least, abs=1e-12)
    assert len(decisions) > 200
    of_one = papers.claims("sakai05").claims
    assert of_one == tuple(claim for claim in CLAIMS if claim.text == "sakai05")  # corrected with all texts


def test_identities_stand_apart_and_hold() -> None:
    register = papers.claims()
    assert {claim.verdict for claim in register.identities} == {"holds"}
    on_rankings = {claim.name for claim in CLAIMS for each in claim.measured if each.collection == "random rankings"}
    assert on_rankings < {claim.name for claim in register.identities}
    assert all(each.p is None for claim in register.identities for each in claim.measured)
    assert len(register.identities) + len(register.refusable) == len(CLAIMS)
    for corrected in (True, False):
        others = [claim for claim in CLAIMS if claim.instead_of]
        assert register.counts(corrected=corrected).total() == len(register.refusable) - len(others)


def test_headline_counts_what_data_could_refuse() -> None:
    register = papers.claims()
    tested = [claim for claim in register.refusable if not claim.untestable and not claim.instead_of]
    kept = [claim for claim in tested if claim.verdict == "holds"]
    bare = [claim for claim in kept if any(each.low == each.high for each in claim.measured)]
    assert str(register.notes[0]) == (
        f"of the claims that data could refuse and that can be tested here, {len(kept)} of {len(tested)} hold, "
        f"{len(bare)} of these claims as plain counts without an interval"
    )
    shown = sum(row[-1] == "no interval" for row in register.table().grids[0].rows)
    assert shown == sum(each.low == each.high for claim in tested for each in claim.measured) > 0
    assert len(bare) <= shown
    titles = [grid.title for grid in register.table().grids]
    assert titles[:2] == ["claims that data could refuse", "identities: they follow from definitions"]


def test_another_choice_is_of_a_claim_of_the_same_words_on_the_same_collections() -> None:
    by_name = {claim.name: claim for claim in CLAIMS}
    others = [claim for claim in CLAIMS if claim.instead_of]
    assert others
    for other in others:
        first = by_name[other.instead_of]
        assert (other.quotation, other.rule) == (first.quotation, first.rule)
        assert {each.collection for each in other.measured} <= {each.collection for each in first.measured}


def test_intervals_of_few_topics_are_counted_for_claims_that_rest_on_them() -> None:
    few = {claim.name for claim in CLAIMS for each in claim.measured if ", few:" in each.collection}
    counted = papers.claims("ferro14").of_few_topics()
    assert counted
    assert set(counted) <= few
    for held in counted.values():
        assert {6, 10, 16} <= set(held)
        assert all(0.5 < share < 1 for share in held.values())
    assert not papers.claims("sakai05").of_few_topics()


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
    assert str(register.claims[0].name) in str(register)
    with pytest.raises(InputError, match=r"there is no text 'zhai15'.*did you mean zhai16"):
        papers.claims("zhai15")


def test_the_page_says_how_many_decisions_stand_whatever_the_dependence() -> None:
    p = np.sort([each.p for claim in CLAIMS for each in claim.measured if each.p is not None])
    steps = 0.05 * np.arange(1, len(p) + 1) / len(p)
    harmonic = (1 / np.arange(1, len(p) + 1)).sum()  # Benjamini & Yekutieli divide the level by it
    stand, of_any = (int(np.flatnonzero(p <= level)[-1]) + 1 for level in (steps, steps / harmonic))
    page = " ".join((FINDINGS.parents[1] / "docs" / "findings" / "decisions.md").read_text().split())
    assert f"{stand} of {len(p)} decisions stand." in page
    assert f"for any dependence, {of_any} would." in page
    alone = sum(
        {each.collection.partition(",")[0] for each in claim.measured} == {"OHSUMED"}
        for claim in papers.claims().holding()
    )
    assert f"{alone} of them rest on OHSUMED alone" in (FINDINGS.parents[1] / "docs" / "findings.md").read_text()

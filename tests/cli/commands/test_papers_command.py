"""``gradeval papers --claims``."""

from __future__ import annotations

from pathlib import Path

from gradeval import papers

from ..conftest import Gradeval, records, refusal


def test_claims_are_listed_with_what_they_rest_on(gradeval: Gradeval, tmp_path: Path) -> None:
    lines = records(gradeval("papers", "--claims", "--format", "tsv"))
    register = papers.claims()
    assert len(lines) == sum(max(1, len(claim.measured)) for claim in register.claims)
    first, measured = register.claims[0], register.claims[0].measured[0]
    assert (lines[0]["text"], lines[0]["claim"], lines[0]["rule"]) == (first.text, first.name, first.rule)
    assert (lines[0]["collection"], float(lines[0]["value"])) == (measured.collection, measured.value)
    assert {line["identity"] for line in lines} == {"True", "False"}
    decided = next(each for claim in register.claims for each in claim.measured if each.p is not None)
    line = next(line for line in lines if line["p"])
    assert (float(line["p"]), float(line["corrected"])) == (decided.p, decided.corrected)
    assert {line["uncorrected"] for line in lines} >= {line["verdict"] for line in lines} >= {"holds", "open"}
    done = gradeval("papers", "sakai05", "--claims", "-o", tmp_path / "claims.md")
    assert done.exit_code == 0
    assert f"note: {papers.claims('sakai05').notes[0]}\n" in done.stderr
    assert "| q-stable-with-gains " in (tmp_path / "claims.md").read_text()


def test_claims_and_a_table_are_not_asked_for_together(gradeval: Gradeval) -> None:
    assert "--claims lists claims; leave it or 'table1' out" in refusal(
        gradeval("papers", "scheel11", "--claims", "table1")
    )
    assert "--output is for --claims" in refusal(gradeval("papers", "-o", "claims.md"))

"""Runs that look like seeds of systems are noted by comparisons, and others are not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import scores_of

from gradeval.studies.compare import compare
from gradeval.studies.run_seeds import seeds_by_system

SEPARATORS = ["_s", "_seed", "-run", ".", "_", "-", "_seed_", "-S"]
names = st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), min_size=1, max_size=4, unique=True)


@given(names, st.sampled_from(SEPARATORS), st.integers(1, 5), st.randoms(use_true_random=False))
def test_systems_have_their_seeds_whatever_the_order(
    systems: list[str], separator: str, number: int, random: Random
) -> None:
    expected = {system: {f"{system}{separator}{seed}" for seed in range(1, number + 1)} for system in systems}
    runs = [run for some in expected.values() for run in some]
    random.shuffle(runs)
    found = {system: {*seeds} for system, seeds in seeds_by_system(runs).items()}
    assert found == (expected if len(systems) >= 2 and number >= 2 else {})
    # As many other runs leave them so, and one more makes them a minority.
    others = [f"other{chr(97 + place)}" for place in range(len(runs) + 1)]
    assert {system: {*seeds} for system, seeds in seeds_by_system([*runs, *others[:-1]]).items()} == found
    assert seeds_by_system([*runs, *others]) == {}


@pytest.mark.parametrize(
    "runs",
    [
        "run1 run2 run3 run4",
        "run_1 run_2 run_3",
        "bm25 bm11 dfr1 dfr2",
        "bm25_b0.4 bm25_b0.7 lm_l0.1 lm_l0.5",
        "colbertv2.0 colbertv2.1 splade2.0 splade2.1",
        "rm3_10 rm3_50 ql_10 ql_50",
        "A_s1 B_s1 C_s1 D_s1",
        "A_s1 A_s2 A_s3 B",
        "2024-11-01 2024-11-02",
    ],
)
def test_other_numbers_in_names_are_no_seeds(runs: str) -> None:
    assert seeds_by_system(runs.split()) == {}


@pytest.mark.parametrize("options", [{}, {"baseline": "A_s1"}, {"baseline": "best"}, {"test": "sign"}])
def test_a_comparison_notes_them_once_and_names_a_section_that_stands_there(options: dict[str, Any]) -> None:
    scores = scores_of(np.random.default_rng(0).random((4, 20)), "AP")
    seeds = replace(scores, runs=["A_s1", "A_s2", "B_s1", "B_s2"])
    (note,) = [str(note) for note in compare(seeds, **options).notes if "seeds" in str(note)]
    assert not [note for note in compare(scores).notes if "seeds" in str(note)]
    assert note.startswith("if A_s1, A_s2, B_s1")
    assert "are seeds of A, B, average them by topic first" in note
    ((page, section),) = re.findall(r"\((docs/\S+\.md)#(\S+)\)", note)
    text = (Path(__file__).parents[2] / page).read_text()
    assert f"\n## {section.replace('-', ' ').capitalize()}\n" in text

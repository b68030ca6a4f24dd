"""What the package offers: these names, no more and no fewer."""

from __future__ import annotations

from types import ModuleType

import gradeval
from gradeval.measure import REGISTRY

TYPES = "Curve InputError JudgedRankings JudgedRuns Measure Qrels Run Scores".split()
FUNCTIONS = """
    adm evaluate expected_precision from_frame graded_precision graded_precision_recall_curve graded_recall
    interpolated_curve judge measure parse_measure precision_recall_curve read_qrels read_run read_runs write_qrels
    write_run
""".split()


def test_the_public_names_are_the_types_the_functions_and_every_measure() -> None:
    assert sorted(gradeval.__all__) == sorted([*TYPES, *FUNCTIONS, *REGISTRY])


def test_the_package_holds_nothing_beside_its_public_names_and_modules() -> None:
    names = {name for name in vars(gradeval) if not name.startswith("_")}
    assert names - set(gradeval.__all__) == {name for name in names if isinstance(getattr(gradeval, name), ModuleType)}

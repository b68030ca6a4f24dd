"""What the package offers: these names, no more and no fewer."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import gradeval
from gradeval.formula.definition import REGISTRY

TYPES = """
    Clicks CollectionWarning CoverageWarning Curve Features GradevalWarning IdsWarning InputError JudgedRankings
    JudgedRuns Measure Qrels RanksWarning Run Scaler Scores SplitQueriesWarning TiesWarning
""".split()
FUNCTIONS = """
    adm assisted_means cache_features check compare compare_assisted compare_judges correlate correlate_collections
    correlation_differences count_run_swaps curve describe discriminate equivalence estimate_g evaluate
    expected_precision expected_precision_curve explain features_from_frame features_to_frame graded_precision
    graded_precision_recall_curve graded_recall infer_curves inform interpolated_curve interpolated_graded_curve judge
    judge_arrays leave_out measure open_features parse_measure plot power_differences precision_recall_curve
    qrels_from_frame rank_sets read_clicks read_letor read_qrels read_run read_runs read_scores report rms_differences
    robustness run_from_frame scores_from_frame simulate_clicks topic_set_size write_clicks write_letor write_qrels
    write_run
""".split()


def test_the_public_names_are_the_types_the_functions_and_every_measure() -> None:
    assert sorted(gradeval.__all__) == sorted([*TYPES, *FUNCTIONS, *REGISTRY])


def test_the_package_holds_nothing_beside_its_public_names_and_modules() -> None:
    names = {name for name in vars(gradeval) if not name.startswith("_")}
    assert names - set(gradeval.__all__) == {name for name in names if isinstance(getattr(gradeval, name), ModuleType)}


def test_who_only_evaluates_does_not_load_what_studies_and_learning_to_rank_need() -> None:
    lazy = {"gradeval.features", "gradeval.formats.text.letor", "gradeval.studies"}
    code = f"import sys, gradeval; dir(gradeval); print({lazy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["set()"]


def test_completion_offers_every_public_name() -> None:
    assert set(gradeval.__all__) <= set(dir(gradeval))
    assert all(getattr(gradeval, name) is not None for name in gradeval.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'gradeval' has no attribute 'nDGC'"):
        _ = gradeval.nDGC

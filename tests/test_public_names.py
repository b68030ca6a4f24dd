"""What the package offers: these names, no more and no fewer."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import gradeval
from gradeval import ltr
from gradeval.formula.definition import REGISTRY
from gradeval.studies.study import ORDER

TYPES = """
    Clicks CollectionWarning CoverageWarning Curve EncodingGuessWarning Features FeaturesWarning
    FilesWarning GradesWarning GradevalWarning IdsWarning
    GateDecision InputError JudgedRankings JudgedRuns Measure ObjectiveWarning Qrels RanksWarning Run Scaler Scores
    SignificanceWarning SplitQueriesWarning TiesWarning UnusedFilesWarning
""".split()
FUNCTIONS = """
    adm alternative_annotator assisted_means best_users cache_features check clicks compare compare_assisted correlate
    correlate_collections correlate_gains correlate_users correlation_differences curve describe discriminate
    equivalence evaluate expected_precision expected_precision_curve explain features_from_frame features_to_frame gate
    graded_precision graded_precision_recall_curve graded_recall infer_curves inform inform_users interpolated_curve
    interpolated_graded_curve interval_scale judge judge_arrays judges leave_out measure open_features parse_measure
    plot power_differences precision_recall_curve preferences qrels_from_frame ranks rbo read_clicks read_letor
    read_qrels read_run read_runs read_scores report rms_differences robustness run_from_frame run_swaps sampled_means
    scores_from_frame simulate_clicks split_log swaps topic_set_size unjudged virtual_users write_clicks write_letor
    write_qrels write_run
""".split()


def test_the_public_names_are_the_types_the_functions_and_every_measure() -> None:
    assert sorted(gradeval.__all__) == sorted([*TYPES, *FUNCTIONS, *REGISTRY])


def test_the_package_holds_nothing_beside_its_public_names_and_modules() -> None:
    names = {name for name in vars(gradeval) if not name.startswith("_")}
    assert names - set(gradeval.__all__) == {name for name in names if isinstance(getattr(gradeval, name), ModuleType)}


def test_who_only_evaluates_does_not_load_what_studies_and_learning_to_rank_need() -> None:
    lazy = {"gradeval.features", "gradeval.files.letor", "gradeval.studies.study", "gradeval.ltr", "scipy"}
    code = f"import sys, gradeval; dir(gradeval); gradeval.evaluate; print({lazy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["set()"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_dial_has_one_name_and_one_place(name: str) -> None:
    parameters = list(inspect.signature(getattr(gradeval, name)).parameters)
    assert {"level", "tau", "resampled"}.isdisjoint(parameters)
    first = [one for one in parameters if one in ORDER]
    assert first == [one for one in ORDER if one in parameters]


def test_completion_offers_every_public_name() -> None:
    assert set(gradeval.__all__) <= set(dir(gradeval))
    assert all(getattr(gradeval, name) is not None for name in gradeval.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'gradeval' has no attribute 'nDGC'"):
        _ = gradeval.nDGC


def test_importing_the_package_imports_almost_nothing() -> None:
    code = """
import sys
before = {*sys.modules}
import gradeval
print(*sorted(name for name in {*sys.modules} - before if name.partition(".")[0] not in sys.stdlib_module_names))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["gradeval", "gradeval.startup", "gradeval.upward", "gradeval.version"]


CALLED = [
    getattr(module, name)
    for module in (gradeval, ltr)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name)) and not getattr(module, name).__module__.startswith("gradeval.studies")
    if name != "measure"  # called by those who write measures
]
MADE: list[Callable[..., Any]] = [
    ltr.TreeRanker,
    ltr.LinearRanker,
    ltr.NeuralRanker,
    ltr.Objective,
    ltr.LambdaObjective,
]


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(gradeval.InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("called", [*CALLED, *MADE], ids=lambda called: called.__name__)
def test_an_argument_that_is_not_taken_is_one_line_that_names_what_is(called: Callable[..., Any]) -> None:
    parameters = list(inspect.signature(called).parameters.values())
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters)
    said = refusal(lambda: called(sort_of=1))
    fault = "missing a" if takes_any else "there is no 'sort_of'"
    assert said.startswith(f"{called.__name__}: {fault}")
    named = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    assert said.endswith(f"; it takes {', '.join(named)}")
    assert "\n" not in said


def test_a_word_that_is_nearly_one_that_is_taken_is_recognised() -> None:
    assert "there is no 'measur' (did you mean measures?)" in refusal(lambda: gradeval.report({}, {}, measur="AP"))


def test_validation_data_by_the_words_of_others_are_told_their_place() -> None:
    said = refusal(lambda: ltr.TreeRanker("lambdarank:AP").fit([[1.0]], valid=[[1.0]]))
    assert said.startswith("TreeRanker.fit: there is no 'valid': validation data are the second argument")
    assert "eval_set=(X, y)" in said


def test_too_many_arguments_are_refused_like_unknown_ones() -> None:
    assert refusal(lambda: gradeval.read_qrels("a", "b", 3, 4)).startswith("read_qrels: too many positional arguments")


def test_a_type_error_within_a_function_is_not_taken_for_one_of_the_call() -> None:
    with pytest.raises(TypeError, match="within"):
        gradeval.arguments.known_arguments()(lambda: (_ for _ in ()).throw(TypeError("within")))()

"""What people call what gradeval does."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import gradeval
from gradeval import InputError
from gradeval.arguments import one_of
from gradeval.cli import main
from gradeval.ltr import AutoRanker, TreeRanker
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.kinds import ranker_class
from gradeval.studies.significance import TEST_NAMES
from gradeval.synonyms import OBJECTIVES, PARAMETERS, SYNONYMS, meant_by


def test_every_name_that_is_offered_is_a_function_or_a_command() -> None:
    assert {*SYNONYMS} <= {*gradeval.__all__, *main.list_commands(None)}


def test_a_word_of_others_leads_to_names_that_are_known_there_alone() -> None:
    assert meant_by("TTest", ["compare", "ranks"]) == ["compare"]
    assert meant_by("ttest", ["ranks"]) == []
    assert meant_by("compare", ["compare"]) == []


@pytest.mark.parametrize("word", ["leaderboard", "kappa", "predict"])
def test_no_word_leads_to_two_names(word: str) -> None:
    assert len(meant_by(word, SYNONYMS)) == 1


def test_a_word_of_others_leads_to_the_word_that_a_parameter_takes() -> None:
    with pytest.raises(InputError, match=r"is not one of holm, bonferroni, bh, none; did you mean bh\?$"):
        one_of("correction", "fdr", ("holm", "bonferroni", "bh", "none"))
    with pytest.raises(InputError, match=r"is not one of holm, bonferroni, none, best$"):
        one_of("correction", "fdr", ("holm", "bonferroni", "none", "best"))


def test_no_name_of_another_tool_leads_to_two_parameters() -> None:
    words = [word for words in PARAMETERS.values() for word in words.split()]
    assert len(set(words)) == len(words)
    assert not set(words) & {*PARAMETERS}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("n_estimators", "epochs"),
        ("early_stopping_rounds", "patience"),
        ("num_leaves", "leaves"),
        ("n_jobs", "threads"),
    ],
)
def test_words_of_other_tools_lead_to_options_and_keywords(word: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf"^TreeRanker: there is no '{word}' \(did you mean {meant}\?\); it takes"):
        TreeRanker("GAP", **{word: 3})  # type: ignore[arg-type]  # on purpose
    for typed in (f"--{word}", f"--{word.replace('_', '-')}"):
        said = CliRunner().invoke(main, ["train", "a.txt", "--objective", "GAP", typed, "3", "-o", "m"]).stderr
        assert f"no such option: {typed}; did you mean --{meant}?" in said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("metrics", r"\(did you mean measures\?\)"),
        ("max_p", r"\(did you mean alpha\?\)"),
        ("n_permutations", r"\(did you mean samples\?\)"),
        ("stat_test", r"\(did you mean test\?\)"),
        ("k", ": give it with the measure, as nDCG@10 in measures="),
        ("relevance_level", r": give it with each measure, as AP\(rel=2\) in measures="),
    ],
)
def test_words_of_other_tools_lead_to_keywords_of_studies(word: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"compare: there is no '{word}' ?{said}"):
        gradeval.compare({"1": {"a": 1}}, {"1": {"a": 1}}, **{word: 3})  # type: ignore[call-overload]  # on purpose
    typed = f"--{word.replace('_', '-')}"
    with_option = CliRunner().invoke(main, ["compare", "a.txt", "b.txt", typed, "3"]).stderr
    assert f"no such option: {typed}; " in with_option


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("student", "t"), ("fisher", "permutation"), ("tukey", "tukey-hsd"), ("Signed-Rank", "wilcoxon")],
)
def test_tests_of_ranx_lead_to_ours(theirs: str, ours: str) -> None:
    with pytest.raises(InputError, match=rf"; did you mean {ours}\?$"):
        one_of("test", theirs, TEST_NAMES)


def said_of_option(typed: str, command: str = "train") -> str:
    return CliRunner().invoke(main, [command, "a.txt", "--objective", "GAP", typed, "3", "-o", "m"]).stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--depth --max-depth", "; trees are bounded by their leaves, not by depth: give --leaves ("),
        (
            "--time-limit --timeout --time-budget",
            "; no time bounds a training: bound its trees or epochs by --epochs, or of an auto ranker by --budget (",
        ),
        ("--trees --rounds --num-trees", "; did you mean --epochs? ("),
        ("--test --test-data", "; after training, rank the test data: 'gradeval rank MODEL TEST -o RUN', then "),
        (
            "--split --test-size --holdout",
            "; 'gradeval crossval' trains on folds of one file; in Python features.split(",
        ),
        ("--validation --val --dev --vali", "; did you mean --valid? ("),
        ("--metric --eval-metric", "; did you mean --validate-by? ("),
        ("--loss-function --loss", "; did you mean --objective? ("),
        (
            "--feature-fraction --colsample-bytree --min-child-weight --max-bin --monotone-constraints",
            "; LightGBM's own parameters are for Python: TreeRanker(OBJECTIVE, engine_params={NAME: VALUE}) (",
        ),
        ("--label-gain", "; give gains with the measure, as nDCG(gains={1:1,2:3}) in --objective ("),
        ("--gpu", "; did you mean --device? ("),
        ("--group --groups", "; write FILE.query next to FILE, with the number "),
        ("--label --query --qid", "; did you mean --columns? ("),
        ("--lerning-rate", "; did you mean --learning-rate? ("),
        ("--categor", "; did you mean --categorical? ("),
        ("--zebra --frobnicate", " (gradeval train --help"),
    ],
)
def test_options_of_other_trainers_lead_to_ours_or_say_what_to_do_instead(typed: str, said: str) -> None:
    for option in typed.split():
        assert f"no such option: {option}{said}" in said_of_option(option)


def test_a_share_is_no_file_to_validate_with() -> None:
    words = ["train", "a.txt", "--objective", "GAP", "--valid", "0.2"]
    said = CliRunner().invoke(main, words).stderr
    assert "--valid 0.2: is a share, where a file is expected; 'gradeval crossval' trains on folds" in said


@pytest.mark.parametrize(("theirs", "ours"), [("lightgbm", "tree"), ("xgboost", "tree"), ("lambdamart", "tree")])
def test_engines_lead_to_a_kind_of_rankers(theirs: str, ours: str) -> None:
    words = ["train", "a.txt", "--objective", "GAP", "--ranker", theirs]
    assert f"is not one of linear, neural, tree, auto; did you mean {ours}?" in CliRunner().invoke(main, words).stderr
    with pytest.raises(InputError, match=rf"'{theirs}' \(did you mean {ours}\?\); this gradeval knows"):
        ranker_class(theirs)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("early_stopping_rounds", "give it as TreeRanker(patience=...)"),
        ("num_leaves", "give it as TreeRanker(leaves=...)"),
        ("epochs", "give it as TreeRanker(epochs=...)"),
        ("eval_metric", "did you mean validate_by?"),
    ],
)
def test_a_method_says_what_the_constructor_takes(word: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        TreeRanker("GAP").fit([], **{word: 5})
    assert f"TreeRanker.fit: there is no {word!r}" in str(error.value)
    assert said in str(error.value)


def test_no_time_bounds_a_ranker_and_what_does_fits_it() -> None:
    for kind, bound in ((TreeRanker, "epochs="), (AutoRanker, "budget=")):
        with pytest.raises(InputError, match=f"no time bounds a training: bound its trees or epochs by {bound};"):
            kind("GAP", time_limit=60)
    words = "train a.txt --objective GAP --ranker auto --epochs 60".split()
    said = CliRunner().invoke(main, words).stderr
    assert "--epochs has no effect on --ranker auto, which takes --budget; it belongs to" in said


def test_what_rankers_lack_is_said_in_python_too() -> None:
    with pytest.raises(
        InputError, match=r"there is no 'max_depth': trees are bounded by their leaves.*: give leaves=; it"
    ):
        TreeRanker("GAP", max_depth=6)  # type: ignore[call-arg]  # on purpose
    with pytest.raises(InputError, match=r"'feature_fraction': LightGBM's own .* go into engine_params={NAME: "):
        TreeRanker("GAP", feature_fraction=0.5)  # type: ignore[call-arg]  # on purpose


WORDS = [word for words in OBJECTIVES.values() for word in words.split()]


@pytest.mark.parametrize(
    "word", ["rank:ndcg", "YetiRank", "LambdaMART", "pairwise", "lambdarank_ndcg", "QueryRMSE", *WORDS]
)
def test_objectives_of_other_tools_lead_to_one_that_trains(word: str) -> None:
    with pytest.raises(InputError, match="is no objective here; the nearest is ") as error:
        Objective.parse(word)
    meant = str(error.value).split("the nearest is '")[1].split("'")[0]
    assert str(Objective.parse(meant)) == meant


def test_every_objective_is_read_as_before() -> None:
    assert str(Objective.parse("queryrmse")) == "queryrmse"
    assert str(Objective.parse("ndcg@10")) == "lambdarank:nDCG@10"

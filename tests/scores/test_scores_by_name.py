"""Means by the names of runs and measures, and what a session shows of scores."""

from __future__ import annotations

import pytest

import gradeval
from gradeval import InputError, Scores, nDCG

from ..support.score_tables import scores_of


@pytest.fixture
def scores() -> Scores:
    runs = {"good": {"1": {"a": 2.0}}, "bad": {"1": {"b": 2.0}}}
    return gradeval.evaluate({"1": {"a": 1, "b": 0}}, runs, "AP nDCG@10")


def test_means_are_had_by_name(scores: Scores) -> None:
    assert scores.means() == {"good": {"AP": 1.0, "nDCG@10": 1.0}, "bad": {"AP": 0.0, "nDCG@10": 0.0}}
    assert scores["good"] == {"AP": 1.0, "nDCG@10": 1.0}
    assert scores["good", "AP"] == scores["good", nDCG @ 10] == 1.0
    assert isinstance(scores["bad", "nDCG@10"], float)


def test_an_unknown_name_says_what_there_is(scores: Scores) -> None:
    with pytest.raises(InputError, match="god"):
        scores["god"]
    with pytest.raises(InputError, match="P@3"):
        scores["good", "P@3"]
    with pytest.raises(
        InputError, match=r"^'ndcg_cut_10' is a measure.*write \.of\('nDCG@10'\) .*\['good', 'nDCG@10'\]"
    ):
        scores["ndcg_cut_10"]
    with pytest.raises(InputError, match=r"^Scores\.mean: too many positional arguments; it takes none"):
        scores.mean("nDCG@10")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="not iterable"):
        list(scores)


def test_a_session_shows_the_means() -> None:
    lines = repr(scores_of([[0.25, 0.75]])).splitlines()
    assert lines[0] == "Scores(1 run, 2 topics, 1 measure)"
    assert "0.5000" in lines[-1]


MEANT = {"rank_sets": "ranks", "significance": "compare", "evalute": "evaluate"}


@pytest.mark.parametrize(("name", "meant"), MEANT.items())
def test_a_name_of_others_leads_to_ours(name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'; did you mean {meant}\?"):
        getattr(gradeval, name)


def test_dir_shows_what_is_public() -> None:
    assert set(dir(gradeval)) == {*gradeval.__all__, "__all__", "__doc__", "__version__"}

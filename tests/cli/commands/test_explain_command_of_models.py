"""``gradeval explain MODEL``: what a ranker looks at."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from graded_features import graded_features

from gradeval import write_letor
from gradeval.ltr import LinearRanker, TreeRanker, feature_importance

from ..conftest import Gradeval


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, one of which is called as a measure is, and a file of features."""
    place = tmp_path_factory.mktemp("models")
    train = graded_features(20)
    write_letor(train, place / "train.txt")
    TreeRanker("lambdarank:GAP", epochs=4, min_rows=5).fit(train).save(place / "trees")
    LinearRanker("lambdarank:GAP", epochs=2).fit(train).save(place / "AP")
    return place


def test_a_model_is_told_from_a_measure_by_its_content(
    gradeval: Gradeval, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    said = gradeval("explain", "trees")
    assert said.stdout.split()[:3] == ["feature", "gain", "split"]
    assert "tree ranker, trained for lambdarank:GAP" in said.stderr
    assert "Average precision" in gradeval("explain", "AP").stdout
    assert gradeval("explain", "./AP").stdout.split()[:2] == ["feature", "weight"]


def test_the_file_holds_the_importances_of_the_library(gradeval: Gradeval, folder: Path) -> None:
    said = gradeval(
        "explain", folder / "trees", "--features", folder / "train.txt", "--by", "AP", "--samples", 2, "--format", "csv"
    )
    records = list(csv.DictReader(io.StringIO(said.stdout)))
    expected = feature_importance(TreeRanker.load(folder / "trees"), graded_features(20), "AP", samples=2)
    drops = {record["feature"]: float(record["value"]) for record in records if record["kind"] == "permutation"}
    assert drops == dict(zip("1234", expected.drops.mean(0).tolist(), strict=True))


def test_what_the_refusal_of_more_features_says_works_as_typed(
    gradeval: Gradeval, folder: Path, tmp_path: Path
) -> None:
    wide = tmp_path / "wide.txt"
    rows = (folder / "train.txt").read_text().splitlines()
    wide.write_text("".join(f"{row.partition('#')[0].strip()} 5:{place}\n" for place, row in enumerate(rows)))
    refused = gradeval("explain", folder / "trees", "--features", wide)
    assert refused.exit_code == 2
    advice = refused.stderr.partition("rank and explain take ")[2].split()
    assert advice == ["--leave-out", "5"]
    said = gradeval("explain", folder / "trees", "--features", wide, *advice)
    assert said.stdout == gradeval("explain", folder / "trees", "--features", folder / "train.txt").stdout != ""
    assert gradeval("rank", folder / "trees", wide, *advice).exit_code == 0
    assert gradeval("rank", folder / "trees", wide).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["trees", "--experiment", "9"], "--experiment is about measures; leave it out"),
        (["trees", "--by", "AP"], "--by needs data to measure on, and there are none without --features FILE"),
        (["trees", "--leave-out", "1"], "--leave-out needs data to measure on, and there are none without --features"),
        (["AP", "--leave-out", "1"], "--leave-out is for models alone, and AP is none; leave it out"),
        (["trees", "--features", "train.txt", "--by", "XP"], "unknown measure 'XP'"),
        (["trees", "--features", "missing.txt"], "missing.txt"),
        (["AP", "--format", "csv"], "--format is for models alone, and AP is none; leave it out"),
        (["AP", "--features", "train.txt"], "--features is for models alone, and AP is none; leave it out"),
        (["."], "cannot read the measure '.'"),
        (["trees", "-o", "trees/card.json"], "-o trees/card.json"),
    ],
)
def test_what_does_not_fit_is_refused(
    gradeval: Gradeval, folder: Path, arguments: list[str], error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    said = gradeval("explain", *arguments)
    assert said.exit_code == 2
    assert error in said.stderr
    assert said.stderr.count("\n") == 1


def test_a_damaged_model_is_called_so(gradeval: Gradeval, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "card.json").write_bytes((folder / "trees" / "card.json").read_bytes()[:-9])
    said = gradeval("explain", tmp_path / "model")
    assert said.exit_code == 2
    assert "not the card of a ranker, or damaged" in said.stderr

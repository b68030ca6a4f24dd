"""The section of a report about a trained ranker: what it says is what the functions of importance give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")
pytest.importorskip("torch")
pytest.importorskip("lightgbm")

from elements import Elements
from graded_features import graded_features

from gradeval import Features, InputError, Run, report, write_letor
from gradeval.ltr import LinearRanker, TreeRanker, feature_importance
from gradeval.page.report import Report
from gradeval.page.section import Section

TRAIN, TEST = graded_features(20), graded_features(12, seed=1, prefix="t")
TREES = TreeRanker("lambdarank:GAP", epochs=6, min_rows=5).fit(TRAIN)
LINEAR = LinearRanker("lambdarank:GAP", epochs=3).fit(TRAIN)


def runs_of(features: Features) -> list[Run]:
    return [features.run(LINEAR.score(features), name="linear"), features.run(TREES.score(features), name="trees")]


def made(**options: object) -> Report:
    return report(TEST.qrels, runs_of(TEST), "nDCG@5 AP", studies="none", ties="order", **options)


def section_of(page: Report) -> Section:
    return next(section for section in page.sections if section.name == "model")


def test_the_table_is_that_of_the_function_by_the_first_measure() -> None:
    page = made(model=TREES, features=TEST, seed=2)
    expected = feature_importance(TREES, TEST, "nDCG@5", seed=2)
    section = section_of(page)
    assert section.tables[0].table.records.fields == expected.table().records.fields
    drops = expected.drops.mean(0)
    first = int(drops.argmax())
    assert section.answer == (
        f"nDCG@5 of the tree ranker is {expected.value:.4f} on {TEST.name}. Shuffling the values of one feature "
        f"lowers it for {int((drops > 0).sum())} of the 4 features, most for feature {first + 1}, "
        f"by {drops[first]:.4f}."
    )
    assert section.redo == ["gradeval explain MODEL --features FEATURES --by nDCG@5 --samples 5 --seed 2"]
    assert not any("learnt by heart" in sentence for sentence in section.details)
    written = {part["section"]: part for part in json.loads(page.to_json())["sections"]}
    by_kind = {
        (row["feature"], row["kind"]): row["value"] for row in written["model"]["tables"]["Features by importance"]
    }
    assert [by_kind[name, "permutation"] for name in "1234"] == drops.tolist()
    assert [by_kind[name, "gain"] for name in "1234"] == TREES.importances()["gain"].tolist()


def test_without_features_it_says_what_the_ranker_says_itself(tmp_path: Path) -> None:
    LINEAR.save(tmp_path / "model")
    section = section_of(made(model=tmp_path / "model"))
    weights = LINEAR.coefficients
    most = int(np.abs(weights).argmax())
    assert section.answer == (
        f"The linear ranker uses 4 of 4 features; the most important by weight is feature {most + 1}, with "
        f"{weights[most]:.4g}."
    )
    assert section.redo == ["gradeval explain MODEL"]
    assert any("with features and grades, too" in sentence for sentence in section.details)


def test_documents_of_the_training_are_recognised(tmp_path: Path) -> None:
    write_letor(TRAIN, tmp_path / "train.txt")
    section = section_of(made(model=TREES, features=tmp_path / "train.txt"))
    assert section.details[-1].startswith("The ranker was trained on these documents")


def test_the_page_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    LINEAR.save(tmp_path / "model")
    write_letor(TEST, tmp_path / "test.txt")
    page = made(model=tmp_path / "model", features=tmp_path / "test.txt")
    assert " on test.txt. Shuffling the values of " in section_of(page).answer
    for place in ("a.html", "a.json", "a.md"):
        assert str(tmp_path).encode() not in page.write(place)
    both = Features.concat([TEST, TRAIN], name="/one/a.txt + /two/b.txt")
    assert " on a.txt + b.txt. Shuffling " in section_of(made(model=LINEAR, features=both)).answer


def test_a_ranker_that_no_feature_moves_is_said_to_be_so() -> None:
    same = Features.from_arrays(np.ones_like(TEST.X), TEST.grades, sizes=np.diff(TEST.offsets))
    answer = section_of(made(model=LINEAR, features=same)).answer
    assert answer.endswith("Shuffling the values of any one feature does not lower it.")


def test_without_a_model_there_is_no_word_of_it() -> None:
    page = made()
    assert "model" not in [section.name for section in page.sections]
    assert not any("model" in reason for reason in page.sections[-1].details)


def test_hostile_names_of_features_add_no_element_to_the_page() -> None:
    def tags(evil: str) -> list[tuple[str, tuple[str, ...]]]:
        names = [f"{name}{evil}" for name in "abcd"]
        train, test = (
            Features.from_arrays(part.X, part.grades, sizes=np.diff(part.offsets), columns=names, name=f"file{evil}")
            for part in (TRAIN, TEST)
        )
        ranker = LinearRanker("lambdarank:GAP", epochs=3).fit(train)
        return Elements(made(model=ranker, features=test).write("x.html").decode()).names

    assert tags("</script><img src=x onerror=alert(1)>\"'\x07") == tags("harmless")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": TEST}, "features= are what a ranker is explained on; give the ranker, too: model="),
        ({"model": "nothing"}, "nothing"),
        ({"model": LINEAR, "features": graded_features(3, columns=5)}, "5 features .*, the ranker was trained on 4"),
        ({"model": LinearRanker("lambdarank:GAP")}, "not trained"),
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(**options)

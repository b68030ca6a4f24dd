from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import InputError
from gradeval.cli.options import refuse_overwriting

from .conftest import Gradeval, refusal


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder with a file and a folder in it."""
    (tmp_path / "model" / "inner").mkdir(parents=True)
    (tmp_path / "model" / "card.json").write_text("{}")
    return tmp_path / "model"


@pytest.mark.parametrize("name", ["card.json", "new", "inner/new", "../model/card.json", "inner/../new"])
def test_no_place_in_a_folder_that_is_an_input_is_written(model: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"^--plot .*: lies in the folder {model}, which is read or replaced whole"):
        refuse_overwriting(str(model / name), [str(model)], "--plot")


def test_a_link_into_the_folder_is_no_way_around(model: Path, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(model / "card.json")
    (tmp_path / "folder").symlink_to(model)
    for place in (tmp_path / "out", tmp_path / "folder" / "new"):
        with pytest.raises(InputError, match="lies in the folder"):
            refuse_overwriting(str(place), [str(model)])


def test_places_beside_an_input_may_be_written(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_overwriting(str(tmp_path / "model.txt"), [str(model)])
    refuse_overwriting(str(tmp_path / "model2" / "card.json"), [str(model)])
    monkeypatch.chdir(model)
    refuse_overwriting("-", ["."])


def test_scores_are_not_overwritten_whatever_their_measure_is_called(gradeval: Gradeval, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.1\n")
    for given in (scores, f"mine={scores}", f"mine=yours={scores}"):
        said = refusal(gradeval("compare", "--scores", given, "-o", scores))
        assert said.startswith(f"-o {scores}: would replace the input")
    assert scores.read_text().startswith("topic")

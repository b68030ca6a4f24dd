"""Tables of topics x systems, as spreadsheets and pandas write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gradeval import InputError, read_scores

VALUES = pd.DataFrame({"elm": [0.5, 0.75, 0.1], "oak": [0.25, 0.3, 0.9]}, [7, 8, 12])


def require_values(place: Path) -> list[str]:
    """Require the scores of VALUES in a file, and give the notes."""
    scores = read_scores(place)
    assert (scores.runs, scores.topics, list(map(str, scores.measures))) == (["elm", "oak"], ["7", "8", "12"], ["AP"])
    np.testing.assert_array_equal(scores.values[..., 0], VALUES.to_numpy().T)
    return list(map(str, scores.notes))


@pytest.mark.parametrize("head", ["topic", "", "qid", "Topic", "topic_id", "query", "query-id", "User", "Query ID"])
@pytest.mark.parametrize("index", [False, True])
def test_the_topics_stand_below_any_usual_name_and_an_index_is_none(head: str, index: bool, tmp_path: Path) -> None:
    place = tmp_path / "AP.csv"
    table = VALUES.rename_axis(head)
    if index and head:
        table.reset_index().to_csv(place)
        pd.read_csv(place).to_csv(place, index=False)  # the index is now called Unnamed: 0
    else:
        table.to_csv(place)
    assert require_values(place) == []


def test_topics_may_stand_last(tmp_path: Path) -> None:
    VALUES.assign(qid=VALUES.index).to_csv(tmp_path / "AP.csv", index=False)
    assert require_values(tmp_path / "AP.csv") == []


@pytest.mark.parametrize("how", ["mean", "sum"])
@pytest.mark.parametrize("name", ["All", "Average"])
def test_margins_are_left_out_and_named(name: str, how: str, tmp_path: Path) -> None:
    table = VALUES.copy()
    table[name] = table.agg(how, axis=1)
    table.loc[name] = table.agg(how, axis=0)
    table.to_csv(tmp_path / "AP.csv", index_label="topic")
    (note,) = require_values(tmp_path / "AP.csv")
    assert note.endswith(f"AP.csv: left out, as their names say mean or sum: {name} and {name}")


@pytest.mark.parametrize(("name", "values"), [("n_rel", [17, 3, 5]), ("ms", [12.5, 8.1, 30.2]), ("number", [7, 8, 12])])
@pytest.mark.parametrize("at", [0, 2])
def test_a_column_unlike_the_others_is_refused(name: str, values: list[float], at: int, tmp_path: Path) -> None:
    table = VALUES.copy()
    table.insert(at, name, values)
    table.to_csv(tmp_path / "AP.csv", index=at > 0, index_label="topic")
    with pytest.raises(InputError, match=f"'{name}' is no system's.*up to {max(values):g}, others up to 0.9"):
        read_scores(tmp_path / "AP.csv")


@pytest.mark.parametrize("third", [[3, 4, 5], [1, 0, 2]])
def test_counts_of_systems_are_not_unlike_each_other(third: list[int], tmp_path: Path) -> None:
    table = pd.DataFrame({"elm": [1, 0, 1], "oak": [0, 1, 1], "fir": third}, ["q1", "q2", "q3"])
    table.to_csv(tmp_path / "num_rel_ret.csv", index_label="topic")
    np.testing.assert_array_equal(read_scores(tmp_path / "num_rel_ret.csv").values[..., 0], table.to_numpy().T)


@pytest.mark.parametrize(
    "text", ["topic,run,ctr\n1,als,0.3\n2,als,0.4\n", "user,ctr,algorithm\n1,0.3,als\n2,0.4,als\n"]
)
def test_a_table_with_a_column_of_text_is_told_which_columns_scores_have(text: str, tmp_path: Path) -> None:
    (tmp_path / "AP.csv").write_text(text)
    with pytest.raises(InputError) as error:
        read_scores(tmp_path / "AP.csv")
    name = "run" if "run" in text else "algorithm"
    assert str(error.value).startswith(f"{tmp_path / 'AP.csv'}: column {name!r} holds text (as 'als'); accepted: the c")
    assert "the columns run, topic, measure, value; or a column of topics" in str(error.value)

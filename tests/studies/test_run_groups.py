"""Groups of runs: what files and mappings say, and what they may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradeval import InputError
from gradeval.studies.run_groups import Groups, about_absent, find_absent, places_of_groups, read_groups

RUNS = ["bm25", "rm3", "my run", "a.csv"]


@pytest.mark.parametrize(
    "text",
    [
        "bm25 lexical models\nrm3 dense\n",
        "bm25\tlexical models\nrm3\tdense\n",
        "bm25,lexical models\nrm3,dense\n",
        "bm25;lexical models\r\nrm3; dense\r\n",
        "run,team\nbm25,lexical models\nrm3,dense\n",
        "# teams\nRun ID\tGroup\nbm25\tlexical models\nrm3\tdense\n",
        '\ufeffsystem,participant\n"bm25","lexical models"\n# a comment\n\nrm3,dense',
        "sep=;\nbm25;lexical models\nrm3;dense\nbm25;lexical models\n",
        "bm25   lexical models\nrm3\tdense",
        "\ufeffRun tag,Team\r\nbm25,lexical models\r\nrm3,dense\r\n",
        "Run tag;Team name\nbm25;lexical models\nrm3;dense\n",
        '"Run tag","Team"\n"bm25","lexical models"\n"rm3","dense"\n',
        '"bm25","lexical models"\n"rm3","dense"\n',
        "Team,Run tag,Contact,Run type,Priority\nlexical models,bm25 ,a@b,full,1\ndense,rm3,,rerank,2\n",
        "Team\tRun tag\nlexical models\tbm25\ndense\trm3\n",
    ],
)
def test_a_file_has_a_run_and_its_group_in_each_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "groups"
    path.write_text(text, newline="")
    assert read_groups(str(path)) == {"bm25": "lexical models", "rm3": "dense"}


def test_a_first_line_is_data_where_it_only_looks_like_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("system,neural\nrun,neural\nrun,group\n".replace("run,group\n", ""))
    assert read_groups(str(path)) == {"system": "neural", "run": "neural"}


def test_a_file_called_csv_has_commas_though_a_blank_stands_before_them(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("my run,lexical, models\n".replace("lexical, models", '"lexical, models"'))
    assert read_groups(str(path)) == {"my run": "lexical, models"}
    path.rename(tmp_path / "groups")
    (tmp_path / "groups").write_text("bm25 Here, There\n")
    assert read_groups(str(tmp_path / "groups")) == {"bm25": "Here, There"}


def test_a_column_is_named_behind_the_file(tmp_path: Path) -> None:
    path = tmp_path / "teams.csv"
    path.write_text("run,team,group,city\nbm25,a,b,c\n")
    with pytest.raises(InputError) as error:
        read_groups(str(path))
    assert f"2 columns may name the groups; write {path}:team or {path}:group" in str(error.value)
    assert [read_groups(f"{path}:{column}") for column in ("team", "group", "city")] == [
        {"bm25": group} for group in "abc"
    ]
    with pytest.raises(InputError, match=r"no column of groups 'town' \(the header is run, team, group, city\)"):
        read_groups(f"{path}:town")


def test_names_of_runs_that_are_not_given_are_left_out_unless_they_look_misspelt() -> None:
    groups = {"bm25": "a", "rm3": "a", "my run": "b", "rm4": "b"}
    assert places_of_groups({**groups, "a": "c"}, RUNS) == {"a": [0, 1], "b": [2], "c": [3]}
    assert find_absent(groups, RUNS) == ["rm4"]
    assert [note.text for note in about_absent(["rm4"])] == ["groups: 1 name is no run here and is ignored (rm4)"]
    assert about_absent([]) == []
    with pytest.raises(InputError, match=r"no run 'rm4' \(did you mean rm3\?\)"):
        places_of_groups({"bm25": "a", "rm4": "b"}, RUNS)
    with pytest.raises(InputError, match="no run 'other'"):
        places_of_groups({"other": "b"}, RUNS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,team,city\nbm25,a\n", ":2: found 2 columns; the header has 3"),
        ("", "names no run; accepted: lines of a run and its group"),
        ("# none\n\n", "names no run"),
        ("run,team\n", "names no run"),
        ("bm25\n", ":1: 'bm25' has no group; accepted: a run and its group, as in bm25 lexical"),
        ("bm25,\n", ":1: 'bm25' has no group"),
        (",a\n", ":1: the run is empty"),
        ("bm25,a,b\n", ":1: found 3 columns; accepted: two"),
        ("bm25,a\nbm25,b\n", ":2: 'bm25' is in 'a' already; a run has one group"),
        ('{"bm25": "a"}', "is JSON"),
        ("bm25 a\0\n", ":1: control byte"),
        ('bm25,"a\n', "a quote opens a cell here and does not close it"),
        ("\x1b[31m,\n", r":1: '\x1b[31m' has no group"),
    ],
)
def test_what_no_file_of_groups_says_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "groups"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_groups(str(path))
    assert message in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["bm25"], "groups are {run: group}, as in {'bm25': 'lexical'}, not a list"),
        ({"bm25": None}, "groups: the group of 'bm25' is None; accepted: a text"),
        ({"bm25": " "}, "groups: the group of 'bm25' is ' '"),
        ({"bm25": float("nan")}, "is nan"),
        ({"bm52": "a"}, "groups: no run 'bm52' (did you mean bm25?); the runs are bm25, rm3, my run, a.csv"),
        (dict.fromkeys(RUNS, "all"), "groups: 'all' holds all 4 runs"),
        ({"a": "one", "a.csv": "two"}, "groups: 'a.csv' is a.csv, which is in 'one' already"),
    ],
)
def test_groups_that_are_none_are_refused(groups: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        places_of_groups(Groups().check("groups", groups), RUNS)
    assert message in str(error.value)


def test_groups_name_the_places_of_their_runs() -> None:
    groups = Groups().check("groups", {"my run": 1, "bm25": "x", "a": "x", "a.csv": "x"})
    assert places_of_groups(groups, RUNS) == {"1": [2], "x": [0, 3]}
    assert places_of_groups(None, RUNS) == {}

"""Ranked lists as recommenders write them: one collection is the same run in all of these files."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gradeval import FilesWarning, InputError, evaluate, read_qrels, read_run, read_runs

LISTS = {"pop": {"7": [101, 205, 301], "8": [301, 101, 205]}, "knn": {"7": [205, 401, 101], "8": [401, 301, 502]}}
KNN = {user: {str(item): float(-rank) for rank, item in enumerate(items, 1)} for user, items in LISTS["knn"].items()}
CSV = "user,country,{}\n" + "".join(f"{user},DE,{a},{b},{c}\n" for user, (a, b, c) in LISTS["knn"].items())
LISTED = "user_id,pop,knn\n" + "".join(
    f'{user},"{LISTS["pop"][user]}","{LISTS["knn"][user]}"\n' for user in LISTS["knn"]
)


def test_algorithms_by_key_are_runs(tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    file.write_text(json.dumps(LISTS))
    pop, knn = read_runs([file])
    assert (pop.name, knn.name) == ("pop", "knn")
    assert knn.to_dict() == KNN
    same = evaluate({"7": {"101": 1}}, LISTS, "RR").values
    assert evaluate({"7": {"101": 1}}, file, "RR").values.tolist() == same.tolist() == [[[1.0]], [[1 / 3]]]


def test_records_with_recs(tmp_path: Path) -> None:
    file = tmp_path / "recs.jsonl"
    records = [
        {"user": user, "recs": [{"item": item, "score": 9 - rank} for rank, item in enumerate(items)]}
        for user, items in LISTS["knn"].items()
    ]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    ranked = {
        user: sorted(found, key=found.__getitem__, reverse=True) for user, found in read_run(file).to_dict().items()
    }
    assert ranked == {user: [*map(str, items)] for user, items in LISTS["knn"].items()}


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 1, 0)])
def test_wide_rows_in_any_order_of_columns_next_to_others(tmp_path: Path, order: tuple[int, ...]) -> None:
    file = tmp_path / "wide.csv"
    heads, *rows = CSV.format("rec1,rec2,rec3").splitlines()
    moved = [line.split(",")[:2] + [line.split(",")[2 + at] for at in order] for line in (heads, *rows)]
    file.write_text("\n".join(map(",".join, moved)) + "\n")
    run = read_run(file)
    assert run.to_dict() == KNN
    assert "country does not count" in run.read_as


@pytest.mark.parametrize("column", ["score", "item", "rank"])
def test_wide_rows_next_to_columns_of_runs_are_refused(tmp_path: Path, column: str) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(CSV.format("rec1,rec2,rec3").replace("country", column))
    with pytest.raises(InputError):
        read_run(file).to_dict()


@pytest.mark.parametrize("padding", [None, math.nan])
@pytest.mark.parametrize("form", ["json", "python"])
def test_padding_at_the_end_is_left_out_and_said(tmp_path: Path, padding: Any, form: str) -> None:
    padded = {user: [*items, padding, padding] for user, items in LISTS["knn"].items()}
    file = tmp_path / "knn.json"
    file.write_text(json.dumps(padded).replace("NaN", "null"))
    with pytest.warns(FilesWarning, match=r"ends of lists hold 4 missing ids \(null, NaN, -1\), which are left out"):
        found = evaluate({"7": {"101": 1}}, file if form == "json" else {"knn": padded}, "RR").values
    assert found.tolist() == [[[1 / 3]]]
    for wrong in ([None], [101, None, 205]):
        with pytest.raises(InputError):
            evaluate({"7": {"101": 1}}, {"7": wrong}, "RR")


def test_padding_of_wide_rows(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(
        "user,rec1,rec2,rec3,rec4\n" + "".join(f"{u},{','.join(map(str, i))},nan\n" for u, i in LISTS["knn"].items())
    )
    assert read_run(file).to_dict() == KNN


def test_a_column_of_lists_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "all.csv"
    file.write_text(LISTED)
    run = read_run(file, columns={"doc": "knn"})
    assert (run.name, run.to_dict()) == ("knn", KNN)
    assert read_run(f"columns:doc=knn:{file}").to_dict() == KNN
    assert read_qrels(f"columns:doc=pop:{file}").of("7") == {"101": 1, "205": 1, "301": 1}
    with pytest.raises(InputError, match=r"'pop' and 'knn' hold lists of documents; .* columns:doc=pop:FILE"):
        read_run(file).to_dict()


@pytest.mark.parametrize("size", [3, 5, None])
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_lines_with_a_list_each_are_refused_by_the_command_that_mends_them(
    tmp_path: Path, kind: str, size: int | None
) -> None:
    """As LightGCN and NGCF keep them: of any length, also with the six columns of TREC."""
    lists = {user: [user * 100 + at for at in range(size or 2 + user)] for user in range(7, 12)}
    file = tmp_path / "train.txt"
    file.write_text("".join(f"{user} {' '.join(map(str, items))}\n" for user, items in lists.items()))
    read: Any = read_qrels if kind == "qrels" else read_run
    if (kind, size) == ("qrels", 3):
        return  # four whole numbers may be judgments
    with pytest.raises(InputError, match="is each a list, user item item") as error:
        read(file)
    command = str(error.value).partition("a line a document: ")[2].replace("FILE > NEW", "train.txt")
    mended = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (tmp_path / "mended.txt").write_text(mended)
    for user, items in lists.items():
        wanted = {str(item): 1.0 if kind == "qrels" else float(-rank) for rank, item in enumerate(items, 1)}
        assert read(tmp_path / "mended.txt").of(str(user)) == wanted


def test_one_item_a_user_is_told_how_to_become_a_list() -> None:
    held_out, lists = {6: 10, 7: 12}, {6: [10, 11], 7: [11, 12]}
    with pytest.raises(InputError, match=r"the value of topic 6 is an int; .* make (\{.*\})$") as error:
        evaluate(held_out, lists, "RR")  # type: ignore[arg-type]
    call = str(error.value).partition(" make ")[2]
    assert call == "{user: [item] for user, item in QRELS.items()}"
    assert evaluate(eval(call, {"QRELS": held_out}), lists, "RR").mean().item() == 0.75


@pytest.mark.parametrize("run", [{6.0: [10, 11]}, {6: [10.0, 11.0]}])
def test_ids_with_decimals_are_told_how_to_become_whole(run: dict[float, list[float]]) -> None:
    with pytest.raises(InputError, match=r"ids\.astype\(int\)"):
        evaluate({6: [10]}, run, "RR")  # type: ignore[arg-type]

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import InputError, read_scores
from gradeval.scores.measure_columns import is_measure

VALUES = {("elm", "1"): (0.25, 0.5), ("elm", "2"): (0.5, 0.75), ("oak", "1"): (0.125, 1.0), ("oak", "2"): (0.0, 0.5)}
"""AP and nDCG@10 of two runs and topics."""


def write(folder: Path, text: str) -> str:
    place = folder / "values.csv"
    place.write_text(text, encoding="utf-8")
    return str(place)


@pytest.mark.parametrize("head", ["run,topic,AP,nDCG@10", "system,query_id,map,ndcg_cut_10", "Run,qid,AP,NDCG@10"])
def test_a_column_for_each_measure_is_read_as_lines_of_single_values_are(tmp_path: Path, head: str) -> None:
    wide = "".join(f"{run},{topic},{one},{other}\n" for (run, topic), (one, other) in VALUES.items())
    long = "".join(
        f"{run},{topic},{measure},{value}\n"
        for (run, topic), values in VALUES.items()
        for measure, value in zip(head.split(",")[2:], values, strict=True)
    )
    found, expected = (
        read_scores(write(tmp_path, text)) for text in (f"{head}\n{wide}", f"run,topic,measure,value\n{long}")
    )
    assert (found.runs, found.topics, found.measures) == (expected.runs, expected.topics, expected.measures)
    assert found.values.tolist() == expected.values.tolist()


def test_columns_of_text_are_left_out_with_a_note_and_other_numbers_are_measures(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "run,topic,AP,team,mine\nelm,1,0.5,x,0.25\nelm,2,0.5,y,0.75\n"))
    assert list(map(str, scores.measures)) == ["AP", "mine"]
    assert any("these columns hold text: team" in str(note) for note in scores.notes)


@pytest.mark.parametrize(
    "text",
    [
        "run,ndcg@20,P@20,rbp_p5,bpref,map\nelm,0.8,0.9,0.9,0.6,0.5\noak,0.7,0.8,0.9,0.5,0.4\n",
        "run\ttrec_eval:map\ttrec_eval:recip_rank\nelm\t0.5\t0.75\noak\t0.25\t0.5\n",
        "metric,elm,oak\nndcg@20,0.8,0.7\nmap,0.5,0.4\n",
        "system,metric,score\nelm,map,0.5\noak,map,0.4\nelm,P@5,0.5\noak,P@5,0.4\n",
    ],
)
def test_means_of_measures_are_refused_and_never_averaged(tmp_path: Path, text: str) -> None:
    place = write(tmp_path, text)
    with pytest.raises(InputError, match=r"values\.csv: holds means alone.*run, topic, measure, value"):
        read_scores(place)
    with pytest.raises(InputError, match="holds means alone"):
        read_scores(place, topics="map")


def test_tasks_with_one_name_of_a_measure_are_tasks(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "model,NQ,FiQA,ERR\nelm,0.5,0.7,0.25\noak,0.25,0.5,0.5\n"))
    assert (scores.topics, scores.unit) == (["NQ", "FiQA", "ERR"], "tasks")


def test_a_name_of_a_measure_may_have_a_source() -> None:
    assert all(map(is_measure, ["nDCG@10", "map", "P_1000", "trec_eval:recip_rank", "ndcg_cut_10", "GAP"]))
    assert not any(map(is_measure, ["NQ", "SciFact", "rbp_p5", "topic", "", "a:b"]))


@pytest.mark.parametrize("heads", ["nDCG@10,AP", "ndcg_at_10,map", "R@1k (DL19),MRR@10 (dev)"])
def test_measures_of_one_run_are_no_systems(tmp_path: Path, heads: str) -> None:
    rows = {"1": "0.4,0.2", "2": "0.5,0.3"}
    text = "".join(f"{topic},{values}\n" for topic, values in {"topic": heads, **rows}.items())
    with pytest.raises(InputError, match="not of systems; add a column run with the name of the run"):
        read_scores(write(tmp_path, text))
    text = "".join(f"{run},{line}\n" for run, line in zip(("run", "elm", "elm"), text.splitlines(), strict=True))
    assert read_scores(write(tmp_path, text)).values.tolist() == [[[0.4, 0.2], [0.5, 0.3]]]

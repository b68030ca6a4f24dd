from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import judge, read_qrels, read_run
from gradeval.studies.robustness import Random, Stratified, robustness

from .conftest import Gradeval, records, refusal


def test_with_the_full_pool_the_order_is_the_same(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG Bpref", "--rates", "100,50", "--samples", 3, "--format", "tsv"]
    result = records(gradeval("robustness", *collection, *args))
    assert len(result) == 2 * 3 * 3
    assert {line["value"] for line in result if line["step"] == "100.0"} == {"1.0"}


def test_the_measures_are_those_of_the_paper_unless_named(gradeval: Gradeval, collection: list[Path]) -> None:
    result = records(gradeval("robustness", *collection, "--rates", "50", "--samples", 1, "--format", "tsv"))
    assert [line["measure"] for line in result] == "AP nDCG GAP xGAP eGAP RBP(rel=1) Bpref".split()


def test_without_a_floor_scarce_grades_may_vanish(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "10", "--floor-nonrelevant", 0, "--format", "tsv"]
    floored, bare = (records(gradeval(*args, "--floor", floor))[0] for floor in (1, 0))
    assert float(floored["judged"]) > float(bare["judged"])


@pytest.mark.parametrize("method", ["random", "depth"])
def test_other_ways_of_sampling(gradeval: Gradeval, collection: list[Path], method: str) -> None:
    samples = ["--samples", 2] * (method == "random")
    args = ["-m", "AP", "--method", method, "--rates", "40,10", *samples, "--format", "tsv"]
    result = records(gradeval("robustness", *collection, *args))
    assert len(result) == {"random": 4, "depth": 2}[method]  # nothing is random in a depth
    assert {line["method"] for line in result} == {method}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--rates", "-5"], "--rates -5 is not a number from 0"),
        (["--rates", "many"], "--rates many is not a number from 0"),
        (["--floor", "1,1"], "--floor 1,1: floor: 1 is given twice"),
        (["--floor", "-1"], "--floor -1 is not a whole number of documents from 0"),
        (["--floor", "1.5"], "--floor 1.5 is not a whole number of documents from 0"),
        (["--topics", "all,401"], "'401' is no selection, as 'all' is"),
        (["--topics", "all,few:2,all"], "all is given twice"),
        (["--topics", "all,few:7"], "few:7: the collection has the grades 0,1,2; this takes 2"),
    ],
)
def test_what_cannot_be_thinned_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("robustness", *collection, *args))


@pytest.mark.parametrize(
    ("method", "option", "note"),
    [
        ("depth", ["--samples", "5"], "note: samples does nothing here and is ignored"),
        ("depth", ["--seed", "5"], "note: seed does nothing here and is ignored"),
        ("random", ["--floor", "0"], "note: floor does nothing here and is ignored"),
    ],
)
def test_options_that_do_not_apply_are_notes(
    gradeval: Gradeval, collection: list[Path], method: str, option: list[str], note: str
) -> None:
    args = ["robustness", *collection, "-m", "AP", "--method", method]
    result = gradeval(*args, *option)
    assert note in result.stderr
    assert result.stdout == gradeval(*args).stdout


@pytest.mark.parametrize(
    ("option", "how"),
    [
        (["--statistic", "spearman"], {"statistic": "spearman"}),
        (["--missing", "skip"], {"missing": "skip"}),
        (["--missing", "skip", "--empty", "one"], {"missing": "skip", "empty": "one"}),
        (["--seed", 5], {"seed": 5}),
        (["--topics", "401,402,403,404,405"], {"topics": ["401", "402", "403", "404", "405"]}),
        (["--runs", "alder,aspen,beech,birch"], {"runs": ["alder", "aspen", "beech", "birch"]}),
        (["--floor", "3"], {"method": Stratified((40, 20), floor=3)}),
        (["--floor", 0, "--floor-nonrelevant", "2"], {"method": Stratified((40, 20), floor=0, floor_nonrelevant=2)}),
        (["--method", "random"], {"method": Random((40, 20))}),
    ],
)
def test_options_act_as_in_the_function(
    gradeval: Gradeval, untidy: list[Path], option: list[object], how: dict[str, Any]
) -> None:
    usual = {"method": Stratified((40, 20), floor=0), "samples": 3}
    judged = judge(read_qrels(untidy[0]), [read_run(path) for path in untidy[1:]])
    expected = robustness(judged, "AP Bpref", **usual | how)
    floor = ["--floor", 0] * ("method" not in how)
    args = ["-m", "AP Bpref", "--rates", "40,20", "--samples", 3, "--format", "tsv"]
    lines = records(gradeval("robustness", *untidy, *args, *floor, *option))
    assert [float(line["value"]) for line in lines] == expected.values.ravel().tolist()
    assert [float(line["judged"]) for line in lines] == expected.judged_share.ravel().repeat(2).tolist()
    assert {line["statistic"] for line in lines} == {expected.statistic}
    assert {(line["runs"], line["topics"]) for line in lines} == {(str(len(expected.runs)), str(len(expected.topics)))}
    for name in how:
        others = {other: value for other, value in how.items() if other != name}
        assert not np.array_equal(expected.values, robustness(judged, "AP Bpref", **usual | others).values), name


def test_one_sample_has_no_spread(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "50,20", "--samples"]
    one, two = (gradeval(*args, samples) for samples in (1, 2))
    assert "±" not in one.stdout
    assert "1 thinned pool at each rate" in one.stderr
    assert two.stdout.count("±") == 2


def test_records_say_how_they_were_drawn(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "40", "--format", "tsv"]
    line, *_ = records(gradeval(*args, "--samples", 2, "--seed", 7, "--floor", 2, "--floor-nonrelevant", 3))
    how = [line[field] for field in ("method", "samples", "seed", "floor", "floor_nonrelevant")]
    assert how == ["stratified", "2", "7", "2", "3"]
    (line,) = records(gradeval(*args, "--method", "depth"))
    how = [line[field] for field in ("method", "samples", "seed", "floor", "floor_nonrelevant")]
    assert how == ["depth", "", "", "", ""]


def test_several_floors_are_studies_beside_each_other(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP GAP", "--rates", "50,10", "--samples", 2, "--floor"]
    apart = [gradeval(*args, floor) for floor in (2, 0)]
    both = gradeval(*args, "2,0")
    tables = [f"stratified, floor {floor}\n{one.stdout}" for floor, one in zip((2, 0), apart, strict=True)]
    assert both.stdout == "\n".join(tables)
    lines = [records(gradeval(*args, floor, "--format", "tsv")) for floor in (2, 0, "2,0")]
    assert lines[2] == lines[0] + lines[1]
    assert [line["floor"] for line in lines[2]] == ["2"] * 8 + ["0"] * 8


def test_the_topics_in_which_the_floor_acts_are_counted(gradeval: Gradeval, collection: list[Path]) -> None:
    qrels = read_qrels(collection[0])
    args = ["robustness", *collection, "-m", "AP", "--rates", "50,30", "--samples", 2]
    sizes = [Counter(qrels.of(topic).values()) for topic in qrels.topics]
    acts = sum(1 in (size[1], size[2]) for size in sizes)  # 30% of one document is none, of two one
    assert 0 < acts < 12
    said = f"note: floor 1 keeps relevant documents that rate 30% would remove, in {acts} of 12 topics; "
    assert said + "take floor 1,0 to see how much they matter" in gradeval(*args).stderr
    for quiet in (["--floor", "0"], ["--rates", "100"], ["--method", "random"]):
        assert "keeps relevant documents" not in gradeval(*args, *quiet).stderr


def test_each_floor_has_a_picture(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    args = ["-m", "AP", "--rates", "50,30", "--samples", 2, "--floor", "1,0", "--plot", tmp_path / "floors.svg"]
    assert gradeval("robustness", *collection, *args).exit_code == 0
    drawn = (tmp_path / "floors.svg").read_text()
    assert "stratified, floor 1; 2 samples" in drawn
    assert "stratified, floor 0; 2 samples" in drawn


@pytest.mark.parametrize(("method", "unit"), [("stratified", "rate"), ("random", "rate"), ("depth", "depth")])
def test_steps_go_by_their_unit(gradeval: Gradeval, collection: list[Path], method: str, unit: str) -> None:
    shown = gradeval("robustness", *collection, "-m", "AP", "--method", method, "--rates", "50,30").stdout
    assert shown.split()[0] == unit


def test_the_judged_share_is_that_of_the_chosen_topics(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--method", "depth", "--rates", "5", "--format", "tsv"]
    few = read_qrels(collection[0]).topics[:3]
    qrels = read_qrels(collection[0])
    runs = [read_run(path) for path in collection[1:]]
    total = kept = 0
    for topic in few:
        judged = set(qrels.of(topic))
        first: set[str] = set()
        for run in runs:
            scores = run.of(topic)
            first |= set(sorted(scores, key=lambda document: (scores[document], document), reverse=True)[:5])
        total, kept = total + len(judged), kept + len(first & judged)
    (line,) = records(gradeval(*args, "--topics", ",".join(few)))
    assert float(line["judged"]) == pytest.approx(kept / total)


@pytest.fixture
def scarce(tmp_path: Path) -> list[Path]:
    """Four topics with one document of grade 2 each, which the three runs find at different ranks."""
    documents = [f"d{place}" for place in range(10)]
    qrels, runs = tmp_path / "qrels.txt", []
    grades = {document: 2 if document == "d0" else 1 if document in ("d1", "d2") else 0 for document in documents}
    qrels.write_text("".join(f"{topic} 0 {name} {grade}\n" for topic in "1234" for name, grade in grades.items()))
    for shift in range(3):
        order = documents[-shift:] + documents[:-shift] if shift else documents
        run = tmp_path / f"run{shift}"
        lines = [
            f"{topic} Q0 {name} {rank} {-rank} run{shift}\n" for topic in "1234" for rank, name in enumerate(order)
        ]
        run.write_text("".join(lines))
        runs.append(run)
    return [qrels, *runs]


def test_what_is_undefined_is_named_with_its_measure_and_rate(gradeval: Gradeval, scarce: list[Path]) -> None:
    measures = "AP AP(rel=2)"
    args = ["robustness", *scarce, "-m", measures, "--method", "random", "--rates", "100,20", "--samples", 30]
    result = gradeval(*args, "--format", "tsv")
    empty = Counter((line["measure"], line["step"]) for line in records(result) if line["value"] == "")
    gone = empty["AP(rel=2)", "20.0"]  # the document of grade 2 is in a fifth of the pools
    assert [*empty] == [("AP(rel=2)", "20.0")]
    assert 0 < gone < 30
    assert f"equal in the sample: AP(rel=2) at rate 20 {gone} of 30" in result.stderr


def test_the_floors_are_told(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP", "--rates", "50", "--samples", 2, "--floor", "1,0", "--floor-nonrelevant", 4]
    said = gradeval("robustness", *collection, *args).stderr
    for floor in (1, 0):
        assert f"note: stratified, floor {floor}: Kendall's tau-b with the order under the full pool" in said
        least = f"a topic keeps {floor} of each other grade and 4 of grade 0 at least"
        assert f"2 thinned pools at each rate, seed 0; {least}" in said


def test_selections_of_topics_are_studied_side_by_side(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "50,30", "--samples", 2, "--topics"]
    both = gradeval(*args, "all,atleast:1:2")
    apart = {selection: gradeval(*args, selection) for selection in ("all", "atleast:1:2")}
    tables = [f"topics {name}: stratified, floor 1\n{one.stdout}" for name, one in apart.items()]
    assert both.stdout == "\n".join(tables)
    assert "note: topics: atleast:1:2 selects" in both.stderr
    lines = records(gradeval(*args, "all,atleast:1:2", "--format", "tsv"))
    assert [line["selection"] for line in lines] == ["all"] * 4 + ["atleast:1:2"] * 4
    assert lines[:4] == records(gradeval(*args, "all", "--format", "tsv"))


def test_a_list_of_topics_is_one_selection(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP", "--rates", "50", "--samples", 2, "--topics", "401,402,403", "--format", "tsv"]
    lines = records(gradeval("robustness", *collection, *args))
    assert {(line["selection"], line["topics"]) for line in lines} == {("401,402,403", "3")}

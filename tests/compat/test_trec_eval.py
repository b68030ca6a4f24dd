"""gradeval.compat.trec_eval prints what trec_eval prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradeval import InputError, Qrels, Run, read_qrels, read_run
from gradeval.compat.trec_eval import Options, Version, print_trec_eval
from gradeval.compat.trec_eval_measures import ALL_OF_9, MEASURES

QRELS = Qrels.from_dict(
    {"9": {"a": 1, "b": 0, "c": 2, "j": -1}, "10": {"a": 1, "d": 1}, "7": {"a": 3}, "missing": {"a": 1, "b": 2}}
)
RUN = Run.from_dict(
    {
        "9": {"x": 4.0, "c": 3.0, "b": 2.0, "j": 1.0, "a": 0.5},
        "10": {"d": 1.0, "y": 0.5},
        "7": {"z": 1.0},
        "unjudged": {"a": 1.0, "b": 0.5},
    },
    "tag",
)


def lines(names: list[str], qrels: Qrels = QRELS, run: Run = RUN, **options: object) -> list[str]:
    return [line.removesuffix("\n") for line in print_trec_eval(qrels, run, names, Options(**options))]


@pytest.mark.realdata
@pytest.mark.parametrize("part", range(3))
def test_the_official_files_of_trec_deep_learning_2021_come_out_byte_for_byte(
    data: Callable[[str], Path], part: int
) -> None:
    folder = data("trec-dl21-passage")
    qrels = read_qrels(folder / "qrels.txt")
    official = sorted((folder / "per_topic_eval").glob("*/*"))
    assert len(official) == 126
    asked = {".treceval": ["official"], ".ndcgeval": ["ndcg_cut", "Rndcg"]}
    for file in official[part::30]:
        printed = print_trec_eval(
            qrels,
            read_run(folder / "runs" / file.stem),
            asked[file.suffix],
            Options(by_topic=True, version="trec9-arm64"),  # the only reading under which the levels 0.3 and 0.7 agree
        )
        assert "".join(printed) == file.read_text(), file.name


def test_topics_stand_in_the_order_of_their_bytes_and_all_at_the_end() -> None:
    assert lines(["map", "num_ret"], by_topic=True) == [
        "num_ret               \t10\t2",
        "map                   \t10\t0.5000",
        "num_ret               \t7\t1",
        "map                   \t7\t0.0000",
        "num_ret               \t9\t5",
        "map                   \t9\t0.4500",  # (1/2 + 2/5) / 2
        "num_ret               \tall\t8",
        "map                   \tall\t0.3167",
    ]
    assert lines(["map"], by_topic=True, summary=False)[-1].split("\t")[1] == "9"


def test_missing_topics_count_only_with_c() -> None:
    names = ["num_q", "map", "gm_map", "num_rel", "runid"]
    assert [line.split("\t")[2] for line in lines(names)] == ["tag", "3", "5", "0.3167", "0.0131"]
    means = 0.95 / 4, (0.5 * 0.45 * 1e-5 * 1e-5) ** (1 / 4)
    assert [line.split("\t")[2] for line in lines(names, complete=True)] == [
        "tag",
        "4",
        "7",  # documents of missing topics, too
        *(f"{mean:.4f}" for mean in means),
    ]


def test_with_c_all_grades_above_0_count_as_relevant_over_all_topics() -> None:
    # m_num_rel.c of version 9 sums up the judgments again, without -l; topics have the number by -l
    options: dict[str, object] = {"complete": True, "level": 2, "by_topic": True}
    nine = [line.split("\t")[1:] for line in lines(["num_rel"], **options, version="trec9")]
    assert nine == [["10", "0"], ["7", "1"], ["9", "1"], ["all", "7"]]
    ten = [line.split("\t")[1:] for line in lines(["num_rel"], **options)]
    assert ten == [*nine[:3], ["missing", "1"], ["all", "7"]]  # version 10 prints what -c counts


def test_gains_of_grades_that_the_collection_lacks_change_nothing() -> None:
    values = [[line.split("\t")[2] for line in lines([name])] for name in ("ndcg.1=3,2=9,3=3", "ndcg.1=3,2=9,3=3,7=99")]
    assert values[0] == values[1]
    assert lines(["G.9=4"])[0].split("\t")[2] == lines(["G"])[0].split("\t")[2]


def test_strings_of_grades_mark_what_nobody_judged() -> None:
    assert lines(["relstring"], by_topic=True) == [
        "relstring             \t10\t'1-'",
        "relstring             \t7\t'-'",
        "relstring             \t9\t'-20.1'",
    ]
    assert lines(["relstring.2"], by_topic=True)[2] == "relstring_2           \t9\t'-2'"
    assert lines(["relstring"], by_topic=True, judged_only=True)[2] == "relstring             \t9\t'201'"
    high = Qrels.from_dict({"q": {"a": 12, "b": 9}})
    assert lines(["relstring"], high, Run.from_dict({"q": {"a": 2.0, "b": 1.0}}), by_topic=True) == [
        "relstring             \tq\t'>9'"
    ]


def test_options_change_what_is_scored() -> None:
    def value(name: str, **options: object) -> str:
        return lines([name], **options)[0].split("\t")[2]

    assert value("num_rel", level=2) == "2"
    assert value("num_ret", depth=2) == "5"
    assert value("num_ret", judged_only=True) == "4"
    assert value("num_q", judged_only=True) == "3"
    assert value("num_q", remove_unjudged=True) == "2"
    assert value("utility.0,0,0,1", documents=100) == f"{(100 - 5 - 0 + 100 - 2 - 1 + 100 - 1 - 1) / 3:.4f}"


def test_names_carry_their_values_as_trec_eval_writes_them() -> None:
    names = "P.7,3,5 iprec_at_recall..10,.25 utility.2,-1,0,0 ndcg.1=3,2=9 set_F.0.5 Rprec_mult.5.0,.35".split()
    assert [line.split("\t")[0].rstrip() for line in lines(names)] == (
        "iprec_at_recall_0.10 iprec_at_recall_0.25 P_3 P_5 P_7 Rprec_mult_0.35 Rprec_mult_5.00 utility_2,-1,0,0 "
        "ndcg_1=3,2=9 set_F_0.5"
    ).split()


def test_the_first_cutoffs_of_a_measure_are_taken_and_others_join() -> None:
    assert [line.split("\t")[0].rstrip() for line in lines(["P.3", "P.5", "P"])] == ["P_3"]
    names = [line.split("\t")[0].rstrip() for line in lines(["all_trec", "ndcg_cut.10"], by_topic=True)]
    assert "ndcg_cut_10" in names
    assert "ndcg_cut_5" not in names
    assert {name for name in ALL_OF_9 if not MEASURES[name].places} <= set(names)


def test_the_share_of_judged_documents_is_that_of_pyserini() -> None:
    # of the first 2 of each topic: x c | d y | z | a b, where the last topic has no judgments
    assert lines(["judged.1,2"]) == ["judged_1              \tall\t0.2500", "judged_2              \tall\t0.2857"]
    assert lines(["judged.2"], remove_unjudged=True) == ["judged_2              \tall\t1.0000"]


@pytest.mark.parametrize(("version", "first"), [("trec", "b"), ("trec9", "z"), ("trec9-arm64", "z")])
def test_only_version_9_compares_scores_in_single_precision(version: Version, first: str) -> None:
    qrels = Qrels.from_dict({"q": {first: 1}})
    run = Run.from_dict({"q": {"z": 16_777_216.0, "b": 16_777_217.0}})
    assert lines(["recip_rank"], qrels, run, version=version)[0].endswith("1.0000")


@pytest.mark.parametrize(("version", "expected"), [("trec", 1 / 2), ("trec9", 3 / 6), ("trec9-arm64", 3 / 6)])
def test_recall_levels_are_counted_as_each_version_does(version: Version, expected: float) -> None:
    qrels = Qrels.from_dict({"q": {str(place): 1 for place in range(12)}})
    run = Run.from_dict({"q": {"0": 9.0, "x": 8.0, "y": 7.0, "z": 6.5, "1": 6.0, "2": 5.0}})
    # 0.2 of 12 documents are 2.4: rounded 2, rounded up 3; the best precision from there on is that of rank 6
    assert lines(["iprec_at_recall.0.2"], qrels, run, version=version)[0].endswith(f"{expected:.4f}")


@pytest.mark.parametrize(
    "name", ["foo", "P.0", "P.x", "P.", "relstring.x", "judged.0", "judged.", "P.5,5", "ndcg.10", ""]
)
def test_a_wrong_measure_is_an_input_error(name: str) -> None:
    with pytest.raises(InputError):
        lines([name])


@pytest.mark.parametrize("version", ["trec", "trec9"])
@pytest.mark.parametrize("complete", [False, True])
def test_a_run_without_a_common_topic_is_an_input_error_but_for_c_of_version_10(version: str, complete: bool) -> None:
    other = Run.from_dict({"other": {"a": 1.0}}, "tag")
    if not (complete and version == "trec"):
        with pytest.raises(InputError, match="no topic in common"):
            lines([], run=other, complete=complete, version=version)
        return
    expected = {"num_q": "4", "num_ret": "0", "num_rel": "7", "num_rel_ret": "0"}
    for names in ([], ["all_trec"], ["set"], ["relstring"], ["judged.5"]):
        printed = [line.split("\t") for line in lines(names, run=other, complete=True)]
        assert len(printed) == len(lines(names))
        for name, _, value in printed:
            assert value == ("tag" if name.strip() == "runid" else expected.get(name.strip(), value))
            assert name.strip() in (*expected, "runid", "relstring") or float(value) == 0, name
    by_topic = lines(["num_ret", "map"], run=other, complete=True, by_topic=True)
    assert [line.split("\t")[1:] for line in by_topic[:8]] == [
        [topic, value] for topic in ("10", "7", "9", "missing") for value in ("0", "0.0000")
    ]

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import Scores, evaluate, read_qrels, read_run, read_scores
from gradeval.scores.evaluation import DEFAULT

from ..conftest import GOOD, QRELS, Gradeval, refusal


def means(gradeval: Gradeval, *args: object) -> dict[tuple[str, str], float]:
    """(run, measure) -> mean, read from tsv."""
    result = gradeval("evaluate", *args, "--format", "tsv")
    assert result.exit_code == 0, result.stderr
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    return {(run, measure): float(value) for run, topic, measure, value in rows if topic == "all"}


def test_the_mean_is_over_the_topics_of_the_qrels(gradeval: Gradeval, files: list[Path]) -> None:
    values = means(gradeval, *files, "-m", "AP P@1")
    assert values["good", "AP"] == pytest.approx((1 + 1 + 0) / 3)
    assert values["bad", "AP"] == pytest.approx(((1 / 3) / 2 + 1 / 2 + 0) / 3)
    assert values["good", "P@1"] == pytest.approx(2 / 3)
    assert values["bad", "P@1"] == 0


def test_measures_may_be_given_in_one_text_or_in_several(gradeval: Gradeval, files: list[Path]) -> None:
    assert means(gradeval, *files, "-m", "AP P@1") == means(gradeval, *files, "-m", "AP", "-m", "P@1")


def test_topics_that_a_run_misses_can_be_left_out(gradeval: Gradeval, files: list[Path]) -> None:
    values = means(gradeval, *files, "-m", "AP", "--missing", "skip")
    assert values["bad", "AP"] == pytest.approx(((1 / 3) / 2 + 1 / 2) / 2)
    assert values["good", "AP"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("policy", "mean"), [("zero", 2 / 3), ("skip", 1), ("one", 1)])
def test_topics_with_nothing_relevant_count_as_asked(
    gradeval: Gradeval, files: list[Path], policy: str, mean: float
) -> None:
    assert means(gradeval, *files, "-m", "AP", "--empty", policy)["good", "AP"] == pytest.approx(mean)


def test_depth_cuts_rankings(gradeval: Gradeval, files: list[Path]) -> None:
    values = means(gradeval, *files, "-m", "AP", "--depth", 1)
    assert values["good", "AP"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert values["bad", "AP"] == 0


def test_topics_are_chosen_by_a_list_or_a_file(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("t2 a title\n\nt1\r\n")
    by_list = gradeval("evaluate", *files, "-m", "AP", "-q", "--format", "tsv", "--topics", "t2, t1")
    by_file = gradeval("evaluate", *files, "-m", "AP", "-q", "--format", "tsv", "--topics", tmp_path / "topics")
    assert by_list.stdout == by_file.stdout
    topics = [line.split("\t")[1] for line in by_list.stdout.splitlines()[1:]]
    assert topics == ["t1", "t2", "t1", "t2", "all", "all"]  # in the order of the qrels


def test_topics_that_were_not_chosen_are_not_called_unjudged(gradeval: Gradeval, files: list[Path]) -> None:
    said = gradeval("evaluate", *files, "--topics", "t1").stderr
    assert "t9" in said
    assert "t2" not in said


def test_declared_levels_set_the_users_of_gap(gradeval: Gradeval, files: list[Path]) -> None:
    # A document of each positive level stands at the top of t1: eGAP is the share of users satisfied.
    only = ["-m", "eGAP", "--topics", "t1"]
    assert means(gradeval, *files, *only)["good", "eGAP"] == pytest.approx(1)
    assert means(gradeval, *files, *only, "--levels", "0,1,2,3,4")["good", "eGAP"] == pytest.approx(2 / 4)


def test_recoded_grades_are_read_as_others(gradeval: Gradeval, files: list[Path]) -> None:
    values = means(gradeval, *files, "-m", "P(rel=2)@1 AP(rel=2)", "--recode", "1=2,0=1", "--topics", "t2")
    assert values["good", "P(rel=2)@1"] == 1
    values = means(
        gradeval, *files, "-m", "NumRel(rel=2) NumRel", "--recode", "2=1", "--recode", "0=1", "--levels", "0,1,2"
    )
    assert (values["good", "NumRel(rel=2)"], values["good", "NumRel"]) == (0, 6)


def test_negative_grades_are_judged_or_not_as_asked(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("t 0 d1 1\nt 0 d2 -1\n")
    (tmp_path / "r").write_text("t Q0 d2 1 2 r\nt Q0 d1 2 1 r\n")
    arguments = [tmp_path / "q", tmp_path / "r", "-m", "Bpref"]
    assert means(gradeval, *arguments)["r", "Bpref"] == 0
    assert means(gradeval, *arguments, "--negative", "unjudged")["r", "Bpref"] == 1


def test_who_chooses_what_negative_grades_mean_is_not_asked(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("t 0 d1 1\nt 0 d2 -1\n")
    (tmp_path / "r").write_text("t Q0 d2 1 2 r\nt Q0 d1 2 1 r\n")
    arguments = ["evaluate", tmp_path / "q", tmp_path / "r", "-m", "Bpref"]
    asked = "add --negative unjudged"
    assert asked in gradeval(*arguments).stderr
    for choice in ("nonrelevant", "unjudged"):
        assert asked not in gradeval(*arguments, "--negative", choice).stderr


def test_ties_are_broken_as_asked(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("t 0 a 1\nt 0 b 0\nt 0 c 0\n")
    (tmp_path / "r").write_text("t Q0 a 1 1 r\nt Q0 b 2 1.00000000001 r\nt Q0 c 3 1 r\n")
    values = {ties: means(gradeval, tmp_path / "q", tmp_path / "r", "-m", "RR", "--ties", ties)["r", "RR"]
             for ties in ("docid", "docid-float32", "order")}  # fmt: skip
    assert values == pytest.approx({"docid": 1 / 3, "docid-float32": 1 / 3, "order": 1 / 2})


def test_runs_that_share_a_tag_take_their_file_names_with_a_notice(gradeval: Gradeval, small: Path) -> None:
    shutil.copy(small / "good.txt", small / "again.txt")
    arguments = [small / "qrels.txt", small / "good.txt", small / "bad.txt", small / "again.txt"]
    result = gradeval("evaluate", *arguments, "-m", "AP", "--format", "tsv")
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["run", "good", "bad", "again"]
    assert "note: 2 runs have the tag 'good' and go by their files: good, again\n" in result.stderr


def test_runs_can_go_by_their_file_names(gradeval: Gradeval, files: list[Path]) -> None:
    assert {run for run, _ in means(gradeval, *files, "-m", "AP", "--names", "file")} == {"good", "bad"}


def test_several_tags_in_a_file_are_an_error_that_names_both_lines(gradeval: Gradeval, small: Path) -> None:
    (small / "two.txt").write_text(GOOD + "t4 Q0 d1 1 1 other\n")
    result = gradeval("evaluate", small / "qrels.txt", small / "two.txt")
    assert result.exit_code == 2
    assert "two.txt:7" in result.stderr
    assert "1" in result.stderr.split("two.txt:7")[1]


def test_sort_puts_the_best_run_first(gradeval: Gradeval, small: Path) -> None:
    arguments = [small / "qrels.txt", small / "bad.txt", small / "good.txt", "-m", "AP P@1", "-q"]
    result = gradeval("evaluate", *arguments, "--sort", "AP", "--format", "tsv")
    runs = [line.split("\t")[0] for line in result.stdout.splitlines()[1:]]
    assert runs == ["good"] * 6 + ["bad"] * 6 + ["good"] * 2 + ["bad"] * 2


@pytest.mark.parametrize("measure", ["AP", "RR", "P@3"])
@pytest.mark.parametrize("number", [1, 3, 5])
def test_the_selected_runs_are_the_top_of_the_table_that_sort_asks_for(
    gradeval: Gradeval, collection: list[Path], measure: str, number: int
) -> None:
    how = ["evaluate", *collection, "-m", "AP RR P@3", "--sort", measure, "--format", "csv"]
    rows = gradeval(*how).stdout.splitlines()
    chosen = gradeval(*how, "--runs", f"top:{number}")
    assert chosen.stdout.splitlines() == rows[: 1 + 3 * number]
    assert f"note: runs: top:{number}:{measure} selects {number} of" in chosen.stderr
    unsorted = gradeval("evaluate", *collection, "-m", "AP RR P@3", "--runs", f"top:{number}")
    assert ", by the worst rank among the measures: " in unsorted.stderr.splitlines()[0]


def test_sort_by_what_is_not_measured_is_an_error(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("evaluate", *files, "-m", "AP P@1", "--sort", "RR")
    assert result.exit_code == 2
    assert result.stderr == "gradeval: error: --sort RR: is not among the measures; accepted: AP, P@1\n"


@pytest.mark.parametrize(
    ("options", "how", "said"),
    [
        (["--ci"], {}, "Wilson's score interval; Student's t for DCG@5\n"),
        (["--ci-method", "t"], {"method": "t"}, "over topics, Student's t\n"),
        (["--ci-method", "bootstrap", "--seed", 7], {"method": "bootstrap", "seed": 7}, "of the topics, seed 7\n"),
    ],
)
def test_intervals_are_those_of_scores_and_the_method_is_said(
    gradeval: Gradeval, files: list[Path], options: list[str | int], how: dict[str, Any], said: str
) -> None:
    scores = evaluate(read_qrels(files[0]), [read_run(path) for path in files[1:]], "AP DCG@5")
    result = gradeval("evaluate", *files, "-m", "AP DCG@5", *options, "--format", "tsv")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0] == ["run", "topic", "measure", "value", "low", "high"]
    expected = scores.ci(**how).reshape(-1, 2).tolist()
    assert [[float(low), float(high)] for *_, low, high in rows[1:]] == expected
    assert said in result.stderr


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_residuals_stand_beside_each_value(gradeval: Gradeval, files: list[Path], form: str) -> None:
    scores = evaluate(read_qrels(files[0]), [read_run(path) for path in files[1:]], "AP Q DCG@5", residuals=True)
    assert scores.residuals is not None
    result = gradeval("evaluate", *files, "-m", "AP Q DCG@5", "-q", "--residuals", "--format", form)
    if form == "jsonl":
        rows = [json.loads(line) for line in result.stdout.splitlines()]
    else:
        rows = list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t" if form == "tsv" else ","))
    assert list(rows[0]) == ["run", "topic", "measure", "value", "low", "high"]
    assert {row["measure"] for row in rows if row["low"] in (None, "")} == {"Q"}
    found = [[float(row[end]) for end in ("low", "value", "high")] for row in rows if row["measure"] != "Q"]
    ends, values = scores.residuals[:, :, [0, 2]], scores.values[:, :, [0, 2]]
    of_topics = np.stack([ends[..., 0], values, ends[..., 1]], axis=-1).reshape(-1, 3)
    means, mean = scores.residual_means()[:, [0, 2]], scores.mean()[:, [0, 2]]
    of_means = np.stack([means[..., 0], mean, means[..., 1]], axis=-1).reshape(-1, 3)
    assert found == [*of_topics.tolist(), *of_means.tolist()]
    assert any(low < high for low, _, high in found)
    assert "note: no residuals of Q: a better document further up can lower the value" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ci"], "--residuals and --ci stand in the same place, low and high; ask for one of the two"),
        (["--format", "trec_eval"], "--format trec_eval has no place for --residuals; accepted: "),
        (["--ties", "expected"], "--ties expected: tied documents have no order; take ties docid"),
        (["--empty", "one"], "--empty one: an empty topic counts 1 whatever it holds; take zero"),
        (["--empty", "skip"], "--empty skip: an empty topic is left out, though unjudged documents could fill it"),
    ],
)
def test_residuals_that_cannot_be_had_are_refused(
    gradeval: Gradeval, files: list[Path], options: list[str], said: str
) -> None:
    result = gradeval("evaluate", *files, "-m", "AP", "--residuals", *options)
    assert (result.exit_code, result.stderr.count("\n"), result.stdout) == (2, 1, "")
    assert said in result.stderr


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_length_counts_the_words_of_queries(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, command: str
) -> None:
    topics = read_qrels(collection[0]).topics
    texts = tmp_path / "queries.tsv"
    texts.write_text("".join(f"{topic}\t{'word ' * (place // 6 + 1)}\n" for place, topic in enumerate(topics)))
    asked = [command, *collection[:3], "-m", "AP", "--by", "length", "--format", "tsv"]
    result = gradeval(*asked, "--queries", texts)
    assert result.exit_code == 0
    lengths = dict.fromkeys(line.split("\t")[0] for line in result.stdout.splitlines()[1:])
    assert [*lengths][:3] == ["all", "1", "2"]
    assert "give their texts: --queries FILE" in gradeval(*asked).stderr
    assert "-o" in gradeval(*asked, "--queries", texts, "-o", texts).stderr


@pytest.mark.parametrize("form", ["parquet", "trec_eval"])
def test_slices_need_a_format_that_has_room_for_them(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, form: str
) -> None:
    result = gradeval("evaluate", *files, "--by", "relevant", "--format", form, "-o", tmp_path / "scores")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert f"--format {form} has no place for the slices of --by; accepted: table, " in result.stderr


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_slices_stand_beside_all_topics_and_the_values_are_read_back(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, form: str
) -> None:
    plain, sliced = tmp_path / f"plain.{form}", tmp_path / f"sliced.{form}"
    gradeval("evaluate", *files, "-m", "AP P@5", "-q", "-o", plain)
    result = gradeval("evaluate", *files, "-m", "AP P@5", "-q", "--by", "relevant", "-o", sliced)
    assert result.exit_code == 0
    assert "relevant" in sliced.read_text().splitlines()[0]
    read = [read_scores(path) for path in (plain, sliced)]
    assert read[0].to_dict() == read[1].to_dict()


def test_labels_are_never_replaced_and_standard_input_is_read_once(gradeval: Gradeval, files: list[Path]) -> None:
    labels = files[0].with_name("labels.csv")
    labels.write_text("topic,segment\n401,head\n")
    result = gradeval("evaluate", *files, "--by", labels, "--format", "tsv", "-o", labels)
    assert f"-o {labels}: would replace the input" in result.stderr
    assert "standard input can be read once" in gradeval("evaluate", files[0], "-", "--by", "-").stderr


def test_the_same_command_gives_the_same_bytes_for_any_number_of_threads(gradeval: Gradeval, files: list[Path]) -> None:
    outputs = {gradeval("evaluate", *files, "-q", "--ci", "--format", "tsv", "--threads", n).stdout for n in (0, 1, 2)}
    assert len(outputs) == 1


def test_without_measures_the_default_ones_and_the_shares_of_ties_and_missing_topics_are_shown(
    gradeval: Gradeval, files: list[Path]
) -> None:
    head, _, good, bad, _ = gradeval("evaluate", *files).stdout.splitlines()
    assert head.split() == ["run", *DEFAULT.split(), "tied", "lines", "missing", "topics"]
    assert good.split()[-2:] == ["0.0%", "0.0%"]
    assert bad.split()[-2:] == ["0.0%", f"{1 / 3:.1%}"]


def test_long_formats_hold_nothing_but_measures(gradeval: Gradeval, files: list[Path]) -> None:
    assert {measure for _, measure in means(gradeval, *files)} == set(DEFAULT.split())


def test_results_go_to_stdout_and_what_was_ignored_to_stderr(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("evaluate", *files, "-m", "AP")
    assert "note" not in result.stdout
    assert result.stderr.splitlines() == [
        "note: the top 10 of bad is 20.0% unjudged, and of good 0.0%: judge these documents before you decide; "
        "'gradeval unjudged' lists them",
        "gradeval: warning: 1 of 2 runs returned nothing for some of the 3 topics (bad: 1; topic t3); they count 0",
        "note: unjudged documents: 10.0% of a run on average, from 0.0% (good) to 20.0% (bad)",
        "gradeval: warning: 1 topic without judgments (t9) ignored in 1 of 2 runs",
        "gradeval: warning: 1 of 3 topics hold nothing to be found for AP; they count 0; --empty skip or empty='skip' "
        "leaves them out",
    ]


def test_notices_stay_few_lines_for_many_runs(gradeval: Gradeval, small: Path) -> None:
    for number in range(40):
        (small / f"run{number}").write_text((small / "bad.txt").read_text().replace("bad", f"tag{number}"))
    said = gradeval("evaluate", small / "qrels.txt", *(small / f"run{number}" for number in range(40))).stderr
    assert len(said.splitlines()) <= 6
    assert "and 34 more" in said


@pytest.mark.parametrize(
    ("pack", "suffix"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz"), (gzip.compress, "")]
)
def test_compressed_files_are_read_whatever_their_name(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, pack, suffix: str
) -> None:
    for name in ("qrels", "good"):
        (tmp_path / f"{name}{suffix}").write_bytes(pack((tmp_path / f"{name}.txt").read_bytes()))
    packed = means(gradeval, tmp_path / f"qrels{suffix}", tmp_path / f"good{suffix}", "-m", "AP nDCG")
    assert packed == means(gradeval, *files[:2], "-m", "AP nDCG")


def test_a_dash_is_standard_input(gradeval: Gradeval, files: list[Path]) -> None:
    from_file = gradeval("evaluate", *files[:2], "--format", "tsv")
    assert gradeval("evaluate", files[0], "-", "--format", "tsv", input=GOOD).stdout == from_file.stdout
    assert gradeval("evaluate", "-", files[1], "--format", "tsv", input=QRELS).stdout == from_file.stdout


def test_parts_scored_one_after_the_other_are_the_whole(files: list[Path]) -> None:
    qrels, runs = read_qrels(files[0]), [read_run(path) for path in files[1:]]
    whole = evaluate(qrels, runs, "AP nDCG@2")
    parts = Scores.concat([evaluate(qrels, [run], "AP nDCG@2") for run in runs])
    assert (parts.values == whole.values).all()
    assert (parts.mean() == whole.mean()).all()
    assert (parts.runs, parts.topics) == (whole.runs, whole.topics)
    assert parts.coverage is not None
    assert whole.coverage is not None
    assert parts.coverage.unjudged_topics == whole.coverage.unjudged_topics
    assert (parts.coverage.unjudged_share == whole.coverage.unjudged_share).all()


def test_a_grade_that_is_recoded_in_vain_is_said(gradeval: Gradeval, files: list[Path]) -> None:
    said = gradeval("evaluate", *files, "--recode", "7=1,2=3,3=1").stderr
    assert f"note: --recode 7=1: {files[0]} has no grade 7\n" in said
    assert said.count("note: --recode") == 1  # 2 becomes 3, and there is something to turn into 1


def test_shares_that_are_alike_are_said_once(gradeval: Gradeval, files: list[Path], small: Path) -> None:
    (small / "other.txt").write_text((small / "bad.txt").read_text().replace("bad", "other"))
    said = gradeval("evaluate", files[0], files[2], small / "other.txt", "-m", "AP").stderr
    assert f"note: unjudged documents: {1 / 5:.1%} of every run\n" in said


@pytest.mark.parametrize("command", ["evaluate", "correlate"])
def test_a_run_on_other_topics_is_warned_of(gradeval: Gradeval, files: list[Path], small: Path, command: str) -> None:
    (small / "other.txt").write_text("\n".join(f"0{n} Q0 d1 1 1.0 other" for n in (2, 1)))
    result = gradeval(command, *files, small / "other.txt", "-m", "AP P@1")
    assert result.exit_code == 0
    warned = [line for line in result.stderr.splitlines() if "warning" in line and "in common" in line]
    no_topic = (
        "gradeval: warning: other: no topic in common with the judgments: t2 there, 02 here; topic '02' of the run is"
    )
    assert [line[: len(no_topic)] for line in warned] == [no_topic]


@pytest.mark.parametrize("command", ["evaluate", "correlate"])
def test_nothing_but_runs_on_other_topics_is_an_error(
    gradeval: Gradeval, files: list[Path], small: Path, command: str
) -> None:
    for name in ("one", "two"):
        (small / name).write_text(f"3 Q0 d1 1 1.0 {name}\n")
    refused = refusal(gradeval(command, files[0], small / "one", small / "two", "-m", "AP P@1"))
    assert refused.startswith("no run has a topic of ")


def test_a_run_that_lacks_only_the_chosen_topics_is_not_on_other_topics(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("evaluate", *files, "-m", "AP", "--topics", "t3")  # bad has t1, t2 and t9
    assert result.exit_code == 0
    assert "in common" not in result.stderr


def test_plot_draws_the_means_beside_the_table(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    picture = tmp_path / "means.svg"
    with_picture = gradeval("evaluate", *files, "-m", "AP P@1", "--plot", picture)
    assert with_picture.exit_code == 0, with_picture.stderr
    assert with_picture.stdout == gradeval("evaluate", *files, "-m", "AP P@1").stdout
    assert all(text in picture.read_text() for text in ("<svg", "good", "bad", "mean AP", "mean P@1"))


def test_plot_neither_replaces_an_input_nor_guesses_a_format(
    gradeval: Gradeval, files: list[Path], tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    assert "does not end in one of .png" in refusal(gradeval("evaluate", *files, "--plot", tmp_path / "means.doc"))
    run = tmp_path / "run.svg"
    shutil.copy(files[1], run)
    assert "would replace the input" in refusal(gradeval("evaluate", files[0], run, "--plot", run))
    assert run.read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("measure", ["foo", "nDCG@20"])
def test_a_measure_to_sort_by_that_is_not_computed_is_refused(
    gradeval: Gradeval, files: list[Path], measure: str
) -> None:
    error = refusal(gradeval("evaluate", *files, "-m", "AP P@1", "--sort", measure))
    assert f"--sort {measure}: is not among the measures; accepted: AP, P@1" in error


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("-c", "--missing skip"),
        ("-l2", "AP(rel=2)"),
        ("-M100", "--depth N"),
        ("-J", "judged_only=True"),
        ("-N", "Utility(documents=1000)"),
        ("-n", "-q adds topics"),
    ],
)
def test_options_of_trec_eval_are_answered_with_those_that_do_it_here(
    gradeval: Gradeval, files: list[Path], option: str, said: str
) -> None:
    result = gradeval("evaluate", option, *files)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "gradeval trec_eval" in result.stderr
    assert len(result.stderr.splitlines()) == 1

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import ttest_rel

from gradeval import evaluate

from .conftest import Gradeval, records, refusal


def test_runs_are_tested_against_the_baseline(gradeval: Gradeval, collection: list[Path]) -> None:
    scores = evaluate(collection[0], collection[1:], "AP")
    base = scores.runs[2]
    result = records(gradeval("compare", *collection, "-m", "AP", "--baseline", base, "--format", "tsv"))
    assert [line["run"] for line in result] == [run for run in scores.runs if run != base]
    for line in result:
        values, other = scores.of("AP")[scores.runs.index(line["run"])], scores.of("AP")[2]
        assert float(line["value"]) == pytest.approx(values.mean() - other.mean())
        assert float(line["p"]) == pytest.approx(ttest_rel(values, other).pvalue)
        assert (line["wins"], line["losses"]) == (str((values > other).sum()), str((values < other).sum()))
        assert (line["test"], line["correction"], line["seed"]) == ("t", "holm", "")


def test_all_pairs_where_there_is_no_baseline(gradeval: Gradeval, collection: list[Path]) -> None:
    result = records(gradeval("compare", *collection, "-m", "AP P@5", "--format", "tsv"))
    assert len(result) == 2 * 15


def test_marks_stand_where_runs_differ(gradeval: Gradeval, collection: list[Path]) -> None:
    base = evaluate(collection[0], collection[1:], "AP").runs[0]
    args = ["compare", *collection, "-m", "AP", "--baseline", base]
    verdicts = {line["run"]: line for line in records(gradeval(*args, "--format", "tsv"))}
    means, *_ = gradeval(*args).stdout.split("\n\n")
    *rows, legend = means.splitlines()[3:]
    assert legend.startswith("* best of its column; ▲ better, ▼ worse than ")
    for line in rows:
        run, value = line.removesuffix(" *").split()
        told = run != base and verdicts[run]["significant"] == "True"
        sign = {True: "▲", False: "▼"}[float(verdicts[run]["value"]) > 0] if told else ""
        assert value.lstrip("0123456789.").rstrip("*") == sign
    assert any(line["significant"] == "True" for line in verdicts.values())


@pytest.fixture
def ordered(tmp_path: Path) -> Path:
    """Scores of three runs on eight topics: high is better than middle, low is worse; even differs by chance."""
    lines = ["topic,high,middle,low,even"]
    for topic in range(8):
        middle = 0.4 + topic / 100
        wave = topic % 2 / 50 - 0.01
        lines.append(f"{topic},{middle + 0.2 + wave},{middle},{middle - 0.2 + wave},{middle + wave}")
    file = tmp_path / "ordered.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize(
    ("baseline", "marks"),
    [
        ("middle", {"high": "▲", "middle": "", "low": "▼", "even": ""}),
        ("high", {"high": "", "middle": "▼", "low": "▼", "even": "▼"}),
        ("low", {"high": "▲", "middle": "▲", "low": "", "even": "▲"}),
    ],
)
def test_better_and_worse_runs_have_their_marks(
    gradeval: Gradeval, ordered: Path, baseline: str, marks: dict[str, str]
) -> None:
    shown = gradeval("compare", "--scores", f"AP={ordered}", "--baseline", baseline).stdout
    means, differences = shown.split("\n\n")
    *lines, foot = means.splitlines()
    assert f"▲ better, ▼ worse than {baseline}: t test, Holm's correction, level 0.05; 95% intervals" in foot
    rows = [line.removesuffix(" *").split() for line in lines[3:]]
    assert rows[0][0] == "high"  # sorted, best first
    assert {run: value.lstrip("0123456789.").rstrip("*") for run, value in rows} == marks
    rows = [line.split()[:2] for line in differences.splitlines()[3:]]
    expected = {run: mark for run, mark in marks.items() if run != baseline}
    assert {run: value.lstrip("+-0123456789.") for run, value in rows} == expected


def test_a_pair_is_marked_by_its_first_run(gradeval: Gradeval, ordered: Path) -> None:
    means, differences = gradeval("compare", "--scores", f"AP={ordered}").stdout.split("\n\n")
    standings = {line.split()[0]: line.split()[-1] for line in means.splitlines()[3:]}
    assert (standings["high"], standings["low"]) == ("3/0", "0/3")
    rows = [line.split()[:3] for line in differences.splitlines()[3:]]
    marks = {(first, second): value.lstrip("+-0123456789.") for first, second, value in rows}
    assert (marks["high", "middle"], marks["middle", "low"], marks["middle", "even"]) == ("▲", "▲", "")
    assert marks["low", "even"] == "▼"


def test_tables_for_papers(gradeval: Gradeval, collection: list[Path]) -> None:
    latex = gradeval("compare", *collection, "-m", "AP", "--format", "latex").stdout
    assert r"\begin{tabular}{llrrrrrr}" in latex
    assert "$\\blacktriangle" in latex
    needs, tables, means = latex.splitlines()[:3]
    assert (needs, means) == (r"% needs \usepackage{booktabs,amssymb,graphicx}", "% means")
    assert tables == "% 2 tables, each under a comment with its name; delete those that you do not need"
    assert r"\label{tab:compare-AP}" in latex
    assert r"\label{tab:differences-AP}" in latex
    markdown = gradeval("compare", *collection, "-m", "AP", "--format", "markdown").stdout
    assert markdown.splitlines()[2].startswith("| run")


def test_one_table_with_caption_and_label_for_a_paper(gradeval: Gradeval, ordered: Path) -> None:
    args = ["compare", "--scores", f"AP={ordered}", "--scores", f"nDCG={ordered}", "--baseline", "best", "--only-means"]
    latex = gradeval(*args, "--format", "latex", "--caption", "50% of & runs", "--label", "tab:a}b").stdout
    assert latex.splitlines()[:6] == [
        r"% needs \usepackage{booktabs,amssymb}",
        r"\begin{table}",
        r"\centering",
        r"\caption{50\% of \& runs. $\blacktriangledown$: not the best run (2000 draws of the signs of the topics, "
        r"corrected for all runs, level 0.05); bold: best of its column.}",
        r"\label{tab:a-b}",
        r"\begin{tabular}{lrr}",
    ]
    assert latex.splitlines()[-1] == r"\end{table}"
    assert latex.count(r"\begin{tabular}") == 1
    assert latex.count(r"\textbf{") == 2  # high is best by both measures
    assert latex.count("blacktriangledown") == 3 * 2 + 1  # the caption says what it means
    plain = gradeval(*args, "--format", "latex", "--caption", "", "--label", "").stdout
    assert "begin{table}" not in plain


def test_all_pairs_of_many_runs_are_counted_and_not_listed(gradeval: Gradeval, tmp_path: Path) -> None:
    runs = [f"r{number}" for number in range(21)]
    lines = [",".join(["topic", *runs])]
    lines += [
        ",".join([str(t), *(str(0.4 + t / 99 + n / 50 + (t * n) % 7 / 900) for n in range(21))]) for t in range(20)
    ]
    (tmp_path / "s.csv").write_text("\n".join(lines) + "\n")
    result = gradeval("compare", "--scores", f"AP={tmp_path / 's.csv'}")
    assert "tables do not show the differences of 210 pairs" in result.stderr
    rows = [line.split() for line in result.stdout.splitlines()[2:-1]]
    assert [row[0] for row in rows] == runs[::-1]  # best first
    assert rows[0][-1] == "20/0"
    assert (
        len(gradeval("compare", "--scores", f"AP={tmp_path / 's.csv'}", "--format", "tsv").stdout.splitlines()) == 211
    )


def test_ready_scores_are_compared(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "scores.parquet"
    assert gradeval("evaluate", *collection, "-m", "AP nDCG", "-o", file).exit_code == 0
    computed = gradeval("compare", *collection, "-m", "nDCG", "--test", "sign")
    assert gradeval("compare", "--scores", file, "-m", "ndcg", "--test", "sign").stdout == computed.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--baseline", "nobody"], "--baseline nobody: no run 'nobody' to compare with"),
        (["--baseline", "aspen,elm"], "aspen,elm: joins 2 runs; give each by itself: --baseline aspen --baseline elm"),
        (["--baseline", "oak", "--runs", "alder,aspen"], "no run 'oak' to compare with; the runs are alder, aspen"),
        (
            ["--test", "tukey-hsd", "--alpha", "0.001", "--samples", "999"],
            "--samples 999 cannot resolve --alpha 0.001; give 1000 or more",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("compare", *collection, *args))


@pytest.mark.parametrize(
    "option", [["--depth", "1"], ["--levels", "0,1"], ["--recode", "2=1"], ["--ties", "order"], ["--names", "file"]]
)
def test_options_of_reading_are_ignored_beside_ready_scores(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, option: list[str]
) -> None:
    file = tmp_path / "scores.tsv"
    gradeval("evaluate", *collection, "-m", "AP", "-q", "-o", file)
    result, plain = (gradeval("compare", "--scores", file, *words) for words in (option, []))
    assert f"note: {option[0]} says how judgments and runs are read" in result.stderr
    assert result.exit_code == 0
    assert result.stdout == plain.stdout


@pytest.mark.parametrize(
    ("test", "option", "note"),
    [
        ("t", ["--samples", "100"], "samples does nothing here and is ignored"),
        ("t", ["--seed", "1"], "seed does nothing here"),
    ],
)
def test_options_that_do_not_apply_are_notes(
    gradeval: Gradeval, collection: list[Path], test: str, option: list[str], note: str
) -> None:
    args = ["compare", *collection, "-m", "AP", "--test", test]
    result = gradeval(*args, *option)
    assert f"note: {note}" in result.stderr
    assert result.stdout == gradeval(*args).stdout


def test_a_baseline_may_be_repeated(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["compare", *collection, "-m", "AP", "--correction", "none", "--format", "tsv", "--baseline"]
    both = records(gradeval(*args, "alder", "--baseline", "cedar"))
    alone = [line for name in ("alder", "cedar") for line in records(gradeval(*args, name))]
    assert both == [line for line in alone if (line["run"], line["other"]) != ("alder", "cedar")]


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize(("samples", "told"), [(299, True), (300, False)])
def test_what_can_never_be_significant_is_said(
    gradeval: Gradeval, collection: list[Path], test: str, samples: int, told: bool
) -> None:
    args = ["-m", "AP nDCG", "--test", test, "--samples", samples, "--format", "tsv"]
    result = gradeval("compare", *collection, *args)  # 15 pairs: 15 / (samples + 1) must be below 0.05
    said = f"AP, nDCG: no pair can be significant at 0.05, as p is {1 / (samples + 1):.2g} or more"
    assert (said in result.stderr) == told
    assert ("take 300 samples or more" in result.stderr) == told
    assert any(line["significant"] == "True" for line in records(result)) == (not told)


def test_few_topics_cannot_be_helped_by_samples(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP", "--topics", "401,402,403", "--test", "permutation"]
    result = gradeval("compare", *collection, *args)
    assert "as p is 0.25 or more before the correction for 15 pairs; take more topics" in result.stderr


def test_exact_ranks_of_few_topics_cannot_be_significant(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["compare", *collection, "-m", "AP", "--test", "wilcoxon", "--correction", "none", "--topics"]
    said = "AP: no pair can be significant at 0.05, as p is 0.12 or more where no ranks are tied; take more topics"
    assert said in gradeval(*args, "401,402,403,404").stderr
    assert "no pair can be" not in gradeval(*args, "401,402,403,404,405,406").stderr  # 2 / 2^6


@pytest.mark.parametrize(("test", "said"), [("t", False), ("tukey-hsd", False), ("permutation", True), ("sign", True)])
def test_bootstrap_intervals_of_few_topics_are_said_to_be_too_narrow(
    gradeval: Gradeval, collection: list[Path], test: str, said: bool
) -> None:
    result = gradeval("compare", *collection, "-m", "AP", "--test", test)
    assert ("bootstrap intervals over 12 topics are too narrow" in result.stderr) == said


def test_a_correction_that_changes_nothing_has_no_column(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["compare", *collection, "-m", "AP"]
    for words in (["--test", "tukey-hsd", "--samples", 50], ["--correction", "none"]):
        head = gradeval(*args, *words).stdout.split("\n\n")[1].splitlines()[1].split()
        assert head == ["run", "other", "difference", "interval", "p", "effect", "won/tied/lost"]
    assert "p (holm)" in gradeval(*args).stdout.split("\n\n")[1].splitlines()[1]


def test_a_file_of_topics_that_is_not_there_is_said(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text(gradeval("evaluate", *collection, "-m", "AP", "-q", "--format", "tsv").stdout)
    for args in (collection, ["--scores", scores]):
        said = refusal(gradeval("compare", *args, "-m", "AP", "--topics", "nofile.txt"))
        assert "--topics nofile.txt: no such file, and no such topic among the" in said
        assert "accepted: a file with a topic a line, or a list as in" in said


def test_of_several_files_only_the_measures_that_are_asked_for_are_needed(gradeval: Gradeval, tmp_path: Path) -> None:
    lines = [f"{topic},{measure},0.{topic}" for topic in range(1, 6) for measure in ("AP", "P@5")]
    both = "run,topic,measure,value\n" + "".join(f"elm,{line}\n" for line in lines)
    (tmp_path / "a.csv").write_text(both)
    (tmp_path / "b.csv").write_text(both.replace("elm", "oak").replace("P@5", "P@9"))
    files = ["--scores", tmp_path / "a.csv", "--scores", tmp_path / "b.csv"]
    asked = gradeval("compare", *files, "-m", "AP", "--format", "csv")
    assert "left out" not in asked.stderr
    shared = gradeval("compare", *files, "--format", "csv")
    assert "note: measures: P@5, P@9 left out, as some runs have no values of them (elm, oak)" in shared.stderr
    assert asked.stdout == shared.stdout
    assert "has no P@5" in refusal(gradeval("compare", *files, "-m", "AP P@5"))
    assert "has no P@5" in refusal(gradeval("correlate", *files, "-m", "AP", "--reference", "P@5"))


def test_a_lone_file_is_offered_as_scores_where_it_holds_some(gradeval: Gradeval, tmp_path: Path) -> None:
    table, log = tmp_path / "table.csv", tmp_path / "log.csv"
    table.write_text("query,A,B\nsofa,0.1,0.2\nlamp,0.3,0.2\nbed,0.5,0.1\n")
    log.write_text("session,variant,query,sku,position,clicked\ns,A,sofa,x,1,0\n")
    assert refusal(gradeval("compare", table)).endswith(f"give QRELS and RUNS, or --scores {table}")
    assert refusal(gradeval("compare", log)).endswith(f"give QRELS and RUNS; {log} alone holds no scores")
    assert gradeval("compare", "--scores", table).exit_code == 0

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from gradeval.cli.commands.check import check

from ..conftest import GOOD, Gradeval, refusal


def test_check_reports_what_the_judgments_cover_of_every_run(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("check", *files)
    assert result.exit_code == 0
    about, head, _, good, bad, *remarks = result.stdout.splitlines()
    assert about == f"{files[0]}: 3 topics, 6 judgments, levels 0,1,2"
    assert head.split("  ")[0] == "file"
    # lines, topics, missing topics, topics without judgments, most documents, rank against score, tied lines, unjudged
    # lines of judged topics, judged among the first ten of each topic
    assert good.split() == [str(files[1]), "good", *"6 3 0 0 3 0 0.0% 0.0% 100.0%".split()]
    assert bad.split() == [str(files[2]), "bad", *"6 3 1 1 3 0 0.0%".split(), f"{1 / 5:.1%}", f"{4 / 5:.1%}"]
    assert remarks == [f"{files[2]}: returns nothing for t3", f"{files[2]}: no judgments for t9"]


def test_check_reports_the_errors_of_all_files(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "broken").write_text(GOOD + "t9 Q0\n")
    (tmp_path / "nan").write_text(GOOD + "t9 Q0 d1 1 nan good\n")
    result = gradeval("check", *files, tmp_path / "broken", tmp_path / "none", tmp_path / "nan")
    assert result.exit_code == 1
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    assert [any(name in line for line in errors) for name in ("broken:7", "none: no such file", "nan:7")] == [True] * 3
    assert len(errors) == 3
    assert result.stderr.splitlines()[-1] == "gradeval: 3 of 5 runs have faults"
    assert str(files[1]) in result.stdout  # the files that are right are reported all the same
    assert "broken" not in result.stdout


def test_check_reads_the_runs_even_if_the_judgments_are_wrong(
    gradeval: Gradeval, files: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "broken").write_text(GOOD + "t9 Q0\n")
    result = gradeval("check", files[1], files[2], tmp_path / "broken")
    assert result.exit_code == 1
    assert "looks like a run" in result.stderr
    assert "broken:7" in result.stderr
    assert result.stderr.splitlines()[-1] == "gradeval: the judgments and 1 of 2 runs have faults"


def test_check_names_every_wrong_line_and_all_of_them_on_demand(
    gradeval: Gradeval, files: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "broken").write_text(GOOD + "t9 Q0\n" * 30)
    some = gradeval("check", *files, tmp_path / "broken")
    every = gradeval("check", *files, tmp_path / "broken", "--all", "-o", tmp_path / "found.jsonl")
    assert (some.exit_code, every.exit_code) == (1, 1)
    assert some.stderr.splitlines()[-3:] == [
        f"gradeval: error: {tmp_path / 'broken'}:31: found 2 columns ('t9 Q0'); a line of a run has 6 columns: topic "
        "Q0 document rank score tag",
        f"gradeval: error: {tmp_path / 'broken'}: 5 more lines cannot be read; --all names them",
        "gradeval: 1 of 3 runs has faults",
    ]
    said = json.loads((tmp_path / "found.jsonl").read_text().splitlines()[-1])["faults"]
    assert [any(f"broken:{line}: found 2 columns" in one for one in said) for line in (7, 31, 36, 37)] == [
        True,
        True,
        True,
        False,
    ]


def test_check_says_which_files_share_a_tag(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "again").write_text(GOOD)
    result = gradeval("check", *files, tmp_path / "again")
    assert result.exit_code == 0
    assert f"{files[1]}, {tmp_path / 'again'}: 2 runs have the tag 'good'\n" in result.stdout


def test_check_counts_negative_grades_and_ties(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("t 0 d1 1\nt 0 d2 -2\n")
    (tmp_path / "r").write_text("t Q0 d1 1 1 r\nt Q0 d2 2 1 r\nt Q0 d3 3 0 r\n")
    lines = gradeval("check", tmp_path / "q", tmp_path / "r").stdout.splitlines()
    assert lines[0].endswith("1 topic, 2 judgments, levels 0,1, 1 negative grade")
    assert lines[3].split()[-3:] == [f"{2 / 3:.1%}", f"{1 / 3:.1%}", f"{2 / 3:.1%}"]


def test_check_collects_files_that_may_not_be_read_like_other_errors(
    gradeval: Gradeval, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(place: str, *_: object, **__: object) -> object:
        if str(place).endswith("good.txt"):
            raise PermissionError(13, "Permission denied", place)
        return open(place, "rb", buffering=0)

    monkeypatch.setattr("os.access", lambda place, *_: not str(place).endswith("good.txt"))
    monkeypatch.setattr("gradeval.files.source.open", refuse, raising=False)
    result = gradeval("check", *files)
    assert result.exit_code == 1
    assert f"{files[1]}: may not be read (permission denied)" in result.stderr
    assert str(files[2]) in result.stdout


def test_check_says_is_of_one_file(gradeval: Gradeval, files: list[Path], tmp_path: Path) -> None:
    said = gradeval("check", *files, tmp_path / "none").stderr
    assert said.splitlines()[-1] == "gradeval: 1 of 3 runs has faults"


def test_submissions_are_checked_before_there_are_judgments(
    gradeval: Gradeval, files: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "topics").write_text("t1\nt2\nt3\n")
    (tmp_path / "documents").write_text("d1 first\nd2\nd3\nd4\n")
    rules = ["--topics", tmp_path / "topics", "--documents", tmp_path / "documents", "--depth", 3]
    fine = gradeval("check", "--runs-only", files[1], *rules)
    assert (fine.exit_code, fine.stderr) == (0, "")
    result = gradeval("check", "--runs-only", *files[1:], *rules, "-o", tmp_path / "found.jsonl")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"note: {files[2]}: returns nothing for t3",
        f"gradeval: error: {files[2]}: 1 line with unknown documents (x9)",
        f"gradeval: error: {files[2]}: unknown topics t9",
        "gradeval: 1 of 2 runs has faults",
    ]
    good, bad = (json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines())
    assert (good["passed"], good["faults"], good["unjudged"]) == (True, [], None)
    assert (bad["passed"], bad["unknown_documents"], bad["unknown_topics"], bad["missing_topics"]) == (False, 1, 1, 1)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["qrels.txt"], "name runs, too, or say --runs-only"),
        (["--runs-only", "good.txt", "--documents", "nothing"], "names no document"),
        (
            ["--runs-only", "good.txt", "--documents", "binary"],
            "binary:1: is not valid utf-16; name its encoding, or save it as UTF-8",
        ),
        (["--runs-only", "good.txt", "--documents", "none"], "no such file"),
        (["--runs-only", "good.txt", "--topics", "topics.txt"], "--topics topics.txt: no such file"),
        (["qrels.txt", "good.txt", "--topics", "t7,t8"], "no topic of the task (t7, t8) is one of"),
        (["--runs-only", "good.txt", "-o", "good.txt", "--format", "tsv"], "would replace the input"),
        (["--runs-only", "good.txt", "-o", "found.xyz"], "no format has the ending .xyz"),
    ],
)
def test_wrong_uses_of_check_are_one_line(
    gradeval: Gradeval, small: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], message: str
) -> None:
    monkeypatch.chdir(small)
    (small / "nothing").write_text("\n")
    (small / "binary").write_bytes(b"\xff\xfe\x00")
    assert message in refusal(gradeval("check", *args))


def test_excluded_documents_leave_before_they_are_counted(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("t 0 d1 1\nt 0 t 1\n")
    (tmp_path / "r").write_text("t Q0 t 1 3 r\nt Q0 d1 2 2 r\nt Q0 d3 3 1 r\n")
    (tmp_path / "left").write_text("t d3\n")
    words = ["check", tmp_path / "q", tmp_path / "r", "--exclude", "self", "--exclude", tmp_path / "left"]
    result = gradeval(*words, "--depth", 1)
    about, _, _, row, remark = result.stdout.splitlines()
    assert (result.exit_code, about[-31:]) == (0, "1 topic, 1 judgment, levels 0,1")
    assert row.split()[2:] == "1 1 0 0 1 0 0.0% 0.0% 100.0%".split()
    assert remark == "excluded: 2 documents of the run, 1 judgment"
    assert "would replace the input" in refusal(gradeval(*words, "-o", tmp_path / "left"))


@pytest.mark.parametrize("words", ["train x", "crossval x", "rank m x", "swaps", "trec_eval a b"])
def test_commands_without_a_meeting_say_where_exclude_is(gradeval: Gradeval, words: str) -> None:
    said = refusal(gradeval(*words.split(), "--exclude", "self"))
    assert "no such option: --exclude; commands in which judgments meet runs have it, as evaluate does" in said


@pytest.mark.parametrize("command", ["check", "evaluate", "describe"])
@pytest.mark.filterwarnings("always::gradeval.FilesWarning")
def test_what_systems_leave_in_folders_is_no_fault(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, command: str
) -> None:
    (tmp_path / "sub" / "__MACOSX").mkdir(parents=True)
    (tmp_path / "sub" / "mine").write_text(GOOD)
    for name in ("Thumbs.db", "desktop.ini"):
        (tmp_path / "sub" / name).write_text("[.ShellClassInfo]\n")
    done = gradeval(command, files[0], *sorted((tmp_path / "sub").iterdir()))
    assert done.exit_code == 0
    junk = ", ".join(str(tmp_path / "sub" / name) for name in ("Thumbs.db", "__MACOSX", "desktop.ini"))
    said = f"left out as files of the operating system: {junk}; name it alone to read it"
    assert done.stderr.count(said) == 1
    assert done.stdout


@pytest.mark.parametrize(
    ("judgments", "broken", "said"),
    [
        (True, 0, "the judgments have faults"),
        (False, 1, "1 of 2 runs has faults"),
        (False, 2, "2 of 2 runs have faults"),
        (True, 1, "the judgments and 1 of 2 runs have faults"),
    ],
)
def test_judgments_are_not_counted_as_a_run(
    gradeval: Gradeval, files: list[Path], tmp_path: Path, judgments: bool, broken: int, said: str
) -> None:
    (tmp_path / "wrong").write_text("t1 0 d1 one\n")
    (tmp_path / "broken").write_text(GOOD + "t9 Q0\n")
    (tmp_path / "torn").write_text(GOOD + "t8\n")
    (tmp_path / "fine").write_text(GOOD)
    runs = [*[tmp_path / "broken", tmp_path / "torn"][:broken], files[1], tmp_path / "fine"][:2]
    result = gradeval("check", tmp_path / "wrong" if judgments else files[0], *runs)
    assert result.stderr.splitlines()[-1] == f"gradeval: {said}"


def test_faults_spell_parameters_as_options(gradeval: Gradeval, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in "ab":
        (tmp_path / "folder" / name).write_text("q 0 d 1\n")
    (tmp_path / "run").write_text("q Q0 d 1 1 r\n")
    done = gradeval("check", tmp_path / "folder", tmp_path / "run")
    assert "give --folder one" in done.stderr


@pytest.mark.parametrize("ending", ["md", "txt", "tex", "html", "csv", "jsonl"])
def test_a_file_of_any_format_names_each_fault_and_remark(gradeval: Gradeval, tmp_path: Path, ending: str) -> None:
    lines = "401 Q0 a 1 2.0 t\n401 Q0 b 2 1.0 t\n"
    (tmp_path / "short").write_text(lines)
    (tmp_path / "cut").write_text(f"{lines}401 Q0 c\n")
    (tmp_path / "topics").write_text("401\n402\n")
    written = tmp_path / f"mail.{ending}"
    files = [tmp_path / "short", tmp_path / "cut"]
    result = gradeval("check", "--runs-only", *files, "--topics", tmp_path / "topics", "-o", written)
    assert result.exit_code == 1
    said = written.read_text(encoding="utf-8")
    assert "found 3 columns" in said  # in the file that cannot be read
    assert "402" in said  # the topic that a run does not have


def test_a_file_for_programs_hides_no_remark(gradeval: Gradeval, tmp_path: Path) -> None:
    """The table on standard output shows them all; so does standard error, where the table goes to a file."""
    runs = [tmp_path / f"run{number}" for number in range(6)]
    for number, run in enumerate(runs):
        run.write_text("".join(f"{topic} Q0 a 1 2.0 t{number}\n" for topic in range(6) if topic != number))
    (tmp_path / "topics").write_text("".join(f"{topic}\n" for topic in range(6)))
    words = ("check", "--runs-only", *runs, "--topics", tmp_path / "topics")
    shown = gradeval(*words).stdout
    written = gradeval(*words, "-o", tmp_path / "checks.jsonl").stderr
    for number, run in enumerate(runs):
        remark = f"{run}: returns nothing for {number}\n"
        assert remark in shown
        assert remark in written


WORDED = "query,sku,label\nlamp,a,Exact\nlamp,b,Irrelevant\nlamp,c,Substitute\nsofa,a,Exact\nsofa,b,Partial\n"


def test_check_proposes_an_option_for_words_that_it_has_itself(gradeval: Gradeval, tmp_path: Path) -> None:
    judged, run = tmp_path / "judged.csv", tmp_path / "run.txt"
    judged.write_text(WORDED)
    run.write_text("lamp Q0 a 1 2 r\nlamp Q0 c 2 1 r\nsofa Q0 b 1 1 r\n")
    said = gradeval("check", judged, run)
    assert said.stderr.count("is not a finite number") == 1
    found = re.search(r"--recode \S+(?=,)", said.stderr)
    assert found is not None
    assert set(found[0].split()[1].split(",")) == {"Exact=GRADE", "Substitute=GRADE", "Partial=GRADE", "Irrelevant=0"}
    option = found[0].replace("Exact=GRADE", "Exact=3").replace("Substitute=GRADE", "Substitute=2").split()
    option[1] = option[1].replace("Partial=GRADE", "Partial=1")
    right = gradeval("check", judged, run, *option)
    assert (right.exit_code, right.stderr) == (0, "")
    assert "levels 0,1,2,3" in right.stdout


def test_words_that_check_is_told_in_other_letters_are_given_as_the_file_has_them(
    gradeval: Gradeval, tmp_path: Path
) -> None:
    judged, run = tmp_path / "judged.csv", tmp_path / "run.txt"
    judged.write_text(WORDED)
    run.write_text("lamp Q0 a 1 2 r\n")
    said = gradeval("check", judged, run, "--recode", "exact=3,SUBSTITUTE=2,partial=1").stderr
    assert "--recode Exact=3,Irrelevant=0,Substitute=2,Partial=1, or" in said


def test_check_says_what_of_recode_is_in_vain(gradeval: Gradeval, files: list[Path]) -> None:
    said = gradeval("check", *files, "--recode", "2=1,9=1,good=2", "--shift", "1")
    assert "levels 0,1,2,3" in said.stdout  # 0, 1, 2 and one more each; then 2 is 1, and gaps are filled
    assert "no judgment has the grade 9 that is to be recoded" in said.stdout
    assert "--recode good=2: no judgments have the grade good" in said.stderr
    assert "no judgments are called so" in gradeval("check", *files, "--recode", "other:2=1").stderr
    alone = gradeval("check", "--runs-only", *files[1:], "--recode", "2=1")
    assert "--recode changes grades, and there are no judgments; it is ignored" in alone.stderr


SIDE = Path(__file__).parents[3] / "src" / "gradeval"
ELSEWHERE = {
    "--scores": "nuggets are no judgments: their scores are for another command",
    "--categorical": "features",
    "--leave-out": "features",
    "--weights": "features",
    "--user": "logs of ratings, which are split",
    "--time": "logs of ratings, which are split",
    "--last": "logs of ratings, which are split",
    "--share": "logs of ratings, which are split",
    "--random": "logs of ratings, which are split",
    "--objective": "features, which crossval trains on",
    "--empty": "how scores are made of judgments and runs that are read",
    "--negative": "how scores are made of judgments and runs that are read",
    "--ties": "how scores are made of judgments and runs that are read",
    "--skip-bad": "check names every file that cannot be read",
}
"""Options that files name and check does not have, and why."""


def test_options_that_readers_of_files_propose_are_options_of_check() -> None:
    texts = [
        node.value
        for folder in ("files", "collection", "checking")
        for path in (SIDE / folder).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    named = {option for text in texts for option in re.findall(r"(?<![-\w])--[a-z][a-z-]*", text)}
    known = {option for one in check.params for option in one.opts}
    assert named - known <= set(ELSEWHERE)
    assert "--recode" in named

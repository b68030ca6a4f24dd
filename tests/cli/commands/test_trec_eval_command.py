from __future__ import annotations

from pathlib import Path

from ..conftest import Gradeval


def test_it_prints_like_trec_eval(gradeval: Gradeval, small: Path) -> None:
    result = gradeval("trec_eval", "-qc", "-m", "map", "-mP.1", "-l2", small / "qrels.txt", small / "bad.txt")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "map                   \tt1\t0.0000",
        "P_1                   \tt1\t0.0000",
        "map                   \tt2\t0.0000",
        "P_1                   \tt2\t0.0000",
        "map                   \tt3\t0.0000",
        "P_1                   \tt3\t0.0000",
        "map                   \tall\t0.0000",
        "P_1                   \tall\t0.0000",
    ]
    assert "t9" in result.stderr
    assert "count 0" in result.stderr


def test_long_options_and_the_spelling_of_pyserini_are_read(gradeval: Gradeval, small: Path) -> None:
    files = small / "qrels.txt", small / "bad.txt"
    short = gradeval("trec_eval", "-q", "-n", "-M", "2", "-J", "-m", "all_trec", *files)
    written = (
        "--query_eval_wanted --nosummary --Max_retrieved_per_topic 2 --Judged_docs_only --measure all_trec".split()
    )
    assert short.stdout == gradeval("trec_eval", *written, *files).stdout
    removed = gradeval("trec_eval", "-m", "num_ret", *files, "-remove-unjudged")
    assert removed.stdout == "num_ret               \tall\t4\n"


def test_output_goes_to_a_file_whole_or_not_at_all(gradeval: Gradeval, small: Path, tmp_path: Path) -> None:
    files = small / "qrels.txt", small / "good.txt"
    assert gradeval("trec_eval", *files, "-o", tmp_path / "out").stdout == ""
    assert (tmp_path / "out").read_text() == gradeval("trec_eval", *files).stdout
    assert gradeval("trec_eval", "-m", "nope", *files, "-o", tmp_path / "other").exit_code == 2
    assert not (tmp_path / "other").exists()
    assert gradeval("trec_eval", *files, "-o", small / "good.txt").exit_code == 2


def test_mistakes_are_one_line(gradeval: Gradeval, small: Path) -> None:
    files = small / "qrels.txt", small / "good.txt"
    for wrong in (["-m", "nmap"], ["-l", "0"], ["-M", "0"], ["-x"], ["--preset", "trec8"]):
        result = gradeval("trec_eval", *wrong, *files)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1

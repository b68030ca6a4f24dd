"""Ranking on the command line: the scores of the model, in a run that evaluates as LETOR does."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, evaluate, read_letor, write_letor
from gradeval.ltr import TreeRanker, load_ranker

from ..conftest import Gradeval, refusal

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few trees, so that many scores are equal."""
    place = tmp_path_factory.mktemp("models") / "few-trees"
    TreeRanker("lambdarank:GAP", epochs=2, min_rows=3).fit(graded_features(8, seed=1)).save(place)
    return place


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    write_letor(graded_features(6, seed=2, prefix="t"), tmp_path / "test.txt")
    return tmp_path / "test.txt"


def lines(text: str) -> list[list[str]]:
    return [line.split(" ") for line in text.splitlines()]


def test_a_run_has_the_topics_documents_and_scores(gradeval: Gradeval, model: Path, test_file: Path) -> None:
    done = gradeval("rank", model, test_file)
    assert done.exit_code == 0, done.stderr
    features = read_letor(test_file)
    scores = dict(zip(features.docs, load_ranker(model).score(features), strict=True))
    result = lines(done.stdout)
    assert {line[2]: float(line[4]) for line in result} == scores
    assert list(dict.fromkeys(line[0] for line in result)) == features.topics
    assert {(line[1], line[5]) for line in result} == {("Q0", "few-trees")}
    for topic in features.topics:
        own = [line for line in result if line[0] == topic]
        assert [line[3] for line in own] == [str(rank) for rank in range(1, len(own) + 1)]
        assert [float(line[4]) for line in own] == sorted((float(line[4]) for line in own), reverse=True)


def test_the_run_evaluates_as_the_features_do(gradeval: Gradeval, model: Path, test_file: Path, tmp_path: Path) -> None:
    done = gradeval("rank", model, test_file, "-o", tmp_path / "ranked.run")
    assert "share their score with another of their topic; they stand in the order of" in done.stderr
    features = read_letor(test_file)
    run = features.run(load_ranker(model).score(features))
    expected = evaluate(features.qrels, run, "AP nDCG@3", ties="order").mean()[0].tolist()
    said = gradeval("evaluate", f"letor:{test_file}", tmp_path / "ranked.run", "-m", "AP nDCG@3", "--ties", "order",
                    "--format", "tsv")  # fmt: skip
    assert [float(line.split("\t")[3]) for line in said.stdout.splitlines()[1:]] == pytest.approx(expected, abs=1e-15)


def test_ids_of_documents_are_kept(gradeval: Gradeval, model: Path, tmp_path: Path) -> None:
    given = graded_features(2, seed=3)
    named = Features.from_arrays(
        given.X,
        given.grades,
        topics=np.repeat(given.topics, np.diff(given.offsets)),
        docs=[f"doc{row}" for row in range(len(given))],
    )
    write_letor(named, tmp_path / "named.txt")
    assert {line[2] for line in lines(gradeval("rank", model, tmp_path / "named.txt").stdout)} == set(named.docs)


def test_the_tag_is_the_name_of_the_model_or_given(gradeval: Gradeval, model: Path, test_file: Path) -> None:
    assert gradeval("rank", f"{model}/", test_file).stdout.splitlines()[0].endswith(" few-trees")
    assert gradeval("rank", model, test_file, "--tag", "mine").stdout.splitlines()[0].endswith(" mine")
    assert "--tag 'two words': would not be one column" in refusal(
        gradeval("rank", model, test_file, "--tag", "two words")
    )
    assert "--tag '': would not be one column" in refusal(gradeval("rank", model, test_file, "--tag", ""))
    blank = model.with_name("two words")
    shutil.copytree(model, blank, dirs_exist_ok=True)
    assert "the model is called 'two words', which would not be one column" in refusal(
        gradeval("rank", blank, test_file)
    )


def test_the_file_may_be_called_letor(gradeval: Gradeval, model: Path, test_file: Path) -> None:
    assert gradeval("rank", model, f"letor:{test_file}").stdout == gradeval("rank", model, test_file).stdout


def test_features_that_a_sparse_file_lacks_are_zero(gradeval: Gradeval, model: Path, tmp_path: Path) -> None:
    (tmp_path / "sparse.txt").write_text("0 qid:1 1:0.5 2:0.25\n1 qid:1 1:2\n")
    done = gradeval("rank", model, tmp_path / "sparse.txt")
    assert "sparse.txt has 2 of the 4 features; those that it lacks are 0" in done.stderr
    whole = np.array([[0.5, 0.25, 0, 0], [2, 0, 0, 0]])
    scores = load_ranker(model).score(Features.from_arrays(whole, [0, 1], sizes=[2]))
    assert sorted(float(line[4]) for line in lines(done.stdout)) == sorted(scores)


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_features_that_the_training_left_out_are_left_out_again(
    gradeval: Gradeval, test_file: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    options = ("--objective", "lambdarank:GAP", "--ranker", "linear", "--epochs", 2, "--leave-out", 2)
    assert gradeval("train", test_file, *options, "-o", model).exit_code == 0
    done = gradeval("rank", model, test_file)
    assert "test.txt: 2: left out, as the ranker is trained on 1, 3, 4" in done.stderr
    features = read_letor(test_file)
    with pytest.raises(InputError, match=re.escape("write features.leaving_out(['2'])")):
        load_ranker(model).score(features)
    scores = load_ranker(model).score(features.leaving_out(["2"]))
    assert sorted(float(line[4]) for line in lines(done.stdout)) == sorted(scores.tolist())
    (tmp_path / "sparse.txt").write_text("0 qid:1 1:0.5 2:9\n1 qid:1 1:2 2:7 3:0.25\n")
    sparse = gradeval("rank", model, tmp_path / "sparse.txt")
    (tmp_path / "whole.txt").write_text("0 qid:1 1:0.5 2:0 3:0 4:0\n1 qid:1 1:2 2:0 3:0.25 4:0\n")
    assert sparse.stdout == gradeval("rank", model, tmp_path / "whole.txt").stdout
    assert gradeval("explain", model, "--features", test_file).exit_code == 0
    assert "--leave-out 4: the ranker was trained on 1, 3, 4; leave out none of these" in refusal(
        gradeval("rank", model, test_file, "--leave-out", "2,4")
    )
    years = pd.DataFrame({"qid": [1, 1, 2, 2], "2019": [1, 2, 3, 1], "2020": [4, 1, 2, 2], "2021": [1, 1, 0, 2]})
    years.assign(label=[0, 1, 1, 0]).to_csv(tmp_path / "years.csv", index=False)
    assert gradeval("train", tmp_path / "years.csv", *options[:-2], "-o", tmp_path / "by-year").exit_code == 0
    years.drop(columns="2020").to_csv(tmp_path / "gap.csv", index=False)  # no LETOR, whose features count from 1
    assert "2 features (2019, 2021), the ranker was trained on 3 features" in refusal(
        gradeval("rank", tmp_path / "by-year", tmp_path / "gap.csv")
    )


def test_what_is_no_model_of_these_features_is_refused(
    gradeval: Gradeval, model: Path, test_file: Path, tmp_path: Path
) -> None:
    assert f"{tmp_path / 'none'}: no such folder" in refusal(gradeval("rank", tmp_path / "none", test_file))
    assert "card.json: no such file" in refusal(gradeval("rank", tmp_path, test_file))
    assert f"{test_file}: a file; name the folder" in refusal(gradeval("rank", test_file, test_file))
    assert "no such file" in refusal(gradeval("rank", model, tmp_path / "none.txt"))
    (tmp_path / "wide.txt").write_text("0 qid:1 9:1\n1 qid:1 1:2\n")
    assert "9 features (1 to 9), the ranker was trained on 4" in refusal(gradeval("rank", model, tmp_path / "wide.txt"))
    cut = tmp_path / "cut"
    shutil.copytree(model, cut)
    (cut / "trees.txt").write_bytes((cut / "trees.txt").read_bytes()[:-100])
    assert "trees.txt: not the weights" in refusal(gradeval("rank", cut, test_file))
    (cut / "card.json").write_text("{}")
    assert "card.json: not the card of a gradeval ranker" in refusal(gradeval("rank", cut, test_file))


def test_the_output_never_takes_the_place_of_the_features(gradeval: Gradeval, model: Path, test_file: Path) -> None:
    before = test_file.read_bytes()
    assert "would replace the input" in refusal(gradeval("rank", model, test_file, "-o", test_file))
    assert test_file.read_bytes() == before


@pytest.mark.parametrize("name", ["card.json", "trees.txt", "new.run"])
def test_nothing_is_written_into_the_model(gradeval: Gradeval, model: Path, test_file: Path, name: str) -> None:
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    link = model.with_name("link")
    link.unlink(missing_ok=True)
    link.symlink_to(model)
    for given, written in ((model, model / name), (model, link / name), (link, model / name)):
        said = refusal(gradeval("rank", given, test_file, "-o", written))
        assert (
            said == f"-o {written}: lies in the folder {given}, which is read or replaced whole; choose another place"
        )
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


@pytest.mark.parametrize("grade", ["-1", "nan"])
def test_a_grade_that_is_none_may_be_replaced(gradeval: Gradeval, model: Path, tmp_path: Path, grade: str) -> None:
    given = tmp_path / "given.txt"
    given.write_text(f"1 qid:1 1:0.5 2:1 3:0 4:1\n{grade} qid:1 1:0.2 2:0 3:0 4:1\n")
    said = refusal(gradeval("rank", model, given))
    assert f"{given}:2: grade '{grade}' is" in said
    assert "? stands for n" in said
    given.write_text(given.read_text().replace(grade, "?", 1))
    assert len(lines(gradeval("rank", model, given).stdout)) == 2


@pytest.mark.parametrize("ending", [".txt", ".csv"])
def test_documents_without_grades_are_ranked(gradeval: Gradeval, model: Path, tmp_path: Path, ending: str) -> None:
    graded, bare = tmp_path / "graded.txt", tmp_path / f"bare{ending}"
    graded.write_text("1 qid:1 1:0.5 2:1 3:0 4:1\n0 qid:1 1:0.2 2:0 3:0 4:1\n")
    text = "qid:1 1:0.5 2:1 3:0 4:1\n? qid:1 1:0.2 2:0 3:0 4:1\n"
    bare.write_text(text if ending == ".txt" else "qid,1,2,3,4\n1,0.5,1,0,1\n1,0.2,0,0,1\n")
    assert lines(gradeval("rank", model, bare).stdout) == lines(gradeval("rank", model, graded).stdout)
    said = refusal(gradeval("train", bare, "--objective", "lambdarank:AP"))
    assert f"{bare}: row 0 (topic 1): 2 of 2 documents have no grade; training data need one for each" in said


def test_a_column_with_a_name_is_not_filled_with_zeros(gradeval: Gradeval, tmp_path: Path) -> None:
    frame = pd.DataFrame({"qid": np.repeat(range(20), 20), "bm25": range(400), "age": range(400, 0, -1)})
    train = frame.assign(label=np.arange(400) % 3)
    TreeRanker("lambdarank:GAP", epochs=2, min_rows=3).fit(train[["qid", "bm25", "age"]], train["label"]).save(
        tmp_path / "model"
    )
    frame.drop(columns="age").to_csv(tmp_path / "no-age.csv", index=False)
    assert "lacks age, which the ranker was trained on" in refusal(
        gradeval("rank", tmp_path / "model", tmp_path / "no-age.csv")
    )
    frame.assign(label=-1).to_csv(tmp_path / "negative.csv", index=False)
    assert "grades are 0 or more; drop such rows to train, leave the column out to rank" in refusal(
        gradeval("rank", tmp_path / "model", tmp_path / "negative.csv")
    )


def test_numbers_of_a_file_that_are_categories_are_those_of_the_training(gradeval: Gradeval, tmp_path: Path) -> None:
    code = np.random.default_rng(1).integers(0, 4, 400)
    frame = pd.DataFrame({"qid": np.repeat(range(20), 20), "shop": np.array([70, 10, 30, 20])[code]})
    as_category = frame.assign(shop=frame["shop"].astype("category"))
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=3).fit(as_category, code % 2)
    ranker.save(tmp_path / "model")
    frame.to_csv(tmp_path / "f.csv", index=False)
    done = gradeval("rank", tmp_path / "model", tmp_path / "f.csv")
    assert done.exit_code == 0, done.stderr
    scores = {f"{query}-{1 + row % 20}": 0.0 for row, query in enumerate(frame["qid"])}
    scores = dict(zip(scores, ranker.predict(as_category), strict=True))
    assert {line[2]: float(line[4]) for line in lines(done.stdout)} == scores
    named = as_category.assign(shop=as_category["shop"].cat.rename_categories(list("abcd")))
    TreeRanker("lambdarank:GAP", epochs=3, min_rows=3).fit(named, code % 2).save(tmp_path / "model")
    assert "shop was a category in training, of 'a' and others, and holds numbers here" in refusal(
        gradeval("rank", tmp_path / "model", tmp_path / "f.csv")
    )


def test_features_by_which_all_documents_tie_are_refused(gradeval: Gradeval, model: Path, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("0 qid:1 1:0.5\n1 qid:1 1:0.5\n0 qid:2 1:2\n1 qid:2 1:2\n")
    done = gradeval("rank", model, tmp_path / "few.txt")
    assert "has 1 of the 4 features" in refusal(done)
    assert not done.stdout


def test_a_document_that_a_topic_has_twice_makes_no_run(gradeval: Gradeval, tmp_path: Path, model: Path) -> None:
    """``evaluate`` would refuse such a run."""
    rows = "query_id,doc_id,1,2,3,4\nq1,x,1,2,0,1\nq1,x,2,1,0,1\n"
    (tmp_path / "new.csv").write_text(rows)
    said = refusal(gradeval("rank", model, tmp_path / "new.csv", "-o", tmp_path / "new.run"))
    assert "document 'x' of topic q1 is given twice" in said
    assert not (tmp_path / "new.run").exists()


def test_a_file_in_place_of_the_model_asks_for_ranks(gradeval: Gradeval, test_file: Path) -> None:
    said = refusal(gradeval("rank", test_file, test_file))
    assert said == (
        f"{test_file}: a file; name the folder of a model, which holds card.json (did you mean 'gradeval ranks', "
        "which compares runs?)"
    )


def test_a_model_that_is_evaluated_is_to_rank_first(gradeval: Gradeval, model: Path, test_file: Path) -> None:
    said = refusal(gradeval("evaluate", f"letor:{test_file}", model))
    assert f"{model}: is a trained ranker, not a run" in said
    words = shlex.split(said.partition("first: ")[2].partition(";")[0])
    assert gradeval(*words[1:]).exit_code == 0
    assert gradeval("evaluate", f"letor:{test_file}", words[-1]).exit_code == 0
    with pytest.raises(InputError, match=r"is a trained ranker, not a run; .* features\.run\("):
        evaluate(f"letor:{test_file}", model, "AP")


def test_a_model_in_place_of_judgments_is_to_rank_first(gradeval: Gradeval, model: Path, test_file: Path) -> None:
    said = refusal(gradeval("evaluate", model, test_file))
    assert f"{model}: is a trained ranker, not judgments; rank documents by it first: gradeval rank" in said
    words = shlex.split(said.partition("first: ")[2].replace("FEATURES", str(test_file)))
    assert gradeval(*words[1:]).exit_code == 0
    assert gradeval("evaluate", f"letor:{test_file}", words[-1]).exit_code == 0

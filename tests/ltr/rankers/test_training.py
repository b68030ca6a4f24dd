"""A killed training goes on to the very ranker that it would have been."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, evaluate
from gradeval.ltr import Epoch, LinearRanker, NeuralRanker, Objective, soft_measure
from gradeval.ltr.rankers.training import Dataset, PaddedBatch
from gradeval.ltr.saving import read_checkpoint, write_checkpoint

pytest.importorskip("torch")


GAP = "lambdarank:GAP(g=[0.5,0.5])"
EPOCHS = 12


def interrupt_after(number: int) -> Callable[[Epoch], None]:
    def interrupt(epoch: Epoch) -> None:
        if epoch.number == number:
            raise KeyboardInterrupt

    return interrupt


def interrupted(ranker: Any, number: int, place: Path, *data: Features, **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(*data, checkpoint=place, progress=interrupt_after(number), **options)


def same(one: Any, other: Any) -> bool:
    return bool(
        one._serialize_weights() == other._serialize_weights() and one.curve == other.curve and one.best == other.best
    )


@pytest.mark.parametrize("objective", [GAP, "softrank:nDCG"])
@pytest.mark.parametrize("kind", [LinearRanker, NeuralRanker])
@pytest.mark.parametrize("killed", [1, 5, EPOCHS])
def test_a_training_goes_on_as_if_never_interrupted(
    kind: Any, objective: str, killed: int, tmp_path: Path, train: Features, valid: Features
) -> None:
    def ranker() -> Any:
        return kind(objective, seed=3, epochs=EPOCHS, queries=4)

    whole = ranker().fit(train, valid)
    interrupted(ranker(), killed, tmp_path / "checkpoint", train, valid)
    epochs: list[Epoch] = []
    resumed = ranker().fit(train, valid, checkpoint=tmp_path / "checkpoint", resume=True, progress=epochs.append)
    assert same(whole, resumed)
    assert tuple(epochs) == whole.curve[killed:]


def test_a_training_may_be_interrupted_again_and_again(tmp_path: Path, train: Features, valid: Features) -> None:
    def ranker() -> LinearRanker:
        return LinearRanker(GAP, epochs=EPOCHS, queries=4, patience=5)

    place = tmp_path / "checkpoint"
    for number in (1, 2, 4):
        interrupted(ranker(), number, place, train, valid, resume=True)
    assert same(ranker().fit(train, valid, checkpoint=place, resume=True), ranker().fit(train, valid))


def test_a_training_that_is_done_is_only_read_again(tmp_path: Path, train: Features, valid: Features) -> None:
    place = tmp_path / "checkpoint"
    first = LinearRanker(GAP, epochs=1000, patience=2).fit(train, valid, checkpoint=place)
    again = LinearRanker(GAP, epochs=1000, patience=2).fit(
        train, valid, checkpoint=place, resume=True, progress=interrupt_after(len(first.curve) + 1)
    )
    assert same(first, again)


def test_a_training_may_go_on_for_more_epochs_but_not_for_fewer(tmp_path: Path, train: Features) -> None:
    place = tmp_path / "checkpoint"
    LinearRanker(GAP, epochs=3).fit(train, checkpoint=place)
    longer = LinearRanker(GAP, epochs=5).fit(train, checkpoint=place, resume=True)
    assert same(longer, LinearRanker(GAP, epochs=5).fit(train))
    with pytest.raises(InputError, match="checkpoint: 5 epochs are done, and epochs=4 asks for fewer"):
        LinearRanker(GAP, epochs=4).fit(train, checkpoint=place, resume=True)


def test_a_killed_process_loses_nothing(tmp_path: Path, train: Features, valid: Features) -> None:
    code = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parents[2] / "support")!r})
from graded_features import graded_features
from gradeval.ltr import LinearRanker

def tell(epoch):
    print(epoch.number, flush=True)
    time.sleep(0.05)

train, valid = graded_features(20), graded_features(15, seed=1, prefix="v")
LinearRanker({GAP!r}, seed=3, epochs=10_000, queries=4, patience=10_000).fit(
    train, valid, checkpoint=sys.argv[1], progress=tell
)
"""
    place = tmp_path / "checkpoint"
    with subprocess.Popen([sys.executable, "-c", code, str(place)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 4:
                time.sleep(0.03)  # somewhere in the fifth epoch
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL

    def ranker() -> LinearRanker:
        return LinearRanker(GAP, seed=3, epochs=EPOCHS, queries=4, patience=10_000)

    epochs: list[Epoch] = []
    resumed = ranker().fit(train, valid, checkpoint=place, resume=True, progress=epochs.append)
    assert epochs[0].number > 4
    assert same(resumed, ranker().fit(train, valid))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"seed": 1}, "other parameters"),
        ({"learning_rate": 0.1}, "other parameters"),
        ({"objective": "lambdarank:AP"}, "other objective"),
    ],
)
def test_the_checkpoint_of_another_training_is_refused(
    change: dict[str, Any], what: str, tmp_path: Path, train: Features
) -> None:
    place = tmp_path / "checkpoint"
    settings: dict[str, Any] = {"objective": GAP, "epochs": 2}
    LinearRanker(**settings).fit(train, checkpoint=place)
    with pytest.raises(InputError, match=f"checkpoint: of a training with {what}"):
        LinearRanker(**{**settings, **change}).fit(train, checkpoint=place, resume=True)


def test_the_checkpoint_of_other_data_is_refused(tmp_path: Path, train: Features, valid: Features) -> None:
    place = tmp_path / "checkpoint"
    LinearRanker(GAP, epochs=2).fit(train, checkpoint=place)
    with pytest.raises(InputError, match="of a training with other training data; train from the beginning"):
        LinearRanker(GAP, epochs=2).fit(valid, checkpoint=place, resume=True)
    LinearRanker(GAP, epochs=2).fit(train, valid, checkpoint=place)
    with pytest.raises(InputError, match="of a training with other validation data"):
        LinearRanker(GAP, epochs=2).fit(train, train, checkpoint=place, resume=True)


def test_without_a_checkpoint_there_resuming_begins_at_the_beginning(tmp_path: Path, train: Features) -> None:
    begun = LinearRanker(GAP, epochs=2).fit(train, checkpoint=tmp_path / "new", resume=True)
    assert same(begun, LinearRanker(GAP, epochs=2).fit(train))
    with pytest.raises(InputError, match="resume=True needs checkpoint="):
        LinearRanker(GAP).fit(train, resume=True)


def test_a_flipped_bit_or_a_missing_end_is_always_one_clear_error(tmp_path: Path, train: Features) -> None:
    place = tmp_path / "checkpoint"
    ranker = LinearRanker(GAP, epochs=2)
    ranker.fit(train, checkpoint=place)
    whole = place.read_bytes()
    flipped = [(byte, bit) for byte in range(len(whole)) for bit in range(8)]
    head = 8 * whole.index(b"\n", whole.index(b"{"))
    sampled = flipped[:head:3] + flipped[head::11]  # 3 and 11 divide no byte: every bit of one has its turn
    damaged = [whole[:byte] + bytes([whole[byte] ^ 1 << bit]) + whole[byte + 1 :] for byte, bit in sampled]
    damaged += [whole[:end] for end in range(len(whole))] + [whole + b"\n"]
    for content in damaged:
        place.write_bytes(content)
        with pytest.raises(InputError, match=r"checkpoint: (not a checkpoint of this|a checkpoint that is trunc)"):
            read_checkpoint(place, {})
    place.write_bytes(whole)
    assert read_checkpoint(place, {}) is not None


def test_a_checkpoint_reads_back(tmp_path: Path) -> None:
    place = tmp_path / "checkpoint"
    assert read_checkpoint(place, {"a": 1}) is None
    write_checkpoint(place, {"a": 1}, [1, 2.5], b"state\n\n\x00")
    assert read_checkpoint(place, {"a": 1}) == ([1, 2.5], b"state\n\n\x00")
    with pytest.raises(InputError, match=r"of a training with other a \(1, now 2\)"):
        read_checkpoint(place, {"a": 2})
    write_checkpoint(place, {"parameters": {"x": 1, "y": 2, "z": 3}}, [], b"")
    with pytest.raises(InputError, match=r"of a training with other parameters \(y 2, now 5; w None, now 0\);"):
        read_checkpoint(place, {"parameters": {"x": 1, "y": 5, "z": 3, "w": 0}})
    assert np.array_equal([entry.name for entry in tmp_path.iterdir()], ["checkpoint"])


@pytest.mark.parametrize("text", ["mine", "gradeval", "gradeval checkpoints\n" * 9])
def test_a_checkpoint_never_takes_the_place_of_something_else(tmp_path: Path, train: Features, text: str) -> None:
    place = tmp_path / "model.checkpoint"
    place.write_text(text)
    epochs: list[Epoch] = []
    with pytest.raises(InputError, match="checkpoint: a file of something else, no checkpoint, stands in its place"):
        LinearRanker(GAP, epochs=2).fit(train, checkpoint=place, progress=epochs.append)
    with pytest.raises(InputError, match="stands in its place; move it, or name another"):
        write_checkpoint(place, {}, [], b"state")
    assert (place.read_text(), epochs) == (text, [])


def test_a_checkpoint_takes_the_place_of_an_empty_file_and_of_one_before(tmp_path: Path, train: Features) -> None:
    place = tmp_path / "checkpoint"
    for before in (b"", b"gradeval checkpoint 0\nof a version before"):
        place.write_bytes(before)
        LinearRanker(GAP, epochs=2).fit(train, checkpoint=place)
        assert place.read_bytes().startswith(b"gradeval checkpoint 2\n")


torch = pytest.importorskip("torch")


FEATURES = graded_features(11)
LEVELS = (0.0, 1.0, 2.0)


def dataset(objective: str | Objective, queries: int = 4, features: Features = FEATURES) -> Dataset:
    return Dataset.of(features, LEVELS, Objective.parse(objective), queries, "cpu", 1)


def padded_batches(
    objective: str | Objective, queries: int, monkeypatch: pytest.MonkeyPatch, documents: int | None = None
) -> list[PaddedBatch]:
    """The batches as for a GPU, with the tensors left where they are."""
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *_, **__: tensor)
    data = Dataset.of(FEATURES, LEVELS, Objective.parse(objective), queries, "cuda", 1, documents=documents)
    monkeypatch.undo()
    padded = [batch for batch in data.batches if isinstance(batch, PaddedBatch)]
    assert len(padded) == len(data.batches)
    return padded


def test_every_query_that_can_be_learnt_from_is_in_one_batch() -> None:
    nothing = Features.from_arrays(np.ones((6, 4)), [1, 1, 0, 0, 0, 2], topics=["x", "x", "y", "y", "y", "z"])
    data = dataset("lambdarank:AP", features=Features.concat([FEATURES, nothing]))
    parts = {topic: FEATURES.select(topic).grades for topic in FEATURES.topics}
    assert data.features.topics == [topic for topic, grades in parts.items() if len({*grades}) > 1]
    assert sum(batch.queries for batch in data.batches) == len(data.features.topics)
    assert sorted(np.concatenate([batch.rows for batch in data.batches])) == [*range(len(data.features))]
    table = FEATURES.select(data.features.topics).X
    for batch in data.batches:
        assert (table[batch.rows] == batch.X.numpy()).all()


@pytest.mark.parametrize("objective", ["lambdarank:GAP(g=[0.5,0.5])", "lambdarank:nDCG@5", "lambdarank:Bpref"])
def test_the_compiled_gradients_are_those_of_the_loss(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Objective.parse(objective, sigma=0.7, truncation=6)
    compiled = dataset(read).batches
    padded = padded_batches(read, 4, monkeypatch)
    rng = np.random.default_rng(2)
    for fast, slow in zip(compiled, padded, strict=True):
        scores = torch.from_numpy(np.round(rng.normal(size=len(fast.X)), 1).astype(np.float32))
        np.testing.assert_allclose(fast.backward(scores)[1], slow.backward(scores)[1], atol=1e-6)


def test_lambdarank_tells_the_mean_of_the_measure() -> None:
    data = dataset("lambdarank:nDCG@5")
    assert data.train_measure is not None
    scores = np.random.default_rng(4).normal(size=len(data.features))
    run = data.features.run(scores)
    assert data.train_measure(scores) == evaluate(data.features.qrels, run, "nDCG@5", ties="expected").mean()[0, 0]


def test_softrank_tells_the_mean_of_the_soft_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    objective = Objective.parse("softrank:nDCG", sigma=0.5)
    compiled = dataset(objective).batches
    for fast, batch in zip(compiled, padded_batches(objective, 4, monkeypatch), strict=True):
        scores = torch.linspace(-1, 1, len(batch.X))
        table = torch.zeros(batch.batch.level.shape)
        table[torch.from_numpy(batch.batch.level >= 0)] = scores
        soft = soft_measure(table, batch.batch, objective.measure, 0.5)
        for either in (fast, batch):
            assert either.backward(scores)[0] == pytest.approx(-float(soft.mean()), abs=1e-6)


def test_queries_of_like_length_share_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = [batch.batch.lengths for batch in padded_batches("softrank:AP", 3, monkeypatch)]
    assert all(len(of) <= 3 for of in lengths)
    assert all(before.max() <= after.min() for before, after in pairwise(lengths))


def test_long_queries_make_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.ltr.rankers.training.PAIRS", 15 * 15)
    assert all(len(batch.X) <= 30 for batch in dataset("softrank:AP", 100).batches)


@pytest.mark.parametrize("most", [1, 30, 64, 10_000])
def test_a_batch_has_so_many_documents_when_padded(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = padded_batches("softrank:AP", 4, monkeypatch, documents=most)
    assert sum(batch.queries for batch in batches) == len(dataset("softrank:AP").features.topics)
    for batch in batches:
        assert batch.batch.level.size <= most or batch.queries == 1


@pytest.mark.parametrize(
    ("grades", "sizes"),
    [([0, 0, 0, 0], [2, 2]), ([1, 1, 2, 2], [2, 2]), ([0, 1, 2], [1, 1, 1])],
    ids=["no relevant document", "one grade a query", "one document a query"],
)
def test_where_no_query_can_be_learnt_from_there_is_an_error(grades: list[int], sizes: list[int]) -> None:
    features = Features.from_arrays(np.eye(len(grades)), grades, sizes=sizes, name="train.txt")
    with pytest.raises(InputError, match=r"train.txt: nothing to learn: no query has documents of different grades"):
        Dataset.of(features, features.levels, Objective.parse("lambdarank:AP"), 4, "cpu", 1)

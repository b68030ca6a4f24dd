"""Graded measures in sentence-transformers: an evaluator for training and for model cards."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.array_checks import read_finite
from gradeval.files.accepted import Judgments, as_qrels
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.scores.evaluation import evaluate
from gradeval.scores.scores import Scores

try:
    from sentence_transformers.evaluation import SentenceEvaluator
except ImportError:
    raise ImportError(
        "gradeval.compat.sentence_transformers needs the package: pip install sentence-transformers",
        name="sentence_transformers",
    ) from None

__all__ = ["GradedEvaluator"]

DEFAULT = "nDCG@10 GAP@100 AP@100 R@100"


class GradedEvaluator(SentenceEvaluator):  # type: ignore[misc]  # untyped base class
    """Retrieves with a model, and scores what it retrieves by any measures.

    Parameters
    ----------
    queries, corpus : the text of each topic and of each document, by their ids.
    qrels : judgments in whatever form ``gradeval.evaluate`` takes.
    measures : the first one is the primary metric, by which the best checkpoint is chosen.
    depth : documents that are retrieved for each topic.
    ci : give 95% intervals, too (``MEASURE_low``, ``MEASURE_high``) where there are some, by ``Scores.ci``.
    name : stands before the names of the metrics.
    batch_size, chunk : texts to encode, and documents to keep and compare, at once.

    Attributes
    ----------
    scores : the ``Scores`` of the last evaluation, with the values of all topics.
    """

    def __init__(
        self,
        queries: Mapping[str, str],
        corpus: Mapping[str, str],
        qrels: Judgments,
        measures: str | Measure | Iterable[str | Measure] = DEFAULT,
        *,
        depth: int = 1000,
        ci: bool = False,
        name: str = "",
        batch_size: int = 32,
        chunk: int = 50_000,
        show_progress_bar: bool = False,
    ) -> None:
        super().__init__()
        self.queries, self.corpus = dict(queries), dict(corpus)
        if not self.queries or not self.corpus:
            raise InputError("GradedEvaluator: queries and corpus are {id: text} and must hold at least one text each")
        self.qrels = as_qrels(qrels)
        if set(self.qrels.topics).isdisjoint(self.queries):
            raise InputError(
                f"GradedEvaluator: no query has judgments: {next(iter(self.queries))!r} there, {self.qrels.topics[:1]} "
                "in the judgments; are the ids alike?"
            )
        self.measures = parse_measures(measures)
        self.depth = arguments.whole("depth", depth, 1)
        self.batch_size, self.chunk = arguments.whole("batch_size", batch_size, 1), arguments.whole("chunk", chunk, 1)
        self.ci = arguments.flag("ci", ci)
        self.name, self.show_progress_bar = name, show_progress_bar
        self.primary_metric = str(self.measures[0])
        self.scores: Scores | None = None

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """The mean of every measure over the topics, as ``{name: value}``; also a row of a csv in ``output_path``."""
        run = self.retrieve(model)
        self.scores = scores = evaluate(self.qrels, run, self.measures)
        names = list(map(str, self.measures))
        metrics = dict(zip(names, scores.mean()[0].tolist(), strict=True))
        if self.ci:
            for measure, (low, high) in zip(names, scores.ci()[0].tolist(), strict=True):
                metrics |= {f"{measure}_low": low, f"{measure}_high": high}
        metrics = dict(self.prefix_name_to_metrics(metrics, self.name))
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        if output_path is not None:
            self._write(output_path, {"epoch": epoch, "steps": steps, **metrics})
        return metrics

    def retrieve(self, model: Any) -> dict[str, dict[str, float]]:
        """``{topic: {document: similarity}}``: the documents nearest to each query, by the similarity of the model."""
        topics, documents = list(self.queries), list(self.corpus)
        queries = self._encode(model, [self.queries[topic] for topic in topics], "encode_query")
        best_scores, best = np.empty((len(topics), 0)), np.empty((len(topics), 0), np.int64)
        for first in range(0, len(documents), self.chunk):
            texts = [self.corpus[document] for document in documents[first : first + self.chunk]]
            similarity = read_finite(
                "similarity", model.similarity(queries, self._encode(model, texts, "encode_document"))
            )
            scores = np.concatenate([best_scores, similarity], axis=1)
            places = np.concatenate([best, np.broadcast_to(first + np.arange(len(texts)), similarity.shape)], axis=1)
            kept = np.argpartition(-scores, min(self.depth, scores.shape[1]) - 1, axis=1)[:, : self.depth]
            best_scores, best = np.take_along_axis(scores, kept, 1), np.take_along_axis(places, kept, 1)
        rows = zip(topics, best.tolist(), best_scores.tolist(), strict=True)
        return {
            topic: {documents[place]: score for place, score in zip(places, scores, strict=True)}
            for topic, places, scores in rows
        }

    def get_config_dict(self) -> dict[str, Any]:
        """What the model card says of the evaluation."""
        return {"measures": " ".join(map(str, self.measures)), "depth": self.depth}

    def _encode(self, model: Any, texts: Sequence[str], role: str) -> Any:
        """The embeddings of texts, with the prompt for queries or documents where the model has one."""
        encode = getattr(model, role, model.encode)
        return encode(
            texts, batch_size=self.batch_size, show_progress_bar=self.show_progress_bar, convert_to_tensor=True
        )

    def _write(self, folder: str, row: Mapping[str, float]) -> None:
        """Add a row, as the other evaluators do."""
        place = os.path.join(folder, f"graded_evaluation{'_' if self.name else ''}{self.name}_results.csv")
        os.makedirs(folder, exist_ok=True)
        new = not os.path.exists(place)
        with open(place, "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(row.keys())
            writer.writerow(row.values())

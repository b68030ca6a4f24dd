"""What people call what gradeval does, for messages that name what they meant."""

from collections.abc import Callable, Container

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
    "t": "student students t-test ttest paired_t paired-t",
    "permutation": "fisher fisher-pitman randomization randomisation",
    "tukey-hsd": "tukey hsd",
    "wilcoxon": "signed-rank wilcoxon-signed-rank",
    "exp-log2": "exp exp2 exponential 2^g-1 2**g-1 2^rel-1 2^r-1 2^grade-1 burges",
    "log2": "linear identity",
    "tree": "lightgbm lgbm xgboost xgb catboost lambdamart gbdt gbm trees",
    "neural": "ranknet mlp dnn nn net",
    "auto": "automl",
}
"""The same of words that a parameter takes."""
OF_STUDIES = {
    "measures": "metric metrics measure eval_metrics",
    "output": "out outfile",
    "topics": "queries",
    "margin": (
        "tolerance tol budget max_loss max_drop allowed_loss threshold min_delta delta epsilon non_inferiority "
        "noninferiority"
    ),
    "alpha": "max_p p_value pvalue significance significance_level sig_level",
    "test": "stat_test statistical_test",
    "samples": "n_permutations permutations n_resamples n_samples num_samples n_bootstrap n_boot",
}
"""The same of parameters of evaluate() and of studies, as ranx, trec_eval and others call them."""
PARAMETERS = {
    "epochs": (
        "trees rounds n_estimators num_boost_round iterations num_iterations num_trees n_trees max_trees num_rounds "
        "max_iter n_iter n_epochs"
    ),
    "patience": (
        "early_stopping early_stop early_stopping_round early_stopping_rounds stopping_rounds od_wait n_iter_no_change"
    ),
    "leaves": "num_leaves max_leaves max_leaf_nodes",
    "learning_rate": "lr eta shrinkage_rate",
    "min_rows": "min_data_in_leaf min_child_samples min_samples_leaf",
    "l2": "lambda_l2 reg_lambda l2_leaf_reg",
    "subsample": "bagging_fraction",
    "categorical": "cat_features categorical_feature categorical_features",
    "threads": "n_jobs num_threads thread_count nthread",
    "device": "gpu use_gpu device_type task_type",
    "seed": "random_state random_seed",
    "valid": "validation vali val dev valid_data valid_sets evals eval_set",
    "validate_by": "metric metrics measure measures eval_metric eval_metrics custom_metric",
    "objective": "loss loss_function obj criterion",
    "truncation": "lambdarank_truncation_level",
    "leave_out": "ignore_column ignored_features exclude_features drop",
    "columns": "label label_column target query qid query_column query_id group_column",
}
"""The same of parameters, as LightGBM, CatBoost, XGBoost and scikit-learn call them."""

SPLIT = "'gradeval crossval' trains on folds of one file; in Python features.split(0.8, 0.2, seed=0) makes parts"
"""How to validate without a second file."""

TIMES = "timeout time_limit time_budget time_out max_time max_runtime"
UNTIMED = "no time bounds a training: bound its trees or epochs by {}"
OF_ENGINES = (
    "feature_fraction colsample_bytree rsm max_bin bagging_freq min_gain_to_split min_split_gain path_smooth "
    "min_child_weight min_sum_hessian_in_leaf monotone_constraints"
)
WITHOUT = (
    ("leaves", "depth max_depth tree_depth", "trees are bounded by their leaves, not by depth: give {}"),
    ("epochs budget", TIMES, f"{UNTIMED}, or of an auto ranker by {{}}"),
    ("epochs", TIMES, UNTIMED),
    ("budget", TIMES, UNTIMED),
    (
        "valid",
        "test test_data test_set test_file",
        "after training, rank the test data: 'gradeval rank MODEL TEST -o RUN', then 'gradeval evaluate TEST RUN' "
        "(LETOR text: letor:TEST)",
    ),
    (
        "train test last",
        "valid validation vali val dev",
        "two parts are made: split the file of --train once more; of queries in Python features.split(0.6, 0.2, 0.2, "
        "seed=0) makes three",
    ),
    ("validate_by", "split test_size valid_size validation_split valid_split holdout", SPLIT),
    ("engine_params", OF_ENGINES, "LightGBM's own parameters go into {}{{NAME: VALUE}}"),
    (
        "ranker",
        OF_ENGINES,
        "LightGBM's own parameters are for Python: TreeRanker(OBJECTIVE, engine_params={{NAME: VALUE}})",
    ),
    ("objective", "label_gain", "give gains with the measure, as nDCG(gains={{1:1,2:3}}) in {}"),
    (
        "leave_out",
        "group groups group_file groups_file query_file",
        "write FILE.query next to FILE, with the number of documents of each query on a line",
    ),
    ("measures", "k cutoff cutoffs k_values top_k at_k", "give it with the measure, as nDCG@10 in {}"),
    ("measures", "rel relevance relevance_level threshold min_rel", "give it with each measure, as AP(rel=2) in {}"),
    ("exclude", "ignore_identical_ids", "leave out documents with the id of their topic by self in {}"),
)
"""What others have and gradeval lacks: parameters that tell where, their names, and what to do instead."""

OBJECTIVES = {
    "lambdarank:nDCG": (
        "rank:ndcg lambdarank lambdamart lambdarank_ndcg rank:pairwise pairwise pairlogit ranknet yetirank "
        "yetirankpairwise stochasticrank rank_ndcg ndcg_loss"
    ),
    "lambdarank:AP": "rank:map lambdarank_map",
    "softrank:nDCG": "softrank",
    "listnet": "listwise softmax rank_xendcg xendcg xe_ndcg querysoftmax listmle",
    "queryrmse": "pointwise regression rmse mse l2 reg:squarederror squared_error",
    "lambdaloss": "ndcgloss2 ndcg_loss2 lambda_loss",
    "approxndcg": "approx_ndcg approxndcgloss",
}
"""By an objective, what LightGBM, XGBoost, CatBoost and papers call one that is the same or near."""

OF_MEASURES = {"dcg": "gain gain_type gains", "gains": "gain gain_map", "cutoff": "k at depth"} | {
    "rel": "relevance threshold level min_rel relevance_level rel_level rel_lvl min_relevance relevance_threshold"
}
"""The same of parameters of measures; where one word names several, the value tells which."""


def meant_by(name: str, known: Container[str]) -> list[str]:
    """The names among the known ones that somebody meant who wrote this one."""
    return [
        here
        for here, words in (SYNONYMS | CHOICES | OF_STUDIES | PARAMETERS | OF_MEASURES).items()
        if name.lower() in words.split() and here in known
    ]


def instead_of(name: str, known: Container[str], spell: Callable[[str], str]) -> str:
    """What to do where others have a parameter of this name that gradeval lacks; nothing for other names.

    ``spell``: how to write a parameter that there is."""
    lacking = ((here.split(), how) for here, words, how in WITHOUT if name in words.split())
    return next((how.format(*map(spell, here)) for here, how in lacking if all(one in known for one in here)), "")

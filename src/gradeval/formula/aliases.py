"""Names of measures in other tools (trec_eval, ir_measures, ranx, MTEB ...), each with its spelling in gradeval."""

from __future__ import annotations

import re
from collections.abc import Callable

ALIASES = {
    "map": "AP",
    "gm_map": "gmAP",
    "mrr": "RR",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_rel": "nDCGrel",
    "ndcg_exp": "nDCG(dcg='exp-log2')",
    "ndcg_burges": "nDCG(dcg='exp-log2')",
    "dcg_burges": "DCG(dcg='exp-log2')",
    "Rndcg": "RnDCG",
    "bpref": "Bpref",
    "gm_bpref": "gmBpref",
    "precision": "P",
    "recall": "R",
    "recall_cap": "RelP",
    "R_cap": "RelP",
    "r-precision": "Rprec",
    "hit_rate": "Success",
    "HitRate": "Success",
    "hit_ratio": "Success",
    "HitRatio": "Success",
    "hit": "Success",
    "hr": "Success",
    "f1": "SetF",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_relative_P": "SetRelP",
    "set_F": "SetF",
    "set_map": "SetAP",
    "utility": "Utility",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonRelRet",
    "11pt_avg": "IPrec11(mode='trec9')",
}
"""Names without a cutoff, in any case; trec_eval's eleven points count relevant documents as trec_eval does."""

CUT_ALIASES = {
    "map_cut": "AP@{}",
    "ndcg_cut": "nDCG@{}",
    "P": "P@{}",
    "recall": "R@{}",
    "relative_P": "RelP@{}",
    "success": "Success@{}",
    "iprec_at_recall": "IPrec(mode='trec9')@{}",
    "Rprec_mult": "Rprec(multiple={})",
}
"""trec_eval's names with a cutoff behind an underscore or a dot: ndcg_cut_10, ndcg_cut.10."""

BEHIND_AT = {"f1": "F", "accuracy": "Success"}
"""Names of ranx and sentence-transformers that mean another measure where @ follows."""

AT = re.compile(r"(?P<name>\w+)_at_(?P<cutoff>\d+)", re.IGNORECASE)
"""A name with a cutoff as MTEB and others write it: ndcg_at_10 is ndcg@10."""

BY_SWITCH = {("SetP", "relative"): "SetRelP"}
"""Measures that ir_measures spells by a parameter that is True: SetP(relative=True)."""

BY_SUBTOPIC = "a measure of diversity, which needs judgments by subtopic", "ndeval, or ir_measures with pyndeval"
ELSEWHERE = {
    **dict.fromkeys(
        "alpha_nDCG alpha_DCG ERR_IA nERR_IA NRBP nNRBP AP_IA MAP_IA P_IA StRecall strec".split(), BY_SUBTOPIC
    ),
    **dict.fromkeys(
        "RPP lexiprecision lexirecall".split(),
        ("a preference between two runs, not a value of one", "the command gradeval preferences"),
    ),
    **dict.fromkeys(
        "infNDCG xinfAP statAP".split(),
        ("an estimate from a sample of judgments in strata, and judgments here have no strata", "sample_eval of TREC"),
    ),
    "ADM": ("the distance of scores from grades, for which the ranking does not suffice", "the command gradeval adm"),
    "hole": (
        "the share of the first k documents that are judged for no topic at all (not for this topic: Unjudged@k)",
        "BEIR",
    ),
    "Accuracy": (
        "the share of pairs in the right order (accuracy@k of sentence-transformers is Success@k)",
        "ir_measures",
    ),
    **dict.fromkeys(
        "CTR click_through_rate".split(),
        (
            "a rate of what users did with a system, and judgments tell what they would find",
            "an experimentation platform (docs/coming-from/not-here.md)",
        ),
    ),
    **dict.fromkeys(
        "coverage item_coverage catalog_coverage user_coverage personalization Gini gini_index entropy "
        "shannon_entropy".split(),
        (
            "a measure of all lists together, which needs no judgments",
            "RecTools, LensKit, Elliot or recmetrics (docs/coming-from/not-here.md)",
        ),
    ),
    **dict.fromkeys(
        "novelty popularity average_popularity avg_pop ARP EPC EFD tail_percentage".split(),
        (
            "a measure of popularity, which needs how often the training data has each item",
            "RecTools, Recommenders or Elliot (docs/coming-from/not-here.md)",
        ),
    ),
    **dict.fromkeys(
        "diversity ILD intra_list_diversity ILS intra_list_similarity".split(),
        (
            "a measure of how alike the items of a list are, which needs their features",
            "RecTools, Recommenders or LensKit (docs/coming-from/not-here.md)",
        ),
    ),
    **dict.fromkeys(
        "serendipity unexpectedness".split(),
        (
            "a measure of surprise, which needs what each user took before",
            "RecTools, Recommenders or RePlay (docs/coming-from/not-here.md)",
        ),
    ),
    **dict.fromkeys(
        "PSP PSnDCG".split(),
        (
            "a measure that weights relevant items by how rare they are, which needs counts of the training data",
            "pyxclib (docs/coming-from/not-here.md)",
        ),
    ),
    **dict.fromkeys(
        "RMSE MAE".split(),
        (
            "the distance of predicted ratings from given ones, for which the ranking does not suffice",
            "scikit-learn (docs/coming-from/not-here.md)",
        ),
    ),
}
"""Measures that are not offered here, in any case, with or without underscores: what each is, and who has it."""

NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
DOTTED = re.compile(r"(?P<stem>[A-Za-z_]\w*)\.(?P<values>[^()\[\]{}@\s]+)")


def is_number(text: str) -> bool:
    """Is it a decimal number?"""
    return re.fullmatch(NUMBER, text) is not None


def translate(name: str, *, at: bool = False) -> str | None:
    """Our spelling of another tool's name, with ``at`` where @ follows it; None if no tool has it."""
    folded = name.casefold()
    if at and folded in BEHIND_AT and name not in ELSEWHERE:
        return BEHIND_AT[folded]
    if folded in _WHOLE:
        return _WHOLE[folded]
    stem, _, value = name.rpartition("_")
    if stem.casefold() in _CUT and is_number(value):
        return _CUT[stem.casefold()].format(value)
    dotted = DOTTED.fullmatch(name)
    return _with_values(dotted["stem"].casefold(), dotted["values"].split(",")) if dotted else None


def explain_elsewhere(name: str) -> str | None:
    """What a measure that is not offered here is, and who has it; None for any other name."""
    known = _ELSEWHERE.get(_squeeze(name.replace("α", "alpha")))
    return known and f"{name!r} is not offered: it is {known[0]}; {known[1]} has it"


def _squeeze(name: str) -> str:
    """A name without what tells GiniIndex from gini_index and gini-index."""
    return re.sub("[-_]", "", name).casefold()


def split_cutoffs(name: str) -> list[str]:
    """A name of trec_eval with several cutoffs as one name for each: ndcg_cut.5,10 is ndcg_cut.5 and ndcg_cut.10."""
    dotted = DOTTED.fullmatch(name)
    if dotted is None or dotted["stem"].casefold() not in _CUT:
        return [name]
    return [f"{dotted['stem']}.{value}" for value in dotted["values"].split(",")]


def continues_name(name: str, value: str) -> bool:
    """Does a number behind a comma belong to the name before it, as in ndcg_cut.5,10 and utility.1,-1,0,0?"""
    numbers = value.split("=")
    return DOTTED.fullmatch(name) is not None and len(numbers) <= 2 and all(map(is_number, numbers))


def _with_values(stem: str, values: list[str]) -> str | None:
    if stem in _CUT:
        return _CUT[stem].format(values[0]) if len(values) == 1 and is_number(values[0]) else None
    reader = _PARAMETERS.get(stem)
    return reader(stem, values) if reader else None


def _gains(stem: str, values: list[str]) -> str | None:
    """ndcg.1=3,2=9: the gains of grades."""
    pairs = [value.split("=") for value in values]
    if not all(len(pair) == 2 and all(map(is_number, pair)) for pair in pairs):
        return None
    gains = ",".join(f"{grade}:{gain}" for grade, gain in pairs)
    return f"{_WHOLE.get(stem, 'G')}(gains={{{gains}}})"


def _weight(stem: str, values: list[str]) -> str | None:
    """set_F.0.5: the weight of precision."""
    return f"{_WHOLE[stem]}(beta={values[0]})" if len(values) == 1 and is_number(values[0]) else None


def _weights(stem: str, values: list[str]) -> str | None:
    """utility.1,-1,0,0: the weights of the four kinds of documents."""
    if len(values) != 4 or not all(map(is_number, values)):
        return None
    return f"{_WHOLE[stem]}({','.join(f'p{place}={value}' for place, value in enumerate(values, 1))})"


def _persistence(_: str, values: list[str]) -> str | None:
    """rbp.95: the decimals of p; binary, as ranx describes it."""
    return f"RBP(p=0.{values[0]},rel=1)" if len(values) == 1 and re.fullmatch(r"[0-9]+", values[0]) else None


_WHOLE = {name.casefold(): spelling for name, spelling in ALIASES.items()}
_ELSEWHERE = {_squeeze(name): known for name, known in ELSEWHERE.items()}
_CUT = {name.casefold(): spelling for name, spelling in CUT_ALIASES.items()}
_PARAMETERS: dict[str, Callable[[str, list[str]], str | None]] = {
    "ndcg": _gains,
    "g": _gains,
    "rndcg": _gains,
    "ndcg_rel": _gains,
    "set_f": _weight,
    "utility": _weights,
    "rbp": _persistence,
}
"""The readers of the values behind the dot in names without a cutoff."""

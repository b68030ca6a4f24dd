"""The methods that make a measure a loss, and the baselines. A new method is registered here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

OWN = "gradeval.ltr.objectives"
EXPONENTIAL_GAINS = "nDCG(dcg='exp-log2')"  # gain 2^grade - 1, as in the papers of the baselines
NO_CURVATURE = "its second derivatives by the scores are of either sign, and trees need them positive"


@dataclass(frozen=True)
class Method:
    """How an objective is trained for.

    Attributes
    ----------
    module : where its loss is: ``prepare(objective, batch, like)`` there gives the loss by query, float[query], and
        ``prepare_rows(objective, queries)`` the same by the compiled core, or None.
    parameters : the parameters of Objective that it takes.
    sigma : the default of sigma.
    measure : the only measure that it is for, which is not spelled then; None: any, spelled METHOD:MEASURE.
    approaches : whether minus the loss approaches the measure, and is what the learning curve shows.
    mu : of a loss over pairs of documents, the parameter of LambdaObjective; None for a loss of another kind.
    trees : the module whose ``boost(objective, levels, norm, threads)`` has ``gradients`` as LambdaObjective; or None.
    no_trees : why there is none.
    """

    module: str
    parameters: tuple[str, ...] = ("sigma",)
    sigma: float = 1.0
    measure: str | None = None
    approaches: bool = False
    mu: float | None = None
    trees: str | None = None
    no_trees: str = ""


METHODS = {
    "lambdarank": Method(f"{OWN}.lambdarank", ("sigma", "truncation"), mu=0.0, trees=f"{OWN}.boosting"),
    "softrank": Method(f"{OWN}.softrank", ("sigma", "estimator"), approaches=True, no_trees=NO_CURVATURE),
    "listnet": Method(f"{OWN}.listnet", (), measure=EXPONENTIAL_GAINS, trees=f"{OWN}.listnet_trees"),
    "approxndcg": Method(
        f"{OWN}.approxndcg", sigma=10.0, measure=EXPONENTIAL_GAINS, approaches=True, no_trees=NO_CURVATURE
    ),
    "lambdaloss": Method(f"{OWN}.lambdaloss", measure=EXPONENTIAL_GAINS, mu=10.0, trees=f"{OWN}.boosting"),
}
"""Every method by its name."""

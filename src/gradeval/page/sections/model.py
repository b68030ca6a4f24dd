"""What does a trained ranker look at? The importance of its features."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from gradeval.page.section import Material, Section, Titled
from gradeval.scores.notes import plural

if TYPE_CHECKING:
    from gradeval.ltr.importance import Importance

HEADING = "What does the model look at?"
MEANINGS = {
    "gain": "gain: by how much the splits by the feature lower the loss, in all",
    "change": "change: by how much the splits by the feature change scores, as a share of 100",
    "split": "split: the number of splits by the feature",
    "weight": "weight: of the feature in the score, on the ranker's scale of the features",
    "slope": "slope: the largest that the score can have in the feature, on the ranker's scale of the features",
}
"""What each kind of importance is that a model has by itself."""


def model(material: Material) -> Section | None:
    """The features of a ranker by their importance; None where no ranker was given."""
    if material.importance is None:
        return None
    importance = replace(material.importance, data=_without_folders(material.importance.data))
    measured = importance.drops is not None
    redo = ["gradeval explain MODEL"]
    if measured:
        settings = ["--by", str(importance.measure), "--samples", str(importance.samples)]
        redo = [shlex.join([*redo[0].split(), "--features", "FEATURES", *settings, "--seed", str(importance.seed)])]
    return Section(
        "model",
        HEADING,
        _by_measure(importance) if measured else _by_itself(importance),
        _describe_importance(importance),
        tables=[Titled("Features by importance", importance.table())],
        redo=redo,
    )


def _without_folders(data: str | None) -> str | None:
    """The name of the data without the folders of this machine; those of several files stand with " + " between."""
    return None if data is None else " + ".join(os.path.basename(name) for name in data.split(" + "))


def _by_measure(importance: Importance) -> str:
    """What the measure loses most by, in a sentence."""
    assert importance.drops is not None
    assert importance.value is not None
    lost = importance.drops.mean(0)
    first = importance.order[0]
    start = f"{importance.measure} of the {importance.ranker} ranker is {importance.value:.4f} on {importance.data}"
    if lost[first] <= 0:
        return f"{start}, and is no lower when the values of any one feature are exchanged."
    costly, number = int((lost > 0).sum()), len(lost)
    others = f"it falls for {costly} of the {plural(number, 'feature')}, most" if number > 1 else "it falls"
    return (
        f"{start}. When the values of one feature are exchanged, {others} for feature {importance.columns[first]}, by "
        f"{lost[first]:.4f}."
    )


def _by_itself(importance: Importance) -> str:
    """The feature that is the most important to the model itself, in a sentence."""
    kind, values = next(iter(importance.by_model.items()))
    first = importance.order[0]
    return (
        f"The {importance.ranker} ranker uses {int((values != 0).sum())} of {plural(len(values), 'feature')}; the most "
        f"important by {kind} is feature {importance.columns[first]}, with {values[first]:.4g}."
    )


def _describe_importance(importance: Importance) -> list[str]:
    details = [f"The {importance.ranker} ranker was trained for {importance.objective}."]
    if importance.drops is not None:
        details.append(
            "Lost (Breiman 2001): by how much the mean over queries falls when the values of the feature are exchanged "
            f"at random among the documents of each query, on average over {plural(importance.samples, 'draw')} with "
            f"their standard deviation (seed {importance.seed}). Values are expected over the orders of equal scores; "
            "a query without relevant documents counts 0."
        )
        details.append("Where two features say the same, each alone costs little, as the ranker still has the other.")
    else:
        details.append("What a measure loses without a feature is seen on documents with grades: give features, too.")
    meanings = [MEANINGS[kind] for kind in importance.by_model]
    if importance.contribution is not None:
        meanings.append("mean |SHAP|: how much the feature moves the score of a document, up or down, on average")
    if meanings:
        details.append(f"{'; '.join(meanings)}.")
    if importance.seen:
        details.append("The ranker was trained on these very documents: what it learnt by heart counts, too.")
    return details

"""What does a trained ranker look at? The importance of its features."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from gradeval.messages import plural
from gradeval.page.section import Material, Section, Titled

if TYPE_CHECKING:
    from gradeval.ltr.importance import Importance

HEADING = "What does the model look at?"
MEANINGS = {
    "gain": "gain: how much all splits by the feature together lower the loss",
    "change": "change: how much the splits by the feature change scores; all features together make 100",
    "split": "split: the number of splits by the feature",
    "weight": "weight: what the score gains when the feature rises by 1 on the ranker's scale",
    "slope": "slope: the most the score can change when the feature rises by 1 on the ranker's scale",
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
    """The name of the data without the folders of this machine; several files stand with " + " between."""
    return None if data is None else " + ".join(os.path.basename(name) for name in data.split(" + "))


def _by_measure(importance: Importance) -> str:
    """What the measure loses most by, in a sentence."""
    assert importance.drops is not None
    assert importance.value is not None
    lost = importance.drops.mean(0)
    first = importance.order[0]
    start = f"{importance.measure} of the {importance.ranker} ranker is {importance.value:.4f} on {importance.data}"
    if lost[first] <= 0:
        return f"{start}. Shuffling the values of any one feature does not lower it."
    costly, number = int((lost > 0).sum()), len(lost)
    feature, by = importance.columns[first], f"by {lost[first]:.4f}"
    if number == 1:
        return f"{start}. Shuffling the values of feature {feature} lowers it {by}."
    lowered = f"Shuffling the values of one feature lowers it for {costly} of the {number} features"
    return f"{start}. {lowered}, most for feature {feature}, {by}."


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
            "Lost (Breiman 2001): how much the mean falls when the feature's values are shuffled within each query. "
            f"It is the average over {plural(importance.samples, 'shuffle')} with the standard deviation (seed "
            f"{importance.seed}). Where scores are tied, values are averaged over all orders. "
            "A query without relevant documents counts 0."
        )
        details.append("If two features say the same, shuffling one costs little, as the ranker still has the other.")
    else:
        details.append("Give documents with features and grades, too, to see what a measure loses without a feature.")
    meanings = [MEANINGS[kind] for kind in importance.by_model]
    if importance.contribution is not None:
        meanings.append("mean |SHAP|: how much the feature moves a document's score on average, up or down")
    if meanings:
        details.append(f"{'; '.join(meanings)}.")
    if importance.seen:
        details.append("The ranker was trained on these documents, so the numbers also show what it learnt by heart.")
    return details

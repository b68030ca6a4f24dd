"""The part of ``gradeval explain`` that explains a trained ranker: what it looks at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradeval._core import InputError
from gradeval.cli.options.options import refuse_unused
from gradeval.cli.options.outcome import Output
from gradeval.cli.options.ranker_options import join_features, match_features, read_feature_files
from gradeval.cli.screen.notices import tell
from gradeval.cli.screen.progress import show_progress
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.rankers.engines import require_engine

if TYPE_CHECKING:
    from gradeval.features.features import Features
    from gradeval.ltr.importance import Importance

ONLY_OF_MODELS = ("features", "by", "samples", "form", "output", "digits")


def names_model(place: str) -> bool:
    """Whether a place is the folder of a model, told by a card in it, which may be damaged."""
    from gradeval.ltr.saving.card import CARD

    return os.path.isfile(os.path.join(place, CARD))


def explain_model(model: str, files: Sequence[str], by: str | None, samples: int, seed: int, output: Output) -> None:
    """Print the importance of each feature of a model, with data also by what a measure loses without it."""
    if not files:
        refuse_unused(["by", "samples"], "needs data to measure on, and there are none without --features FILE")
    measure = None if by is None else parse_measure(by)
    with output.open() as write, show_progress("permuting", "features") as bar:
        explained = importance_of(model, files, measure, samples=samples, seed=seed, progress=bar)
        table = explained.table(output.digits)
        tell(table.notes)
        write(table, lambda: None)


def importance_of(model: str, files: Sequence[str], measure: Measure | None, **options: Any) -> Importance:
    """The importance of each feature of a model in a folder, with files of features also by a measure."""
    with require_engine(f"explaining {model}"):
        from gradeval.ltr.importance import feature_importance
        from gradeval.ltr.rankers.ranker import load_ranker

        ranker = load_ranker(model)
        features: Features | None = None
        if files:
            features = join_features([match_features(part, ranker) for part in read_feature_files(files)])
        return feature_importance(ranker, features, measure if files else None, **options)


def files_of(model: str) -> list[str]:
    """The files in the folder of a model."""
    try:
        return [os.path.join(model, name) for name in sorted(os.listdir(model))]
    except OSError as error:
        why = f"cannot be read ({error.strerror}); a model is a folder that 'gradeval train' wrote"
        raise InputError(f"{model}: {why}") from None

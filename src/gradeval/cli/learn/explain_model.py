"""The part of ``gradeval explain`` that explains a trained ranker: what it looks at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gradeval.cli.options.options import refuse_unused
from gradeval.cli.options.outcome import Output
from gradeval.cli.options.ranker_options import read_feature_files, widened
from gradeval.cli.screen.notices import tell
from gradeval.formula.spelling import parse_measure
from gradeval.ltr.rankers.engines import require_engine

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
    with require_engine(f"explaining {model}"):
        from gradeval.ltr.forests.categories import code_categories
        from gradeval.ltr.importance import feature_importance
        from gradeval.ltr.rankers.ranker import load_ranker

        ranker = load_ranker(model)
        features: Any = None
        if files:
            card = ranker.require_trained()
            read = [widened(part, card.columns) for part in read_feature_files(files)]
            parts = [code_categories(part, card.categories) for part in read]
            features = parts[0] if len(parts) == 1 else parts[0].concat(parts)
        with output.open() as write:
            explained = feature_importance(ranker, features, measure, samples=samples, seed=seed)
            table = explained.table(output.digits)
            tell(table.notes)
            write(table, lambda: None)

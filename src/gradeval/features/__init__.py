"""Features for learning to rank: what they are, folds over them, scales for them."""

from gradeval.features.folds import Fold, rotate
from gradeval.features.scaling import Scaler
from gradeval.features.table import Features

__all__ = ["Features", "Fold", "Scaler", "rotate"]

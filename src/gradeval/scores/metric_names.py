"""Names of measures as trackers of experiments take them: MLflow, Weights & Biases, TensorBoard."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

from gradeval.formula.definition import Measure

ENDS = ("low", "high")
"""What follows the name of a measure in the names of the ends of its interval."""

WORDS = ((r"@", " at "), (r"(?<![\w.])-(?=[\d.])", " minus "), (r"(?<=\d)\.(?=\d)", "p"))
"""What stands for a sign that no name may hold: nDCG_at_10, p2_minus_1, rel_0p5."""

LONGEST = 200
"""Letters of a name, with room below the 250 that MLflow takes for the names of ends."""


def name_metrics(measures: Sequence[Measure]) -> list[str]:
    """Names of A-Z, a-z, 0-9 and _ only, which begin with a letter, no two alike, in whatever case.

    A name is read off the spelling of its measure, so that it does not depend on the others. Where two measures would
    share it, or it would be too long, eight digits of the spelling's SHA-256 follow.
    """
    names = [_plain(str(measure)) for measure in measures]
    stems = [re.sub(rf"(_({'|'.join(ENDS)}))+$", "", name.casefold()) for name in names]
    shared = Counter(stems)
    return [
        _marked(name, str(measure)) if shared[stem] > 1 or len(name) > LONGEST else name
        for name, stem, measure in zip(names, stems, measures, strict=True)
    ]


def _plain(spelling: str) -> str:
    for sign, word in WORDS:
        spelling = re.sub(sign, word, spelling)
    name = re.sub(r"[^A-Za-z0-9]+", "_", spelling).strip("_")
    return name if re.match(r"[A-Za-z]", name) else f"measure_{name}".rstrip("_")


def _marked(name: str, spelling: str) -> str:
    digest = hashlib.sha256(spelling.encode(errors="surrogatepass")).hexdigest()
    return f"{name[:LONGEST]}_{digest[:8]}"

"""How to compute the page again, and what to cite."""

from __future__ import annotations

import platform
from importlib.metadata import version

import numpy as np

from gradeval.formula.definition import Measure
from gradeval.formula.levels import show_levels
from gradeval.formula.parameters import write
from gradeval.page.citations import citations, sources
from gradeval.page.section import Material, Section
from gradeval.version import __version__

BY_DEFAULT = {"g": "uniform", "gains": "the grades"}
"""What a parameter stands for that is None."""


def redo(material: Material) -> Section:
    """The command, versions, inputs with their digests, and citations."""
    overview = material.overview
    scores = overview.scores
    settings = [
        f"measures: {' '.join(map(str, scores.measures))}",
        *(f"  {measure}: {said}" for measure in scores.measures if (said := _parameters(measure))),
        *(
            []
            if scores.levels is None
            else [f"levels of the collection: {show_levels(scores.levels)}{material.after_regrading}"]
        ),
        f"runs: {len(scores.runs)}; topics: {len(scores.topics)}",
        f"missing topics: {scores.missing}; empty topics: {scores.empty}; ties: {material.ties}",
        f"seed: {overview.seed}",
    ]
    versions = [
        f"gradeval {__version__}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy {version('scipy')}"
    ]
    texts = [("Command", material.origin.command)] if material.origin else []
    texts += [("Settings", "\n".join(settings)), ("Versions", "\n".join(versions))]
    if material.digests:
        lines = [f"{digest}  {place}" for place, digest in material.digests.items()]
        texts.append(("SHA-256 of the inputs", "\n".join(lines)))
    texts.append(("Sources of the measures", sources(scores.measures)))
    if cited := citations(overview):
        texts.append(("BibTeX of measures and studies", cited))
    return Section(
        "redo",
        "How do I compute this again?",
        "The same files, options and seed give this page again, byte for byte."
        if material.origin
        else "The same inputs, options and seed give this page again.",
        texts=texts,
    )


def _parameters(measure: Measure) -> str:
    """The parameters of a measure with their values, given or not; what @ binds stands in its name."""
    values = {name: value for name, value in measure.parameters.items() if name != measure.definition.at}
    return ", ".join(
        f"{name}={BY_DEFAULT.get(name, 'none') if value is None else write(value)}" for name, value in values.items()
    )

"""How to compute the page again, and what to cite."""

from __future__ import annotations

import platform
from importlib.metadata import version

import numpy as np

from gradeval.page.citations import citations, sources
from gradeval.page.section import Material, Section
from gradeval.version import __version__


def redo(material: Material) -> Section:
    """The command, versions, inputs with their digests, and citations."""
    overview = material.overview
    scores = overview.scores
    settings = [
        f"measures: {' '.join(map(str, scores.measures))}",
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

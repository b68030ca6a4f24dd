"""Can the grades of a judge stand for the humans' grades?"""

from __future__ import annotations

import os
from dataclasses import replace

from gradeval.page.page_notes import choose_warnings
from gradeval.page.section import Material, Section, Titled

HEADING = "Can a judge stand for the humans?"


def judges(material: Material) -> Section | None:
    """Judges compared with the humans of the report; None where none was given."""
    if material.judges is None:
        return None
    comparison = replace(material.judges, human=os.path.basename(material.judges.human))
    measures = " ".join(map(str, comparison.measures))
    warned = [note for note in comparison.notes if note.category is not None]
    known = choose_warnings(material.notes, material.places)  # which stand under the first answer
    judging = [] if material.origin is None else material.origin.judging
    return Section(
        "judges",
        HEADING,
        " ".join(f"{sentence}." for sentence in comparison.in_short),
        [*comparison.answers, *(text for text in choose_warnings(warned, material.places) if text not in known)],
        tables=[Titled("Judges compared with the humans", comparison.table())],
        meaning=[
            *(f"{verdict}." for verdict in comparison.verdicts),
            f"{comparison.description}. To see which runs a judge favours, repeat the command without --draws 0 "
            "(slower).",
        ],
        redo=[material.redo("judges", "--judge", "JUDGE", "-m", measures, "--draws", "0", *judging)],
    )

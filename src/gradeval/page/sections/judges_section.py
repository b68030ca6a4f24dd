"""Can the grades of a judge stand for the humans' grades?"""

from __future__ import annotations

import os
from dataclasses import replace

from gradeval.page.section import Material, Section, Titled
from gradeval.warning_categories import GradesWarning

HEADING = "Can a judge stand for the humans?"


def judges(material: Material) -> Section | None:
    """Judges compared with the humans of the report; None where none was given."""
    if material.judges is None:
        return None
    found = replace(material.judges, human=os.path.basename(material.judges.human))
    measures = " ".join(map(str, found.measures))
    return Section(
        "judges",
        HEADING,
        " ".join(f"{verdict}." for verdict in found.verdicts),
        [
            *found.answers,
            *(f"{note}." for note in found.notes if note.category not in (None, GradesWarning)),  # which the page notes
            f"{found.description}. To see which runs a judge favours, repeat the command without --draws 0 (slower).",
        ],
        tables=[Titled("Judges compared with the humans", found.table())],
        redo=[material.redo("judges", "--judge", "JUDGE", "-m", measures, "--draws", "0")],
    )

"""The sections of a report, in their order."""

from __future__ import annotations

from collections.abc import Callable

from gradeval.display.page.section import Section
from gradeval.display.report.material import Material
from gradeval.display.report.sections.answer import answer
from gradeval.display.report.sections.collection import collection
from gradeval.display.report.sections.leaderboard import leaderboard
from gradeval.display.report.sections.measures import measures
from gradeval.display.report.sections.model import model
from gradeval.display.report.sections.rankings import rankings
from gradeval.display.report.sections.redo import redo
from gradeval.display.report.sections.topics import topics
from gradeval.display.report.sections.users import users

SECTIONS: tuple[Callable[[Material], Section | str | None], ...] = (
    answer,
    leaderboard,
    users,
    measures,
    topics,
    rankings,
    model,
    collection,
    redo,
)
"""What makes each section, or says why there is none; None where it was not asked for."""

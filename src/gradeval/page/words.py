"""The words of the page that no section computes: labels, buttons, heads of tables, and what the scripts say.

In those of the scripts the names in braces stand for values.
"""

from __future__ import annotations

PAGE = {
    "questions": "Questions",
    "no scripts": "Scripts are switched off here: pictures are still ones, tables are not sorted, and there are no "
    "sliders.",
    "numbers": "The numbers of this picture",
    "redo": "Redo",
    "table": "table",
    "footer": "This page holds all its numbers and asks no server for anything.",
    # For which users?
    "measure": "Measure",
    "reset": "Default setting",
    "copy setting": "Copy as a command",
    "board": "Runs as set",
    "rank": "rank",
    "run": "run",
    "mean": "mean",
    "rank by default": "rank by default",
    # On which topics?
    "runs by": "Runs by",
    "topics by": "Topics by",
    "name": "name",
    "order of the file": "order of the file",
    "cells": "Values by run and topic: move with the arrow keys",
    "point": "Point at a cell to read it.",
    "choose run": "Run",
    "against": "against",
    "and by": "and by",
    "differences": "Differences by topic",
    "topic": "topic",
    "first": "first",
    "second": "second",
    "difference": "difference",
    "by the other": "by the other measure",
    # Two rankings
    "choose topic": "Topic",
    "first ranking": "First ranking",
    "second ranking": "Second ranking",
}
"""What the template says."""

SCRIPTS = {
    "save": "Save this chart",
    "no chart": "This chart cannot be drawn: {error}",
    "copied": "Copied",
    "copy as": "Copy as {format}",
    "filter": "Filter",
    "filtered": "{number} of {all}",
    "share of grade": "users who want grade {grade} or better",
    "gain of grade": "worth of a document of grade {grade}",
    "leader": "{run} leads with {mean}",
    "tau": "order of the runs beside that of the default setting: tau {tau} (1: the same)",
    "map": "Which run leads: {runs}",
    "stretch": "{run} leads where {low} to {high} of the users want grade {grade}",
    "point": "{run} at {shares}",
    "all users": "all want grade {grade}",
    "no measure": "{spelling}: this page computes {measures}",
    "no parameter": "{spelling}: takes {parameter}",
    "no shares": "g=[{setting}]: give {number} shares that sum to 1",
    "no gains": "gains=[{setting}]: give {number} gains that do not descend",
    "cell": "{run}, topic {topic}: {value}",
    "pair": "{first} minus {second}, mean {measure}: {gap}; topics where it is better: {better}, worse: {worse}",
    "tested": "p value {p}, corrected for all pairs {corrected} ({test})",
    "opposite": "topics where {other} says the opposite: {opposite}",
    "unjudged": "unjudged",
    "grade": "grade {grade}",
    "there": " there {rank}",
    "not there": " not there",
}
"""What the scripts say, ``say`` in scripts/elements.js."""

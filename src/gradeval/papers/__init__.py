"""Tables and figures of five texts, for one's own files: users and virtual users, gains, swaps, inferred curves."""

from gradeval.papers.registry import find as find
from gradeval.papers.registry import items as items
from gradeval.papers.registry import run as run

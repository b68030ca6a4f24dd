"""Tables, figures and claims of five texts, for one's own files: users, gains, swaps, inferred curves."""

from gradeval.papers.claims_register import claims as claims
from gradeval.papers.registry import find as find
from gradeval.papers.registry import items as items
from gradeval.papers.registry import run as run

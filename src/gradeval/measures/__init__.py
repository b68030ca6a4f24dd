"""The measures, one family a file. Adding one: a decorated function in its family's file, and a line here."""

from gradeval.measures.ap import AP, gmAP, muAP
from gradeval.measures.gap import GAP, eGAP, xGAP

__all__ = ["AP", "GAP", "eGAP", "gmAP", "muAP", "xGAP"]

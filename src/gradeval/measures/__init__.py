"""The measures, one family a file. Adding one: a decorated function in its family's file, and a line here."""

from gradeval.measures.ap import AP, gmAP, muAP
from gradeval.measures.blended import AWP, BR, RWP, SR, Q, RMeasure
from gradeval.measures.counts import NumQ, NumRel, NumRelRet, NumRet
from gradeval.measures.curves import (
    Curve,
    expected_precision,
    graded_precision,
    graded_precision_recall_curve,
    graded_recall,
    interpolated_curve,
    precision_recall_curve,
)
from gradeval.measures.err import ERR, nERR
from gradeval.measures.gain import CG, DCG, NDCNG, MeannDCG, gP, gR, nDCG
from gradeval.measures.gap import GAP, eGAP, xGAP
from gradeval.measures.incomplete import Bpref, Judged, infAP
from gradeval.measures.precision import RR, IPrec, IPrec11, P, R, Rprec, Success
from gradeval.measures.rbp import RBP, RBPresidual
from gradeval.measures.sets import SetAP, SetF, SetP, SetR
from gradeval.measures.utility import SCU

__all__ = [
    "AP",
    "AWP",
    "BR",
    "CG",
    "DCG",
    "ERR",
    "GAP",
    "NDCNG",
    "RBP",
    "RR",
    "RWP",
    "SCU",
    "SR",
    "Bpref",
    "Curve",
    "IPrec",
    "IPrec11",
    "Judged",
    "MeannDCG",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "R",
    "RBPresidual",
    "RMeasure",
    "Rprec",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "Success",
    "eGAP",
    "expected_precision",
    "gP",
    "gR",
    "gmAP",
    "graded_precision",
    "graded_precision_recall_curve",
    "graded_recall",
    "infAP",
    "interpolated_curve",
    "muAP",
    "nDCG",
    "nERR",
    "precision_recall_curve",
    "xGAP",
]

"""The measures, one family a file; ``__init__.py`` says which holds what: nDCG is in ``gain.py``, Q in ``blended.py``.

To add one, write a decorated function in its family's file and a line here.
"""

from gradeval.measures.adaptive import BPM, INST, NERR8, NERR9, NERR10, NERR11
from gradeval.measures.ap import AP, YAAP, gmAP, muAP
from gradeval.measures.blended import AWP, BR, RWP, SR, Q, RMeasure
from gradeval.measures.compatibility import Compat
from gradeval.measures.counts import NumNonRelRet, NumQ, NumRel, NumRelRet, NumRet
from gradeval.measures.curves import (
    Curve,
    expected_precision,
    expected_precision_curve,
    graded_precision,
    graded_precision_recall_curve,
    graded_recall,
    interpolated_curve,
    interpolated_graded_curve,
    precision_recall_curve,
)
from gradeval.measures.err import ERR, nERR
from gradeval.measures.gain import CG, DCG, NDCNG, gP, gR, nDCG
from gradeval.measures.gap import GAP, eGAP, xGAP
from gradeval.measures.incomplete import Bpref, Judged, Unjudged, gmBpref, infAP
from gradeval.measures.meangain import MeannDCG, MeanNDCNG, RnDCG, nDCGrel
from gradeval.measures.missed import G, binG
from gradeval.measures.precision import RR, F, Hits, IPrec, IPrec11, P, R, RelP, Rprec, Success
from gradeval.measures.rates import INSQ, SDCG
from gradeval.measures.rbp import RBP, RBPresidual
from gradeval.measures.roc import AUC
from gradeval.measures.sets import SetAP, SetF, SetP, SetR, SetRelP
from gradeval.measures.utility import SCU, Utility

__all__ = [
    "AP",
    "AUC",
    "AWP",
    "BPM",
    "BR",
    "CG",
    "DCG",
    "ERR",
    "GAP",
    "INSQ",
    "INST",
    "NDCNG",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "RBP",
    "RR",
    "RWP",
    "SCU",
    "SDCG",
    "SR",
    "YAAP",
    "Bpref",
    "Compat",
    "Curve",
    "F",
    "G",
    "Hits",
    "IPrec",
    "IPrec11",
    "Judged",
    "MeanNDCNG",
    "MeannDCG",
    "NumNonRelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Q",
    "R",
    "RBPresidual",
    "RMeasure",
    "RelP",
    "RnDCG",
    "Rprec",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "Success",
    "Unjudged",
    "Utility",
    "binG",
    "eGAP",
    "expected_precision",
    "expected_precision_curve",
    "gP",
    "gR",
    "gmAP",
    "gmBpref",
    "graded_precision",
    "graded_precision_recall_curve",
    "graded_recall",
    "infAP",
    "interpolated_curve",
    "interpolated_graded_curve",
    "muAP",
    "nDCG",
    "nDCGrel",
    "nERR",
    "precision_recall_curve",
    "xGAP",
]

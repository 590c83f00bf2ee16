"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

Lin et al., 2017, arXiv:1708.02002 (equation 4).
"""

from lngen.language import Constant, Int, Row, exp, log, pick, sum


def focal_loss(x: Row, label: Int["..."], gamma: Constant = 2):
    logp = x - log(sum(exp(x)))
    logpt = pick(logp, label)
    y = -((1 - exp(logpt)) ** gamma) * logpt
    return y

"""Cross entropy of soft targets with the softmax of a row, one number a row.

Szegedy et al., 2016, arXiv:1512.00567 (section 7): the targets of a row are weights, not a class.
"""

from lngen.language import Row, exp, log, sum


def cross_entropy(x: Row, target: Row):
    logp = x - log(sum(exp(x)))
    y = -sum(target * logp)
    return y

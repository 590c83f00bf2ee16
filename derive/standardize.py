"""Rows of mean zero and unbiased variance one, without parameters.

The z-score of NIST/SEMATECH, e-Handbook of Statistical Methods, 2012, doi:10.18434/M32189 (section 1.3.5.17), with eps
added under the root; rows need two features at least.
"""

from lngen.language import Constant, D, Row, mean, sqrt, sum


def standardize(x: Row, eps: Constant = 1e-5):
    mu = mean(x)
    var = sum((x - mu) ** 2) / (D - 1)
    y = (x - mu) / sqrt(var + eps)
    return y

"""Each row divided by its Euclidean length.

Wang et al., 2017, arXiv:1704.06369; with eps under the root, so that a row of zeros stays one.
"""

from lngen.language import Constant, Row, sqrt, sum


def l2_norm(x: Row, eps: Constant = 1e-12):
    length = sqrt(sum(x**2) + eps)
    y = x / length
    return y

"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

van den Oord, Li & Vinyals, 2018, arXiv:1807.03748 (equation 4); the scale is that of Radford et al., 2021,
arXiv:2103.00020.
"""

from lngen.language import Int, Row, Scalar, exp, log, pick, sum


def info_nce(similarity: Row, positive: Int["..."], scale: Scalar = 1):
    z = scale * similarity
    y = log(sum(exp(z))) - pick(z, positive)
    return y

"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

Vaswani et al., 2017, arXiv:1706.03762 (section 3.2.3). The mask is no array: `position` is the place of each query.
"""

from lngen.language import Array, Int, Scalar, exp, index, sum, where


def causal_softmax(x: Array["... q k"], position: Int["q"], scale: Scalar = 1):
    e = where(index() <= position, exp(scale * x), 0)
    y = e / sum(e, "k")
    return y

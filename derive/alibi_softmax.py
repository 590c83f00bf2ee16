"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

Press, Smith & Lewis, 2022, arXiv:2108.12409 (section 3).
"""

from lngen.language import Array, Data, Int, exp, index, sum, where


def alibi_softmax(x: Array["b h q k"], slope: Data["h"], position: Int["q"]):
    z = x + slope * (index() - position)
    e = where(index() <= position, exp(z), 0)
    y = e / sum(e, "k")
    return y

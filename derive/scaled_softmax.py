"""Softmax with a learned inverse temperature.

Hinton, Vinyals & Dean, 2015, arXiv:1503.02531; learned as in Radford et al., 2021, arXiv:2103.00020.
"""

from lngen.language import Row, Scalar, exp, sum


def scaled_softmax(x: Row, scale: Scalar = 1):
    e = exp(scale * x)
    y = e / sum(e)
    return y

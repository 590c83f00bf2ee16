"""Sums of two exponentials in every entry: a sigmoid, a softplus and a log of a sum, spelled out."""

from lngen.language import Row, exp, log


def gates(x: Row, z: Row):
    s = 1 / (1 + exp(-x))
    p = log(1 + exp(x))
    a = log(exp(x) + exp(z))
    return s, p, a

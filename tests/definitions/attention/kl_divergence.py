"""Kullback-Leibler divergence of two softmaxes, as in distillation."""

from lngen.language import Row, exp, log, sum


def kl_divergence(x: Row, t: Row):
    p = exp(t) / sum(exp(t))
    q = exp(x) / sum(exp(x))
    y = sum(p * log(p / q))
    return y

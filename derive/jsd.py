"""Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

Agarwal et al., 2023, arXiv:2306.13649 (equation 2): `beta` is the teacher's share of the mixture.
"""

from lngen.language import Constant, Data, Row, exp, log, sum


def jsd(x: Row, teacher: Data, beta: Constant = 0.5):
    logq = x - log(sum(exp(x)))
    logp = teacher - log(sum(exp(teacher)))
    q = exp(logq)
    p = exp(logp)
    logm = log(beta * p + (1 - beta) * q)
    y = sum(beta * p * (logp - logm) + (1 - beta) * q * (logq - logm))
    return y

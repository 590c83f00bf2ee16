"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

Hong et al., 2024, arXiv:2403.07691 (equations 6 and 7). A log-probability that rounding has made 0 would have infinite
odds; it counts as `-least`.
"""

from lngen.language import Constant, RowScalar, expm1, log, minimum, softplus


def orpo(chosen: RowScalar, rejected: RowScalar, weight: Constant = 0.1, least: Constant = 1e-7):
    c = minimum(chosen, -least)
    r = minimum(rejected, -least)
    odds = c - r - log(-expm1(c)) + log(-expm1(r))
    y = weight * softplus(-odds) - c
    return y

"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

Hong et al., 2024, arXiv:2403.07691 (equations 6 and 7).
"""

from lngen.language import Constant, RowScalar, expm1, log, softplus


def orpo(chosen: RowScalar, rejected: RowScalar, weight: Constant = 0.1):
    odds = chosen - rejected - log(-expm1(chosen)) + log(-expm1(rejected))
    y = weight * softplus(-odds) - chosen
    return y

"""Dynamic tanh: an elementwise layer in the place of a norm.

Zhu et al., 2025, arXiv:2503.10622.
"""

from lngen.language import Feature, Row, Scalar, tanh


def dynamic_tanh(x: Row, alpha: Scalar = 0.5, gamma: Feature = 1, beta: Feature = 0):
    t = tanh(alpha * x)
    y = gamma * t + beta
    return y

"""Polynomial of a row whose powers are each scaled to root mean square 1.

Zhuo et al., 2024, arXiv:2411.03884 (equation 6), of degree 3.
"""

from lngen.language import Constant, Row, Scalar, mean, rsqrt


def poly_norm(
    x: Row,
    cubic: Scalar = 0.3333333333333333,
    square: Scalar = 0.3333333333333333,
    linear: Scalar = 0.3333333333333333,
    bias: Scalar = 0,
    eps: Constant = 1e-6,
):
    third = x**3 * rsqrt(mean(x**6) + eps)
    second = x**2 * rsqrt(mean(x**4) + eps)
    first = x * rsqrt(mean(x**2) + eps)
    y = cubic * third + square * second + linear * first + bias
    return y

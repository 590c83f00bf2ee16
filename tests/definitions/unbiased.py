"""The unbiased variance: D has to be 2 at least. No parameters."""

from lngen.language import Constant, D, Row, mean, sqrt, sum


def unbiased(x: Row, eps: Constant = 1e-5):
    mu = mean(x)
    var = sum((x - mu) ** 2) / (D - 1)
    y = (x - mu) / sqrt(var + eps)
    return y

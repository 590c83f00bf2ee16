"""Layer normalization of the entries that a mask keeps; the mask has no gradient."""

from lngen.language import Constant, Data, Feature, Row, sqrt, sum


def masked_norm(x: Row, keep: Data = 1, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    n = sum(keep**2) + eps
    mu = sum(keep * x) / n
    c = keep * (x - mu)
    var = sum(c**2) / n
    y = gamma * c / sqrt(var + eps) + beta
    return y

"""Root-mean-square normalization of queries or keys, with a weight for each head.

Henry et al., 2020, arXiv:2010.04245; Dehghani et al., 2023, arXiv:2302.05442 (section 2).
"""

from lngen.language import Array, Constant, mean, sqrt


def head_rms_norm(x: Array["b t h d"], weight: Array["h d"] = 1, eps: Constant = 1e-6):
    ms = mean(x**2, "d")
    xhat = x / sqrt(ms + eps)
    y = weight * xhat
    return y

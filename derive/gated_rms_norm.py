"""Root-mean-square normalization, then a gate: silu of another row.

Zhang & Sennrich, 2019, arXiv:1910.07467; the gate on the output as in Sun et al., 2023, arXiv:2307.08621 (equation 8).
"""

from lngen.language import Constant, Feature, Row, mean, silu, sqrt


def gated_rms_norm(x: Row, z: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    ms = mean(x**2)
    xhat = x / sqrt(ms + eps)
    y = gamma * xhat * silu(z)
    return y

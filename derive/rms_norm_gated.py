"""A gate, silu of another row, then root-mean-square normalization.

The norm before the output projection of Dao & Gu, 2024, arXiv:2405.21060 (Mamba-2).
"""

from lngen.language import Constant, Feature, Row, mean, silu, sqrt


def rms_norm_gated(x: Row, z: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    h = x * silu(z)
    ms = mean(h**2)
    hhat = h / sqrt(ms + eps)
    y = gamma * hhat
    return y

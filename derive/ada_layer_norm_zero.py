"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

Peebles & Xie, 2023, arXiv:2212.09748 (figure 3, adaLN-Zero): the end of one block and the begin of the next.
"""

from lngen.language import Array, Constant, mean, sqrt


def ada_layer_norm_zero(
    x: Array["b ... d"],
    branch: Array["b ... d"],
    gate: Array["b d"],
    scale: Array["b d"],
    shift: Array["b d"],
    eps: Constant = 1e-6,
):
    h = x + gate * branch
    mu = mean(h, "d")
    var = mean((h - mu) ** 2, "d")
    hhat = (h - mu) / sqrt(var + eps)
    y = (1 + scale) * hhat + shift
    return y, h

"""Layer normalization with a scale and a shift for each sample.

Perez et al., 2018, arXiv:1709.07871; Peebles & Xie, 2023, arXiv:2212.09748 (section 3.2, adaLN).
"""

from lngen.language import Array, Constant, mean, sqrt


def ada_layer_norm(x: Array["b ... d"], scale: Array["b d"] = 0, shift: Array["b d"] = 0, eps: Constant = 1e-6):
    mu = mean(x, "d")
    var = mean((x - mu) ** 2, "d")
    xhat = (x - mu) / sqrt(var + eps)
    y = (1 + scale) * xhat + shift
    return y

"""Layer normalization over two axes, with a scale and a shift for every place.

Ba, Kiros & Hinton, 2016, arXiv:1607.06450: `torch.nn.LayerNorm((h, w))`.
"""

from lngen.language import Array, Constant, mean, sqrt


def layer_norm_hw(x: Array["... h w"], gamma: Array["h w"] = 1, beta: Array["h w"] = 0, eps: Constant = 1e-5):
    mu = mean(x, "h w")
    var = mean((x - mu) ** 2, "h w")
    xhat = (x - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y

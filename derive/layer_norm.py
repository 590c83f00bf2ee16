"""Layer normalization over the feature axis.

Ba, Kiros & Hinton, 2016, arXiv:1607.06450.

In PyTorch: torch.nn.LayerNorm(normalized_shape=D, weight=gamma, bias=beta, eps=eps)
In PyTorch: timm.layers.norm.LayerNorm(normalized_shape=D, weight=gamma, bias=beta, eps=eps)
"""

from lngen.language import Constant, Feature, Row, mean, sqrt


def layer_norm(x: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu) ** 2)
    xhat = (x - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y

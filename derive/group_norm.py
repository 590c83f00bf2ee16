"""Group normalization: each row is the channels of a group, with all that lies behind them.

Wu & He, 2018, arXiv:1803.08494. A channel has a scale and a shift; `g` is the number of groups.

In PyTorch: torch.nn.GroupNorm(num_groups=g, weight=gamma, bias=beta, eps=eps)
"""

from lngen.language import Array, Constant, Size, mean, sqrt


def group_norm(
    x: Array["n (g c) ..."],
    gamma: Array["(g c)"] = 1,
    beta: Array["(g c)"] = 0,
    g: Size = 32,
    eps: Constant = 1e-5,
):
    mu = mean(x, "c ...")
    var = mean((x - mu) ** 2, "c ...")
    xhat = (x - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y

"""Instance normalization: each row is one channel of one sample.

Ulyanov, Vedaldi & Lempitsky, 2016, arXiv:1607.08022. A channel has a scale and a shift.

In PyTorch: torch.nn.modules.instancenorm._InstanceNorm(
    num_features=c, weight=gamma, bias=beta, eps=eps, track_running_stats=False, running_mean=None, running_var=None)
"""

from lngen.language import Array, Constant, mean, sqrt


def instance_norm(x: Array["n c ..."], gamma: Array["c"] = 1, beta: Array["c"] = 0, eps: Constant = 1e-5):
    mu = mean(x, "...")
    var = mean((x - mu) ** 2, "...")
    xhat = (x - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y

"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

Ioffe & Szegedy, 2015, arXiv:1502.03167. The variance has the divisor of a mean, as the one that normalizes.

In PyTorch: torch.nn.modules.batchnorm._BatchNorm(
    num_features=c, weight=gamma, bias=beta, eps=eps, running_mean=mu, running_var=var*D/(D - 1),
    training=True, track_running_stats=True)
In PyTorch: torch.nn.modules.batchnorm._BatchNorm(
    num_features=c, weight=gamma, bias=beta, eps=eps, running_mean=None, running_var=None)
"""

from lngen.language import Array, Constant, mean, sqrt


def batch_norm(x: Array["n c ..."], gamma: Array["c"] = 1, beta: Array["c"] = 0, eps: Constant = 1e-5):
    mu = mean(x, "n ...")
    var = mean((x - mu) ** 2, "n ...")
    xhat = (x - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y, mu, var

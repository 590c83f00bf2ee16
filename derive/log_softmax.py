"""The logarithm of softmax over the feature axis.

Bridle, 1990, doi:10.1007/978-3-642-76153-9_28.

In PyTorch: torch.nn.LogSoftmax(dim=-1)
"""

from lngen.language import Row, exp, log, sum


def log_softmax(x: Row):
    y = x - log(sum(exp(x)))
    return y

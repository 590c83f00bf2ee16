"""Softmax over the feature axis.

Bridle, 1990, doi:10.1007/978-3-642-76153-9_28.

In PyTorch: torch.nn.Softmax(dim=-1)
"""

from lngen.language import Row, exp, sum


def softmax(x: Row):
    e = exp(x)
    y = e / sum(e)
    return y

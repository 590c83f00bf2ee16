"""Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.

MiniMax, 2025, arXiv:2506.13585 (section 3.1).
"""

from lngen.language import Constant, Data, Int, Row, exp, log, minimum, pick, stop_gradient, sum


def cispo(x: Row, label: Int["..."], advantage: Data["..."], old: Data["..."], high: Constant = 4):
    logp = pick(x, label) - log(sum(exp(x)))
    ratio = stop_gradient(minimum(exp(logp - old), high))
    y = -ratio * advantage * logp
    return y

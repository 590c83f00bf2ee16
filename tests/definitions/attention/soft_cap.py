"""A softmax of logits that are capped smoothly, as Gemma 2 has it."""

from lngen.language import Constant, Row, exp, sum, tanh


def soft_cap(x: Row, cap: Constant = 50):
    u = cap * tanh(x / cap)
    e = exp(u)
    y = e / sum(e)
    return y

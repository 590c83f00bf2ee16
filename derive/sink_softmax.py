"""Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

Xiao et al., 2023, arXiv:2309.17453 (section 3.1); a logit for each head: OpenAI, 2025, arXiv:2508.10925 (section 2).
"""

from lngen.language import Array, exp, sum


def sink_softmax(x: Array["b h q k"], sink: Array["h"] = 0):
    e = exp(x)
    y = e / (sum(e, "k") + exp(sink))
    return y

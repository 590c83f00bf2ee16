"""Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

Kimi Team, 2025, arXiv:2510.26692 (section 3); of one channel a head it is the gate of Yang et al., 2024,
arXiv:2412.06464.
"""

from lngen.language import Array, exp, softplus


def kda_gate(x: Array["b t h d"], rate: Array["h"] = 0, bias: Array["h d"] = 0):
    y = -exp(rate) * softplus(x + bias)
    return y

"""Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.

Moonshot AI, 2026, Kimi K3, as its reference code has it.
"""

from lngen.language import Array, Constant, Size, at, sigmoid, tanh


def situ_glu(x: Array["... (s d)"], s: Size = 2, beta: Constant = 4, linear_beta: Constant = 25):
    gate = at(x, s=0)
    value = at(x, s=1)
    bounded = linear_beta * tanh(value / linear_beta)
    y = beta * tanh(gate / beta) * sigmoid(gate) * bounded
    return y

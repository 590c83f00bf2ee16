# Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
# Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
# Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
"""Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    KdaGate,
    Saved,
    SecondGradients,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "KdaGate",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    AlibiSoftmax,
    Gradients,
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
    "AlibiSoftmax",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    CausalSoftmax,
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
    "CausalSoftmax",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

# Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
# definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
"""Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    SinkSoftmax,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "SecondGradients",
    "SinkSoftmax",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

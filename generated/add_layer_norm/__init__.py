# Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
"""Residual addition, then layer normalization; the sum is the second output."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    AddLayerNorm,
    Gradients,
    Outputs,
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
    "AddLayerNorm",
    "Gradients",
    "Outputs",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

# Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
"""Layer normalization with a scale and a shift for each sample."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    AdaLayerNorm,
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
    "AdaLayerNorm",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

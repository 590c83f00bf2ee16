# Made by lngen 0.1.0 from the definition of layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
# definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
"""Layer normalization over the feature axis."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    LayerNorm,
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
    "LayerNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

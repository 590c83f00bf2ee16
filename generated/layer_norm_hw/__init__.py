# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
"""Layer normalization over two axes, with a scale and a shift for every place."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    LayerNormHW,
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
    "LayerNormHW",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

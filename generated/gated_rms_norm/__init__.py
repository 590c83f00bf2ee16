# Made by lngen 0.1.0 from the definition of gated_rms_norm.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 20 flops per row element.
# Evidence: 1 output, 26 steps, 34 given equations, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Root-mean-square normalization, then a gate: silu of another row."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)
from .numpy_module import GatedRMSNorm

__all__ = [
    "INTERFACE",
    "GatedRMSNorm",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

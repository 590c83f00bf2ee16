# Made by lngen 0.1.0 from the definition of group_norm.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 9 flops per row element; backward 3 row tensors (2 read, 1 written), and 3 smaller arrays, 12 flops per row element.
# Evidence: 1 output, 17 steps, 35 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Group normalization: each row is the channels of a group, with all that lies behind them."""

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
from .numpy_module import GroupNorm

__all__ = [
    "INTERFACE",
    "Gradients",
    "GroupNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

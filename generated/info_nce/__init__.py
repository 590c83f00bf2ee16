# Made by lngen 0.1.0 from the definition of info_nce.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# Cost: forward 1 row tensors (1 read, 0 written), 8 flops per row element; backward 2 row tensors (1 read, 1 written), 10 flops per row element.
# Evidence: 1 output, 25 steps, 30 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it."""

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
from .numpy_module import InfoNce

__all__ = [
    "INTERFACE",
    "Gradients",
    "InfoNce",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

# Made by lngen 0.1.0 from the definition of packed_swiglu.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# Cost: forward 3 row tensors (2 read, 1 written), 3 flops per row element; backward 5 row tensors (3 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 10 steps, 14 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""SwiGLU of a gate and a value that lie side by side in one array."""

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
from .numpy_module import PackedSwiglu

__all__ = [
    "INTERFACE",
    "Gradients",
    "PackedSwiglu",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

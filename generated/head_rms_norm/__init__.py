# Made by lngen 0.1.0 from the definition of head_rms_norm.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 1 smaller array, 4 flops per row element; backward 3 row tensors (2 read, 1 written), and 2 smaller arrays, 8 flops per row element.
# Evidence: 1 output, 12 steps, 24 given equations, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Root-mean-square normalization of queries or keys, with a weight for each head."""

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
from .numpy_module import HeadRMSNorm

__all__ = [
    "INTERFACE",
    "Gradients",
    "HeadRMSNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

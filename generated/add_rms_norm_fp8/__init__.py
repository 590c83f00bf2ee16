# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# Cost: forward 4 row tensors (2 read, 2 written), 6 flops per row element; backward 5 row tensors (3 read, 2 written), 14 flops per row element.
# Evidence: 2 outputs, 22 steps, 37 given equations, 1 identity, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
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
from .numpy_module import AddRMSNormFP8

__all__ = [
    "INTERFACE",
    "AddRMSNormFP8",
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

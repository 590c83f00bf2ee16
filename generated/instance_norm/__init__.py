# Made by lngen 0.1.0 from the definition of instance_norm.
# Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 9 flops per row element; backward 3 row tensors (2 read, 1 written), and 3 smaller arrays, 11 flops per row element.
# Evidence: 1 output, 19 steps, 37 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
# templates sha256:2ac2f07bc6384e88de134c9a9116a66083010804f4352ef40720a3cf756ef3c4
"""Instance normalization: each row is one channel of one sample."""

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
from .numpy_module import InstanceNorm

__all__ = [
    "INTERFACE",
    "Gradients",
    "InstanceNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

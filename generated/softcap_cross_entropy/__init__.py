# Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
# definition sha256:d010fe640748d9eca5d1baa233d0a8218fad8c6aeec03dd12a012fcb2dc30c1c
"""Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    SoftcapCrossEntropy,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "SecondGradients",
    "SoftcapCrossEntropy",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

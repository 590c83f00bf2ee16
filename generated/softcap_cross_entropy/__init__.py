# Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
# definition sha256:33d18fa91dcd3cf92c27b3756823f4dc172bf10d8ae23865cc57601c7e8ba6ab
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

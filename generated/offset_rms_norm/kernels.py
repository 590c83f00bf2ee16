# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
"""Root-mean-square normalization with a weight that is learned as its distance from one. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "offset_rms_norm_forward": (
                "x, w, eps, out y, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(1, 0),
        kernels={
            "offset_rms_norm_backward": (
                "x, dy, saved rstd, w, out dx, the workspace, the rows, the features"
            ),
            "offset_rms_norm_backward_columns": (
                "the workspace, the blocks, w, out dw, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "offset_rms_norm_jvp": (
                "x, x_dot, saved rstd, w, w_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "offset_rms_norm_backward_backward": (
                "x, dy, ddx, saved rstd, w, ddw, out dx, out ddy, the workspace, "
                "the rows, the features"
            ),
            "offset_rms_norm_backward_backward_columns": (
                "the workspace, the blocks, w, ddw, out dw, the features"
            ),
        },
    ),
}

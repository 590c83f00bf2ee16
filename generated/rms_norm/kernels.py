# Made by lngen 0.1.0 from the definition of rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
# definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
"""Root-mean-square normalization over the feature axis. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "rms_norm_forward": (
                "x, gamma, eps, out y, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(1, 0),
        kernels={
            "rms_norm_backward": (
                "x, dy, saved rstd, gamma, out dx, the workspace, the rows, "
                "the features"
            ),
            "rms_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "rms_norm_jvp": (
                "x, x_dot, saved rstd, gamma, gamma_dot, out y_dot, the rows, "
                "the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "rms_norm_backward_backward": (
                "x, dy, ddx, saved rstd, gamma, ddgamma, out dx, out ddy, "
                "the workspace, the rows, the features"
            ),
            "rms_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, out dgamma, the features"
            ),
        },
    ),
}

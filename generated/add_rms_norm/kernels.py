# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
"""Residual addition, then root-mean-square normalization; the sum is the second output. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "add_rms_norm_forward": (
                "x, residual, gamma, eps, out y, out h, saved rstd, the rows, "
                "the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(1, 0),
        kernels={
            "add_rms_norm_backward": (
                "h, dy, dh, saved rstd, gamma, out dx, out dresidual, the workspace, "
                "the rows, the features"
            ),
            "add_rms_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "add_rms_norm_jvp": (
                "h, x_dot, residual_dot, saved rstd, gamma, gamma_dot, out y_dot, "
                "out h_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "add_rms_norm_backward_backward": (
                "h, dy, dh, ddx, ddresidual, saved rstd, gamma, ddgamma, out dx, "
                "out dresidual, out ddy, out ddh, the workspace, the rows, the features"
            ),
            "add_rms_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, out dgamma, the features"
            ),
        },
    ),
}

# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "add_rms_norm_fp8_forward": (
                "x, residual, gamma, scale, eps, out y, out h, saved rstd, the rows, "
                "the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(1, 1),
        kernels={
            "add_rms_norm_fp8_backward": (
                "h, dy, dh, saved rstd, gamma, scale, out dx, out dresidual, "
                "the workspace, the rows, the features"
            ),
            "add_rms_norm_fp8_backward_columns": (
                "the workspace, the blocks, gamma, scale, out dgamma, out dscale, "
                "the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "add_rms_norm_fp8_jvp": (
                "h, x_dot, residual_dot, saved rstd, gamma, scale, gamma_dot, "
                "scale_dot, out y_dot, out h_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(2, 2),
        kernels={
            "add_rms_norm_fp8_backward_backward": (
                "h, dy, dh, ddx, ddresidual, saved rstd, gamma, scale, ddgamma, "
                "ddscale, out dx, out dresidual, out ddy, out ddh, the workspace, "
                "the rows, the features"
            ),
            "add_rms_norm_fp8_backward_backward_columns": (
                "the workspace, the blocks, gamma, scale, ddgamma, ddscale, "
                "out dgamma, out dscale, the features"
            ),
        },
    ),
}

# Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
"""Root-mean-square normalization, then a gate: silu of another row. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "gated_rms_norm_forward": (
                "x, z, gamma, eps, out y, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(1, 0),
        kernels={
            "gated_rms_norm_backward": (
                "x, z, dy, saved rstd, gamma, out dx, out dz, the workspace, the rows, "
                "the features"
            ),
            "gated_rms_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "gated_rms_norm_jvp": (
                "x, z, x_dot, z_dot, saved rstd, gamma, gamma_dot, out y_dot, "
                "the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "gated_rms_norm_backward_backward": (
                "x, z, dy, ddx, ddz, saved rstd, gamma, ddgamma, out dx, out dz, "
                "out ddy, the workspace, the rows, the features"
            ),
            "gated_rms_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, out dgamma, the features"
            ),
        },
    ),
}

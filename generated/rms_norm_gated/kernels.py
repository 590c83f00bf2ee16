# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "rms_norm_gated_forward": (
                "x, z, gamma, eps, out y, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(1, 0),
        kernels={
            "rms_norm_gated_backward": (
                "x, z, dy, saved rstd, gamma, out dx, out dz, the workspace, the rows, "
                "the features"
            ),
            "rms_norm_gated_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "rms_norm_gated_jvp": (
                "x, z, x_dot, z_dot, saved rstd, gamma, gamma_dot, out y_dot, "
                "the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "rms_norm_gated_backward_backward": (
                "x, z, dy, ddx, ddz, saved rstd, gamma, ddgamma, out dx, out dz, "
                "out ddy, the workspace, the rows, the features"
            ),
            "rms_norm_gated_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, out dgamma, the features"
            ),
        },
    ),
}

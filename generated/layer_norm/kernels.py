# Made by lngen 0.1.0 from the definition of layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
# definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
"""Layer normalization over the feature axis. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "layer_norm_forward": (
                "x, gamma, beta, eps, out y, saved mu, saved mu_residual, saved rstd, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 0),
        kernels={
            "layer_norm_backward": (
                "x, dy, saved mu, saved mu_residual, saved rstd, gamma, out dx, "
                "the workspace, the rows, the features"
            ),
            "layer_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, out dbeta, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "layer_norm_jvp": (
                "x, x_dot, saved mu, saved mu_residual, saved rstd, gamma, gamma_dot, "
                "beta_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "layer_norm_backward_backward": (
                "x, dy, ddx, saved mu, saved mu_residual, saved rstd, gamma, ddgamma, "
                "ddbeta, out dx, out ddy, the workspace, the rows, the features"
            ),
            "layer_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, ddbeta, out dgamma, "
                "out dbeta, the features"
            ),
        },
    ),
}

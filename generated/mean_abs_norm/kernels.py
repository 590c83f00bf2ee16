# Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
"""Centred rows divided by their mean absolute deviation. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "mean_abs_norm_forward": (
                "x, gamma, beta, eps, out y, saved mu, saved mu_residual, saved scale, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 0),
        kernels={
            "mean_abs_norm_backward": (
                "x, dy, saved mu, saved mu_residual, saved scale, gamma, out dx, "
                "the workspace, the rows, the features"
            ),
            "mean_abs_norm_backward_columns": (
                "the workspace, the blocks, gamma, out dgamma, out dbeta, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "mean_abs_norm_jvp": (
                "x, x_dot, saved mu, saved mu_residual, saved scale, gamma, gamma_dot, "
                "beta_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 0),
        kernels={
            "mean_abs_norm_backward_backward": (
                "x, dy, ddx, saved mu, saved mu_residual, saved scale, gamma, ddgamma, "
                "ddbeta, out dx, out ddy, the workspace, the rows, the features"
            ),
            "mean_abs_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, ddgamma, ddbeta, out dgamma, "
                "out dbeta, the features"
            ),
        },
    ),
}

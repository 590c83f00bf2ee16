# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
"""Group normalization: each row is the channels of a group, with all that lies behind them. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "group_norm_forward": (
                "x, gamma, beta, eps, out y, saved mu, saved mu_residual, saved rstd, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "group_norm_backward": (
                "x, gamma, dy, saved mu, saved mu_residual, saved rstd, out dx, "
                "out dgamma, out dbeta, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "group_norm_jvp": (
                "x, gamma, x_dot, gamma_dot, beta_dot, saved mu, saved mu_residual, "
                "saved rstd, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "group_norm_backward_backward": (
                "x, gamma, dy, ddx, ddgamma, ddbeta, saved mu, saved mu_residual, "
                "saved rstd, out dx, out dgamma, out dbeta, out ddy, the rows, "
                "the features"
            ),
        },
    ),
}

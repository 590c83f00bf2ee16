# Made by lngen 0.1.0 from the definition of group_norm.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 9 flops per row element; backward 3 row tensors (2 read, 1 written), and 3 smaller arrays, 12 flops per row element.
# Evidence: 1 output, 17 steps, 35 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
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

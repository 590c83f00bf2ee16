# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
"""Layer normalization whose output is gated by one number a row. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "modulated_layer_norm_forward": (
                "x, gate, gamma, beta, eps, out y, saved mu, saved mu_residual, "
                "saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 0),
        kernels={
            "modulated_layer_norm_backward": (
                "x, gate, dy, saved mu, saved mu_residual, saved rstd, gamma, beta, "
                "out dx, out dgate, the workspace, the rows, the features"
            ),
            "modulated_layer_norm_backward_columns": (
                "the workspace, the blocks, gamma, beta, out dgamma, out dbeta, "
                "the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "modulated_layer_norm_jvp": (
                "x, gate, x_dot, gate_dot, saved mu, saved mu_residual, saved rstd, "
                "gamma, beta, gamma_dot, beta_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(2, 0),
        kernels={
            "modulated_layer_norm_backward_backward": (
                "x, gate, dy, ddx, ddgate, saved mu, saved mu_residual, saved rstd, "
                "gamma, beta, ddgamma, ddbeta, out dx, out dgate, out ddy, "
                "the workspace, the rows, the features"
            ),
            "modulated_layer_norm_backward_backward_columns": (
                "the workspace, the blocks, gamma, beta, ddgamma, ddbeta, out dgamma, "
                "out dbeta, the features"
            ),
        },
    ),
}

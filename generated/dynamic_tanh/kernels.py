# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
"""Dynamic tanh: an elementwise layer in the place of a norm. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "dynamic_tanh_forward": (
                "x, alpha, gamma, beta, out y, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(2, 1),
        kernels={
            "dynamic_tanh_backward": (
                "x, dy, alpha, gamma, out dx, the workspace, the rows, the features"
            ),
            "dynamic_tanh_backward_columns": (
                "the workspace, the blocks, alpha, gamma, out dalpha, out dgamma, "
                "out dbeta, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "dynamic_tanh_jvp": (
                "x, x_dot, alpha, gamma, alpha_dot, gamma_dot, beta_dot, out y_dot, "
                "the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(1, 1),
        kernels={
            "dynamic_tanh_backward_backward": (
                "x, dy, ddx, alpha, gamma, ddalpha, ddgamma, ddbeta, out dx, out ddy, "
                "the workspace, the rows, the features"
            ),
            "dynamic_tanh_backward_backward_columns": (
                "the workspace, the blocks, alpha, gamma, ddalpha, ddgamma, ddbeta, "
                "out dalpha, out dgamma, out dbeta, the features"
            ),
        },
    ),
}

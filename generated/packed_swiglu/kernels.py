# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
"""SwiGLU of a gate and a value that lie side by side in one array. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={"packed_swiglu_forward": "gate, value, out y, the rows, the features"},
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "packed_swiglu_backward": (
                "gate, value, dy, out dgate, out dvalue, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "packed_swiglu_jvp": (
                "gate, value, gate_dot, value_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "packed_swiglu_backward_backward": (
                "gate, value, dy, ddgate, ddvalue, out dgate, out dvalue, out ddy, "
                "the rows, the features"
            ),
        },
    ),
}

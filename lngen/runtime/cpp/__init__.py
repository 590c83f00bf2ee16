# SPDX-License-Identifier: MIT
"""C++ that kernels of GPUs and of the processor share: left-out arguments, and the names of arguments."""

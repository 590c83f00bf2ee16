# SPDX-License-Identifier: MIT
"""CUDA: reading device arrays, planning, compiling and launching kernels, and their headers."""

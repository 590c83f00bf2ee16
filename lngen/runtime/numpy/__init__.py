# SPDX-License-Identifier: MIT
"""NumPy: public functions without their signatures, rows block by block, and classes."""

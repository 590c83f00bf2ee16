# SPDX-License-Identifier: MIT
"""C++ on the processor: compiling, loading and calling kernels, and their headers."""

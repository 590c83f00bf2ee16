# SPDX-License-Identifier: MIT
"""Calls of any backend: the type of a layer's interface, arguments and saved values, and their errors."""

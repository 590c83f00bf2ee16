# SPDX-License-Identifier: MIT
"""Calls of any backend: a layer's interface, what its directions take and make, saved values, and their errors."""

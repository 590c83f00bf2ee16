# SPDX-License-Identifier: MIT
"""Several processes: rows whose features are sharded, and gradients of parameters where rows are sharded."""

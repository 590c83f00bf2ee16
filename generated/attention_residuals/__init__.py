# Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
# Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
# Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    AttentionResiduals,
    Gradients,
    Saved,
    SecondGradients,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "AttentionResiduals",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]

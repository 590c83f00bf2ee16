"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

Ethayarajh et al., 2024, arXiv:2402.01306 (equation 8).
"""

from lngen.language import Constant, Data, Int, RowScalar, sigmoid, where


def kto(
    logp: RowScalar,
    reference: Data["..."],
    desirable: Int["..."],
    divergence: Data["..."] = 0,
    beta: Constant = 0.1,
    gain: Constant = 1,
    loss: Constant = 1,
):
    reward = logp - reference - divergence
    y = where(desirable > 0, gain * sigmoid(-beta * reward), loss * sigmoid(beta * reward))
    return y

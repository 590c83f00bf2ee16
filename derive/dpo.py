"""Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

Rafailov et al., 2023, arXiv:2305.18290 (equation 7); `smoothing` as in Mitchell, 2023, A note on DPO with noisy
preferences.
"""

from lngen.language import Constant, Data, RowScalar, softplus


def dpo(
    chosen: RowScalar,
    rejected: RowScalar,
    reference_chosen: Data["..."] = 0,
    reference_rejected: Data["..."] = 0,
    beta: Constant = 0.1,
    smoothing: Constant = 0,
):
    margin = beta * (chosen - rejected - reference_chosen + reference_rejected)
    y = (1 - smoothing) * softplus(-margin) + smoothing * softplus(margin)
    return y

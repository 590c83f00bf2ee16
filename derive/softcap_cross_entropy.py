"""Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.

Gemma Team, 2024, arXiv:2408.00118 (section 2): logits stay within `cap`. Chowdhery et al., 2022, arXiv:2204.02311
(section 5): `z_loss` holds the logarithm of the normalizer near zero.
"""

from lngen.language import Constant, Data, Int, Row, exp, log, pick, sum, tanh, where


def softcap_cross_entropy(
    x: Row,
    label: Int["..."],
    class_weight: Data["d"] = 1,
    ignore: Int[""] = -100,
    cap: Constant = 30,
    z_loss: Constant = 0,
):
    u = cap * tanh(x / cap)
    lse = log(sum(exp(u)))
    y = where(label == ignore, 0, pick(class_weight, label) * (lse - pick(u, label)) + z_loss * lse**2)
    return y

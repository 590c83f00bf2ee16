"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

Szegedy et al., 2016, arXiv:1512.00567 (section 7): a part `smoothing` of the target is spread over all classes.
Chowdhery et al., 2022, arXiv:2204.02311 (section 5): `z_loss` holds the logarithm of the normalizer near zero.

In PyTorch: torch.nn.CrossEntropyLoss(
    weight=None, ignore_index=ignore, label_smoothing=smoothing, reduction=mean(y, label != ignore))
"""

from lngen.language import Constant, Int, Row, exp, log, mean, pick, sum, where


def label_cross_entropy(
    x: Row,
    label: Int["..."],
    ignore: Int[""] = -100,
    smoothing: Constant = 0,
    z_loss: Constant = 0,
):
    lse = log(sum(exp(x)))
    target = pick(x, label)
    # A switch, since 0 times a logit of -inf is no number.
    spread = where(smoothing > 0, smoothing * (target - mean(x)), 0)
    y = where(label == ignore, 0, lse - target + spread + z_loss * lse**2)
    return y

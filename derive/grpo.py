"""Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

Shao et al., 2024, arXiv:2402.03300 (equation 3); Yu et al., 2025, arXiv:2503.14476 (section 3.1).
"""

from lngen.language import Constant, Data, Int, Row, clip, exp, log, minimum, pick, sum


def grpo(
    x: Row,
    label: Int["..."],
    advantage: Data["..."],
    old: Data["..."],
    reference: Data["..."],
    low: Constant = 0.2,
    high: Constant = 0.2,
    beta: Constant = 0.04,
):
    logp = pick(x, label) - log(sum(exp(x)))
    ratio = exp(logp - old)
    gained = minimum(ratio * advantage, clip(ratio, 1 - low, 1 + high) * advantage)
    gap = reference - logp
    y = beta * (exp(gap) - gap - 1) - gained
    return y

"""Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

Hinton, Vinyals & Dean, 2015, arXiv:1503.02531 (section 2).
"""

from lngen.language import Constant, Data, Int, Row, exp, log, pick, sum


def distillation(x: Row, teacher: Data, label: Int["..."], temperature: Constant = 2, share: Constant = 0.5):
    hard = log(sum(exp(x))) - pick(x, label)
    u = x / temperature
    v = teacher / temperature
    logq = u - log(sum(exp(u)))
    logp = v - log(sum(exp(v)))
    soft = sum(exp(logp) * (logp - logq))
    y = (1 - share) * hard + share * temperature**2 * soft
    return y

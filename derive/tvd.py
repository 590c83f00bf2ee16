"""Total variation distance of a teacher's and a student's softmax, one number a row.

Wen et al., 2023, arXiv:2307.15190 (section 3.3).
"""

from lngen.language import Data, Row, abs, exp, sum


def tvd(x: Row, teacher: Data):
    e = exp(x)
    t = exp(teacher)
    q = e / sum(e)
    p = t / sum(t)
    y = sum(abs(q - p)) / 2
    return y

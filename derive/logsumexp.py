"""The logarithm of a row's sum of exponentials, one number a row.

Blanchard, Higham & Higham, 2021, doi:10.1093/imanum/draa038.
"""

from lngen.language import Row, exp, log, sum


def logsumexp(x: Row):
    y = log(sum(exp(x)))
    return y

"""The entropy of a softmax, as it is defined: p*log(p), where p may be 0 in floats."""

from lngen.language import Row, exp, log, sum


def entropy(x: Row):
    p = exp(x) / sum(exp(x))
    y = -sum(p * log(p))
    return y

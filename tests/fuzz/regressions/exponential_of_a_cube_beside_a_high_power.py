from lngen.language import Constant, Row, exp, mean, minimum, sqrt, sum, where


def layer(s: Row, x: Constant = 2):
    m = mean(s) ** 3
    outer = m * s - s
    q = (mean(m * outer) / sum(exp(where(x > 0.1, m / (mean(s**2) + 1e-05), outer / sqrt(sum(outer**2) + 0.001))))) ** 2
    p = minimum(q, q) ** 4
    return (p, outer)

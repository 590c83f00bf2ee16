from lngen.language import D, Row, abs, erf, max, maximum, sqrt, sum


def layer(xhat: Row):
    u = erf(xhat) / (max(abs(erf(xhat))) + 0.1) * (maximum(2 + 3, 0.1) ** (-0.75) * (D + 1))
    return u / maximum(sqrt(sum(u**2)), 0.1)

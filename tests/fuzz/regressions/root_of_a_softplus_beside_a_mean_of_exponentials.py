from lngen.language import D, Row, abs, exp, expm1, max, rsqrt, sigmoid, softplus, sum


def layer(x: Row):
    outer = sum(x) * 3
    m = rsqrt(softplus(x))
    p = (abs((0.001 + m + outer) * (D / sum(exp(x)) / (1 + sigmoid(x * outer)))) + 1) ** (-2)
    h = expm1(m / (max(abs(m)) + 0.1))
    return (h, outer, p)

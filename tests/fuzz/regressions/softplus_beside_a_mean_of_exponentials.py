from lngen.language import Row, exp, mean, softplus


def layer(x: Row):
    m = 1 / softplus(x)
    p = 1 / (m / mean(exp(x)) + 1)
    return (p, m)

from lngen.language import Row, abs, max, softplus


def layer(x: Row):
    u = x / softplus(x)
    return u + u / (max(abs(u)) + 0.1)

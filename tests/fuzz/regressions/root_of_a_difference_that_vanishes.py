from lngen.language import Row, mean, rsqrt


def layer(b: Row):
    q = b**2
    return rsqrt(mean(q**2) - mean(q) ** 2)

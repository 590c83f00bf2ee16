from lngen.language import Row, mean


def layer(gamma: Row):
    k = gamma**2
    return mean(k**2) - mean(k) ** 2

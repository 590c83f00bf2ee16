from lngen.language import Row, mean, where


def layer(t: Row):
    q = where(mean(t**2) - mean(t) ** 2 != 0.001, t, 1)
    return q - q

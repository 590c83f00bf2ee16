from lngen.language import D, Row, mean, sum, where


def layer(b: Row):
    q = sum(b) * -mean(b)
    return 1 / D / q - where(0.25 < 2, 0.001, 0.25)

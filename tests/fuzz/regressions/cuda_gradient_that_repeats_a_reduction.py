from lngen.language import Feature, Row, mean


def layer(gamma: Row, x: Feature, b: Feature = 0):
    f = b * mean(x)
    return gamma + mean(f)

from lngen.language import Row, max


def layer(xhat: Row, scale: Row):
    return max(scale + xhat)

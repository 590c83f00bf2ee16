from lngen.language import Row, silu


def layer(x: Row):
    return silu(x**3)

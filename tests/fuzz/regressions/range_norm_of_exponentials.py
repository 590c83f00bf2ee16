from lngen.language import Row, exp, max, min


def layer(x: Row):
    e = exp(x)
    return (e - min(e)) / (max(e) - min(e) + 0.01)

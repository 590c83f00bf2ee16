from lngen.language import Row, exp, log, sqrt, sum


def layer(b: Row):
    root = 1 - log(sum(exp(b - b)))
    return root / sqrt(root**2)

from lngen.language import Row, RowScalar, exp, maximum, mean, sqrt, sum


def layer(scale: RowScalar, x: Row):
    h = scale * x
    q = sum(exp(h + scale))
    y = mean(h / maximum(sqrt(sum(h**2)), 0.1)) * q * (q - scale)
    return y

from lngen.language import Row, Scalar, exp, log1p, mean


def layer(mean_g: Row, s: Scalar):
    exact = exp(log1p(exp(mean_g - 1.5)))
    maxsize = (s + exact) * (0.001 - exact)
    dg = -mean(maxsize)
    return dg

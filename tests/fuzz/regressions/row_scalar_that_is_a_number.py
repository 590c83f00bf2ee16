from lngen.language import Feature, Row, mean, rsqrt, softplus


def layer(x: Row, w: Feature):
    v = softplus(mean(x - x))
    r = rsqrt(v)
    s = r * r
    y = s * x * w
    return (y, s, r, v)

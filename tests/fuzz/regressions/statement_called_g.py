from lngen.language import Row, mean, rsqrt, sigmoid


def layer(x: Row, v: Row):
    g = 1.702 * v
    y = x * sigmoid(g)
    n = y * rsqrt(mean(y**2) + 1e-05)
    return (y, n)

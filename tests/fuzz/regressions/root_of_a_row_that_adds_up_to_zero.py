from lngen.language import Row, Scalar, exp, maximum, mean, rsqrt, sqrt, sum


def layer(z: Row, compute_bytes: Scalar = 0):
    what = z / maximum(sqrt(sum(z**2)), 0.1)
    column = sqrt(-((what - mean(what)) * rsqrt(mean(what**2) - mean(what) ** 2 + 0.01)))
    make = compute_bytes * column
    p = exp(make) / sum(exp(make))
    return p

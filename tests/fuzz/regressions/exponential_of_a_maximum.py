from lngen.language import Row, Scalar, exp, log, maximum, mean, rsqrt, sigmoid, softplus, sqrt


def layer(x: Row, s: Scalar):
    rstd = softplus(x)
    u = (rstd - mean(rstd)) / sqrt(mean((rstd - mean(rstd)) ** 2) + 1e-05) / exp(maximum(rstd, s))
    v = log(1 + sigmoid(u))
    return v * rsqrt(mean(v**2) + 1e-05)

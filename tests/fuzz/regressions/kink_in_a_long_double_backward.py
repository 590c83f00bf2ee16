from lngen.language import Constant, Row, cos, expm1, maximum, mean, rsqrt, sqrt, stop_gradient, sum, tanh


def layer(x: Row, b: Constant = 0.5):
    m = stop_gradient(tanh(b)) * x
    inner = (mean(m**2) + 1e-05) ** (-1) * cos(mean(x))
    u = (m - mean(m)) * rsqrt(mean(m**2) - mean(m) ** 2 + 0.01)
    f = maximum(u / maximum(sqrt(sum(u**2)), 0.1) * (u + u), expm1(b / (1.5 + cos(b))))
    k = u * (1.5 + cos(f)) ** (-1)
    return (k, m, inner)

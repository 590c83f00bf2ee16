from lngen.language import Constant, D, Row, exp, maximum, mean, minimum, rsqrt, sigmoid, softplus, sqrt, sum, where


def layer(tau: Row, bias: Constant = 2):
    h = minimum(sigmoid(exp(D)), sum(-tau))
    left = maximum(0.001 - h + tau**4, 0.1) ** 0.25
    k = minimum(sqrt(D), left * rsqrt(mean(left**2) + 1e-05))
    return D / 2 / maximum(k**2 + h / softplus(h) * where(bias <= 0.1, 0.25, 0.5), 0.1)

from lngen.language import D, Feature, Row, max, maximum, mean, minimum, sigmoid, sin, sqrt, where


def layer(tau: Row, gain: Feature = -1):
    v = max((tau + tau) / (tau * sigmoid(tau)) * (0.001 * (D / 2 * 2)))
    m = gain * tau
    n = minimum(tau, m)
    f = where(v < 1 / D, m, tau * v)
    left = mean(sqrt(maximum(sin(n), 0.1)))
    return (left, f)

from lngen.language import D, Row, abs, exp, log, maximum, mean, sigmoid, sin, sqrt, sum, where


def layer(z: Row):
    inner = (z - log(sum(exp(z)))) * (
        1 / D / z / maximum(where(z <= 0.1, exp(z) / sum(exp(z)), z / maximum(sqrt(sum(z**2)), 0.1)), 0.1)
    )
    left = (3 * 0.001 * (inner / (1 + sigmoid(D + 1)))) ** 4
    u = 0.7 * left
    p = -sin(log(abs(u) + 1))
    q = (p - mean(p)) / sqrt(mean((p - mean(p)) ** 2) + 1e-05)
    return (q, p, left)

from lngen.language import Row, cos, max, mean, rsqrt, sigmoid, silu


def layer(tau: Row):
    right = silu(mean(tau))
    f = rsqrt(1 + sigmoid(tau))
    n = cos(f / (max(f) + 0.1) * right)
    return (n, right)

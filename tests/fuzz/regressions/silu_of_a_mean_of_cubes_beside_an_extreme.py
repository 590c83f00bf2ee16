from lngen.language import Row, max, mean, silu


def layer(tau: Row):
    return silu(mean(max(tau) * tau * tau**2))

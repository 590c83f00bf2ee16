from lngen.language import Row, exp, mean, rsqrt, sqrt, sum, tanh


def layer(tau: Row):
    right = exp(tau) / sum(exp(tau))
    last = sqrt(right)
    n = tanh((right - mean(right)) * rsqrt(mean(right**2) - mean(right) ** 2 + 0.01))
    return (n, last)

from lngen.language import Row, exp, mean, rsqrt, sigmoid, sqrt, sum


def layer(tau: Row, query: Row = 1):
    right = exp(tau) / sum(exp(tau))
    last = sqrt(right)
    n = mean((right - mean(right)) * rsqrt(mean(right**2) - mean(right) ** 2 + 0.01)) + sigmoid(mean(query))
    return (n, last)

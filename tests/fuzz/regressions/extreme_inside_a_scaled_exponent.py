from lngen.language import Row, abs, exp, log, max, mean, sin, sum


def layer(beta: Row):
    ms = max(beta - 1.5) / (0.7**2 + 0.5) / (abs(sin(max(beta) * beta * mean(beta**2))) + 1)
    return ms - log(sum(exp(ms)))

from lngen.language import Row, mean, sqrt


def layer(t: Row):
    left = mean((t - mean(t)) / sqrt(mean((t - mean(t)) ** 2) + 1e-05))
    return left

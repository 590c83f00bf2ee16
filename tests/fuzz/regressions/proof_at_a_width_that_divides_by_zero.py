from lngen.language import Row, max, maximum, mean, sigmoid, sqrt


def layer(x: Row):
    return sqrt(1 + sigmoid(1 / (x - mean(x)))) * maximum(1 / (max(x) - mean(x)), 1)

from lngen.language import Row, abs, exp, mean, sigmoid, sum


def layer(x: Row):
    p = (abs(sum(x)) / mean(exp(x)) / (1 + sigmoid(x)) + 1) ** (-2)
    return p

from lngen.language import Row, mean, min, relu, sqrt, sum


def layer(x: Row):
    return sqrt(min(relu(x)) * (sum(x) - mean(x)) ** 4)

from lngen.language import Row, max, mean, sigmoid


def layer(x: Row):
    return x * sigmoid(mean(x * (x - max(x**2))))

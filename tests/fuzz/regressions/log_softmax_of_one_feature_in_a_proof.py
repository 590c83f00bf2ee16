from lngen.language import Row, cos, exp, log, sigmoid, sqrt, sum


def layer(x: Row):
    return cos(sqrt(1 + sigmoid(1 / (x - log(sum(exp(x)))))))

from lngen.language import Row, abs, max, mean, sigmoid


def layer(key: Row):
    left = mean(key * key + 3)
    m = max(key + 2)
    h = m / (abs(m) + 1)
    outer = (key + h) * m
    last = outer * 0.25 / (1 + sigmoid(0.001 + left))
    inner = last * sigmoid(last)
    return (inner, outer, last)

from lngen.language import Row, max, mean, sum, tanh


def layer(x: Row):
    level = sum(x) + 1 - x + x
    y = tanh(mean(level) * mean(x / (max(x) ** 2 + 1)))
    return level, y

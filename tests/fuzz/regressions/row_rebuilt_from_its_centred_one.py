from lngen.language import Constant, Row, Scalar, abs, gelu, mean, min, sigmoid, sqrt


def layer(key: Row, bias: Scalar = 0, b: Constant = 2):
    inner = min(key * key)
    left = (key - mean(key)) / sqrt(mean((key - mean(key)) ** 2) + 1e-05)
    right = b * bias
    q = gelu(sigmoid(left) / (abs(left - right) + 1))
    return (q, inner, left)

from lngen.language import Constant, Row, RowScalar, gelu, minimum, sigmoid, sqrt


def layer(g: Row, mu: RowScalar, sum_e: Constant = 1e-05):
    dx_block = sqrt(mu)
    forward_bf16_launch = (3 + sum_e) ** 2
    entries_per_thread = (mu - minimum(dx_block, mu)) * sigmoid(g * forward_bf16_launch + gelu(g))
    right = gelu(g)
    return (right, entries_per_thread)

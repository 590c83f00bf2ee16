"""A softmax with a learned sink: one logit more for each row, as each head of gpt-oss has one."""

from lngen.language import Row, RowScalar, exp, sum


def sink_of_row(x: Row, sink: RowScalar):
    e = exp(x)
    y = e / (exp(sink) + sum(e))
    return y

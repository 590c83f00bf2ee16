"""A softmax over the entries that a mask keeps, and a sink: a row of which none is kept is 0."""

from lngen.language import Data, Row, RowScalar, exp, sum, where


def masked_sink(x: Row, keep: Data, sink: RowScalar):
    e = where(keep > 0, exp(x), 0)
    y = e / (exp(sink) + sum(e))
    return y

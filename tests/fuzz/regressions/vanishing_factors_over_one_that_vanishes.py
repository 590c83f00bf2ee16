from lngen.language import D, Int, Row, dropout, exp, softplus, sum, tanh, uniform


def layer(w: Row, tau: Int[""], a: Row = -1):
    left = a - 0.1 * uniform(tau, 1) - dropout(w, 0.1, tau)
    q = (D / 2 + 2) * tanh(exp(left) / sum(exp(left))) / softplus(dropout(left, 0.5, tau, 1))
    return q

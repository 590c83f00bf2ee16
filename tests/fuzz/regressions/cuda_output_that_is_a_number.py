from lngen.language import Constant, D, Row, minimum, sigmoid, sin, tanh


def layer(each_beside: Row, what: Constant = 2):
    dg = minimum(1 / D * 0.7 * tanh(-1), (each_beside - each_beside) / (1 + sigmoid(each_beside * each_beside)))
    g_3 = dg * sigmoid(dg)
    matmul = 0.25 - what - 3 * g_3 + sin(what**2)
    return (matmul, dg)

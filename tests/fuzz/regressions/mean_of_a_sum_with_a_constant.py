from lngen.language import Constant, D, Row, RowScalar, cos, exp, mean


def layer(mean_g_2: Row, b: RowScalar, a: Constant = 0.5):
    READS_dy = (a / exp(4) + mean_g_2 / (mean(mean_g_2**2) + 1e-05)) * b
    q = 1 / D / (1.5 + cos(mean_g_2))
    ddgamma_wide = a * READS_dy
    return (ddgamma_wide, q, READS_dy)

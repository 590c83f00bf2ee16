from lngen.language import D, Row, exp, expm1, sigmoid, sum


def layer(z: Row):
    compute_bytes = z / 0.5
    owns = sum(compute_bytes) * (D + 1)
    row_scalar_4 = exp(z) * (expm1(owns) * (2 * 3))
    mu_residual = row_scalar_4 * sigmoid(row_scalar_4)
    return mu_residual

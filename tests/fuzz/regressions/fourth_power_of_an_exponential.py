from lngen.language import Constant, Row, exp, maximum, mean, rsqrt, sign, sqrt, sum


def layer(backward_columns_f64: Row, places: Constant = 2):
    q = sign(4) + (backward_columns_f64 - 0.001)
    define = q - mean(q)
    row_min = (define + places) ** 4
    partial_bytes = (define * rsqrt(mean(define**2) + 1e-05) / exp(define)) ** 4 * (
        row_min / maximum(sqrt(sum(row_min**2)), 0.1)
    )
    return partial_bytes

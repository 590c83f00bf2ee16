from lngen.language import D, Row, RowScalar, abs, exp, mean, minimum, stop_gradient, sum


def layer(z: Row, gain: RowScalar):
    n = stop_gradient(exp(gain) - z * gain)
    v = 1 / (D - 1) * gain
    u = minimum(v * gain + (gain + 4), v * sum(n)) / (mean(z**4) + 0.1)
    m = u / (abs(v) + 1)
    return (m, u, v)

from lngen.language import Array, Constant, D, Int, cos, exp, index, mean, relu, rsqrt, sigmoid, stop_gradient, where


def layer(tau: Array["b n h d"], key: Array["h d"], x: Constant = 0.5, t: Int["h d"] = 1):
    last = exp(key)
    left = last / cos(cos(where(t <= 0, exp(rsqrt(x * tau)) ** 4, x)))
    v = left * rsqrt(mean(left**2, "h d") + 1e-05)
    return where(
        mean(last, "h d") >= x, where(index() <= t - 1, stop_gradient(D * (v * sigmoid(v))), last - 3), exp(relu(left))
    )

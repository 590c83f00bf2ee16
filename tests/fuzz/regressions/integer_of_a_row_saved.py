from lngen.language import Array, Data, Int, index, minimum, sigmoid, where


def layer(gain: Array["n t d"], a: Data["n t"] = 1, s: Int["n t"] = 1):
    return sigmoid(where(index() < s - 1, minimum(gain, 4), where((a == 0.001) | (a != 0.3), a, a)))

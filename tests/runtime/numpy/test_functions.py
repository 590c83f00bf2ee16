"""The functions of the runtime that NumPy lacks; that they are right is tested with emitted code."""

from lngen.runtime.numpy.functions import ERF_FLOAT32, ERF_FLOAT64
from tests.runtime.numpy.erf import fitted


def test_coefficients_of_erf_are_those_of_the_fit() -> None:
    for fit, sizes in ((ERF_FLOAT32, (4, 9, 6)), (ERF_FLOAT64, (6, 15, 14))):
        assert fitted(*sizes) == fit

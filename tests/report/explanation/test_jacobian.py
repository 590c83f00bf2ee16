import mpmath
import pytest

from lngen.report.explanation.jacobian import directions, null_vector, rank, responses
from tests.report.explanation.layers import formula, shipped


def matrix(*rows):
    return [[mpmath.mpf(value) for value in row] for row in rows]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(0, 0), (0, 0)], 0),
        ([(1, 2, 3), (2, 4, 6)], 1),
        ([(1, 2), (3, 4), (5, 6)], 2),
        ([(1, 1), (1, 1 + 1e-20)], 1),
        ([], 0),
    ],
)
def test_rank_is_that_of_exact_arithmetic(rows, expected):
    assert rank(matrix(*rows)) == expected


def test_a_null_vector_is_sent_to_zero_and_an_invertible_matrix_has_none():
    rows = matrix((1, 2, 3), (4, 5, 6), (7, 8, 9))
    vector = null_vector(rows)
    assert all(abs(sum(a * b for a, b in zip(row, vector, strict=True))) < 1e-50 for row in rows)
    assert max(map(abs, vector)) == 1
    assert null_vector(matrix((1, 0), (0, 2))) is None


def test_responses_are_the_rows_of_the_jacobian():
    plan = formula("x - mean(x)")
    answers = responses(plan, 3, directions(plan, range(3)))["dx"]
    assert [[round(float(3 * value)) for value in row] for row in answers] == [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]


def test_the_null_vector_of_a_mean_taken_off_is_constant():
    plan = formula("x - mean(x)")
    vector = null_vector(responses(plan, 4, directions(plan, range(4)))["dx"].tolist())
    assert [float(value) for value in vector] == pytest.approx([1, 1, 1, 1])
    assert (
        null_vector(responses(shipped("rms_norm"), 4, directions(shipped("rms_norm"), range(4)))["dx"].tolist()) is None
    )

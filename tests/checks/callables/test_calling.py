"""A function is found by its place, and called in the names of a definition; what is none is refused in one line."""

import pytest

from lngen.checks.callables.calling import Calling, Given, calling, find
from lngen.errors import LngenError, ToolchainMissing
from lngen.language.parsing import load
from tests.shipped import ROOT

NORM = load(ROOT / "derive" / "rms_norm.py")


def given(hidden_states, weight, variance_epsilon):
    return hidden_states, weight, variance_epsilon


@pytest.mark.parametrize(
    "text",
    [
        "f(x, gamma, eps)",
        "f(hidden_states=x, weight=gamma, variance_epsilon=eps)",
        "f(x, variance_epsilon=eps, weight=gamma)[0]",
    ],
)
def test_a_call_is_made_in_the_names_of_the_definition(text):
    found = calling(given, NORM, text)
    assert found.taken == {"x", "gamma", "eps"}
    made = found({"x": 1, "gamma": 2, "eps": 3, "D": 4})
    assert made == (1 if text.endswith("[0]") else (1, 2, 3))


def test_numbers_tuples_and_the_size_are_passed():
    found = calling(lambda *given: given, NORM, "f(x, (D,), [gamma, None], -1, eps, True)")
    assert found({"x": 1, "gamma": 2, "eps": 3, "D": 4}) == (1, (4,), (2, None), -1, 3, True)


def test_an_absent_input_is_left_out_where_the_function_has_a_default_of_its_own():
    def own(x, gamma=2, eps=0.5):
        return gamma, eps

    def none(x, gamma=None, eps=0.5):
        return gamma, eps

    absent = {"x": 1, "gamma": None, "eps": 3, "D": 4}
    assert calling(own, NORM)(absent) == (2, 3)
    assert calling(own, NORM, "f(x, eps=eps, gamma=gamma)")(absent) == (2, 3)
    assert calling(own, NORM)({**absent, "gamma": 5}) == (5, 3)
    assert calling(none, NORM)(absent) == (None, 3)

    def between(x, scale=1, gamma=2, eps=0.5):
        return scale, gamma, eps

    assert calling(between, NORM, "f(x, None, gamma, eps)")(absent) == (None, 2, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(x, gama)", "column 6: no input is called gama"),
        ("g(x)", "not a call of f"),
        ("f(x)(gamma)", "not a call of f"),
        ("f(x.real)", "neither an input nor a number"),
        ("f(__import__('os'))", "neither an input nor a number"),
        ("f(*x)", "neither an input nor a number"),
        ("f(**x)", r"\*\* has no names"),
        ("f(x if x else gamma)", "neither an input nor a number"),
        ("f(x", "no Python"),
        ("f(x); f(x)", "no Python"),
        ("f(" * 5000, "no Python"),
    ],
)
def test_any_other_text_is_refused(text, message):
    with pytest.raises(LngenError, match=message):
        calling(given, NORM, text)


def test_arguments_are_matched_by_name():
    def norm(x, *, eps, gamma=None, out=None):
        return x

    assert calling(norm, NORM) == Calling(norm, (Given("x"),), (("eps", Given("eps")), ("gamma", Given("gamma"))))


def test_a_function_of_autograd_is_called_by_position():
    class Norm:
        @staticmethod
        def forward(ctx, x, gamma, eps):
            """Take a context first."""

        @classmethod
        def apply(cls, *given):
            return given

    assert calling(Norm.apply, NORM)({"x": 1, "gamma": 2, "eps": 3}) == (1, 2, 3)


def test_an_argument_that_no_input_is_called_as_is_told():
    with pytest.raises(LngenError, match=r'takes hidden_states, which no input .* --call "f\(x, gamma, eps\)"'):
        calling(given, NORM)


def test_an_input_that_is_needed_and_not_passed_is_told():
    with pytest.raises(LngenError, match="x of rms_norm is not passed"):
        calling(lambda gamma: gamma, NORM)


def test_a_function_is_found_in_a_module_and_in_a_file(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("class A:\n    @staticmethod\n    def norm(x): return 3*x\n")
    assert find(f"{file}:A.norm")(1) == 3
    assert find("math:sqrt")(4) == 2


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("math", "has no name of a function"),
        ("math:sqr", "math has no sqr. Did you mean sqrt?"),
        ("math:pi", "cannot be called: it is float"),
        ("no_such_module:f", "there is no module no_such_module"),
        ("no_such_file.py:f", "there is no file no_such_file.py"),
    ],
)
def test_what_is_not_there_is_told(place, message):
    with pytest.raises(LngenError, match=message.replace("?", r"\?")):
        find(place)


def test_an_error_of_the_module_is_told_and_a_missing_package_is_another(tmp_path):
    (tmp_path / "broken.py").write_text("1/0\n")
    (tmp_path / "needs.py").write_text("import no_such_package\n")
    with pytest.raises(LngenError, match="cannot be imported: ZeroDivisionError"):
        find(f"{tmp_path}/broken.py:f")
    with pytest.raises(ToolchainMissing, match="needs no_such_package"):
        find(f"{tmp_path}/needs.py:f")

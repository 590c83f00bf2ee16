"""Lines of the unsimplified tangent, and of the gradients as a forward; their values are proved."""

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import Mean, RowSymbol, Where
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.from_definition import translate
from lngen.derivation.jvp import moved_by
from lngen.derivation.vjp import adjoint
from lngen.language.parsing import parse


def test_what_does_not_move_is_zero():
    x, y = RowSymbol("x"), RowSymbol("y")
    assert moved_by(Equation(y, x**2), {}) == 0
    assert moved_by(Equation(y, Mean(x)), {}) == 0
    assert moved_by(Equation(y, x**2, stopped=True), {x: RowSymbol("dx")}) == 0


def test_selects_on_one_condition_are_added_up_inside_it():
    x, g, dx, dg = (RowSymbol(name) for name in ("x", "g", "dx", "dg"))
    moved = moved_by(Equation(RowSymbol("y"), Where(x > 0, g * x, 0)), {x: dx, g: dg})
    assert moved == Where(x > 0, g * dx + dg * x, 0)


def test_every_line_of_the_gradients_has_a_name_of_its_own():
    forward = translate(parse("def f(x: Row, grad_x: Feature): return x*grad_x*mean(x)"))
    found = adjoint(forward)
    whole = backward_as_forward(forward, found.cotangents, found.equations, found.gradients)
    assert [symbol.name for symbol in whole.gradients] == ["dx", "dgrad_x"]
    names = [equation.symbol.name for equation in whole.forward.equations]
    assert len(set(names)) == len(names)

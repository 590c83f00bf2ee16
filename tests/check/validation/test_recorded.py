"""The C++ text of a layer, run on nodes of a graph: results for every D, and mistakes in it, which are refuted."""

from pathlib import Path

import pytest

from lngen.algebra.symbols import HEADS
from lngen.check.validation import recording
from lngen.check.validation.recorded import CppValidated, recorded
from lngen.check.validation.recording import cases
from lngen.language.parsing.files import load
from lngen.pipeline.stages import planned
from lngen.plan.program import RowProgram
from tests.requirements import needs_gxx

ROOT = Path(__file__).parents[3]


def programs(name: str) -> list[RowProgram]:
    return [*planned(load(ROOT / "derive" / f"{name}.py"), proved=False).programs()]


def changed(folder: Path, name: str, *changes: tuple[str, str]) -> dict[str, CppValidated]:
    text = (ROOT / "generated" / name / "layer.h").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "layer.h").write_text(text)
    return recorded(folder, programs(name))


@needs_gxx
def test_the_results_of_every_direction_are_right(tmp_path: Path) -> None:
    found = changed(tmp_path, "info_nce")
    assert [finding for each in found.values() for finding in each.findings] == []
    assert (found["forward"].cases, found["forward"].compared) == (2, 8)


FIRST = {
    "forward": ("max_of(", "min_of("),
    "backward": ("(dy - sum_dy_y)*y", "(dy + sum_dy_y)*y"),
    "jvp": ("names(Y, X_DOT,", "names(X_DOT, Y,"),
    "backward_backward": ("      at.store(DDY, (ddx - sum_ddx_y)*y);  // step 57\n", ""),
}
SECOND = {
    "forward": ("{ return math::exp(x_shifted); }", "{ return math::exp(-x_shifted); }"),
    "backward": ("names(Y, DY, DX, ROW", "names(Y, DX, DY, ROW"),
    "jvp": ("(x_dot - sum_x_dot_y)*y", "(x_dot - sum_x_dot_y)*y*y"),
    "backward_backward": ("wanted<HAS_ddx>(dy*y)", "wanted<!HAS_ddx>(dy*y)"),
}


TWO_AS_ONE = {
    "a sum with the factor that is said to have none": ("max_and_sums<0, 1>", "max_and_sums<0, 0>"),
    "a sum whose place is another's": ("max_and_sums<0, 1>", "max_and_sums<0, 2>"),
    "no largest entry": ("max_and_sums<0, 1>", "max_and_sums<1, 1>"),
}


@needs_gxx
@pytest.mark.parametrize("mistake", TWO_AS_ONE)
def test_what_does_not_make_two_stages_one_is_refuted(tmp_path: Path, mistake: str) -> None:
    """All but the last have the right results, one stage after the other."""
    found = changed(tmp_path, "label_cross_entropy", TWO_AS_ONE[mistake])["forward"]
    assert any(each.where.startswith("two stages as one") for each in found.findings if each.refuted)


@needs_gxx
@pytest.mark.parametrize("changes", [FIRST, SECOND])
def test_mistakes_are_refuted(tmp_path: Path, changes: dict[str, tuple[str, str]]) -> None:
    found = changed(tmp_path, "softmax", *changes.values())
    assert [name for name, each in found.items() if not any(f.refuted for f in each.findings)] == []


@needs_gxx
def test_a_mistake_where_an_argument_is_left_out_is_refuted(tmp_path: Path) -> None:
    found = changed(tmp_path, "info_nce", ("SCALAR, 0, HAS_scale, One>", "SCALAR, 0, HAS_scale, Fixed<2>>"))
    assert {each.where.rpartition("(")[2] for each in found["forward"].findings} == {"forward without scale)"}


@needs_gxx
def test_a_value_that_is_infinite_for_every_row_is_refuted(tmp_path: Path) -> None:
    found = changed(tmp_path, "softmax", ("const auto Z = get<0>(stage_2);", "const auto Z = A(0);"))
    assert {each.refuted for each in found["forward"].findings} == {True}


def test_no_case_has_a_tangent_of_what_is_left_out() -> None:
    forward, _, jvp, _ = programs("info_nce")
    assert set(cases(forward, jvp)) == {
        frozenset(each) for each in ([], ["scale_dot"], ["similarity_dot"], ["scale", "scale_dot"])
    }


def test_the_recorder_has_every_function() -> None:
    text = (Path(recording.__file__).parent / "recorder.h").read_text()
    assert [name for name in HEADS if f"LNGEN_FUNCTION({name})" not in text] == []

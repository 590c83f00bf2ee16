"""Sharded code for named axes, integers, casts and random numbers, against emitted code on one process."""

import importlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.language.parsing import parse
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from lngen.runtime.sharded import collectives
from tests.processes import in_processes
from tests.requirements import needs_gxx

MIXED = """
def mixed(
    x: Array["b t (g c)"], label: Int["b t g"], seed: Int[""], scale: Array["b c"] = 1, shift: Array["(g c)"] = 0,
    g: Size = 2
):
    kept = dropout(x, 0.25, seed)
    xhat = kept*rsqrt(mean(kept**2, "c") + 1e-5)
    y = cast(20*scale*xhat + shift, "int8")
    z = pick(kept, label)
    w = cast(100*max(kept, "c"), "int8")
    return y, z, w
"""
ROWS, GROUPS, FEATURES = (2, 3), 2, 13
SIZES = (6, 0, 3, 4)
WITH_FEATURES = {"x": -1, "scale": -1, "shift": -1, "y": -1}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of the package."""
    folder = tmp_path_factory.mktemp("sharded")
    manifest.write(derived(parse(MIXED), proved=False, backends=["sharded"]).emission, folder)
    return folder / "mixed"


def module(folder, name):
    return importlib.import_module(f"{loading.load(folder).__name__}.{name}")


def grouped(array):
    """An array whose last axis is one of groups and one of features."""
    return array.reshape(*array.shape[:-1], GROUPS, -1) if array.shape[-1] == GROUPS * FEATURES else array


def part(array, name, span):
    """The part of a process; that of `(g c)` is a part of every group."""
    if name not in WITH_FEATURES:
        return array
    own = grouped(array)[..., span]
    return own if own.ndim == array.ndim else own.reshape(*array.shape[:-1], -1)


def whole(parts, name):
    """Results of processes as one."""
    if name not in WITH_FEATURES:
        assert all(np.array_equal(each, parts[0]) for each in parts)
        return parts[0]
    if name == "scale":
        return np.concatenate(parts, -1)
    each = [value.reshape(*value.shape[:-1], GROUPS, -1) for value in parts]
    return np.concatenate(each, -1).reshape(*parts[0].shape[:-1], -1)


INPUTS = ("x", "label", "seed", "scale", "shift")
OUTPUTS, GRADIENTS = ("y", "z", "w"), ("x", "scale", "shift")


def spans():
    ends = np.cumsum(SIZES)
    return [slice(end - size, end) for end, size in zip(ends, SIZES, strict=True)]


def given(span=None, seed=2**25 + 1):
    """Inputs and cotangents, of one process or of all."""
    rng = np.random.default_rng(0)
    values = {
        "x": rng.normal(size=(*ROWS, GROUPS * FEATURES)),
        "label": rng.integers(-1, FEATURES, (*ROWS, GROUPS)),
        "seed": np.asarray(seed),
        "scale": rng.normal(size=(ROWS[0], FEATURES)),
        "shift": rng.normal(size=GROUPS * FEATURES),
        "dy": rng.normal(size=(*ROWS, GROUPS * FEATURES)),
        "dz": rng.normal(size=(*ROWS, GROUPS)),
        "dw": rng.normal(size=(*ROWS, GROUPS)),
    }
    if span is not None:
        values = {name: part(value, name.removeprefix("d"), span) for name, value in values.items()}
    return [values[name] for name in INPUTS], [values[f"d{name}"] for name in OUTPUTS]


def on_threads(parts, wrap=lambda communicator: communicator):
    def run(span, communicator):
        inputs, cotangents = given(span)
        outputs, saved = parts.forward(*inputs, communicator=communicator)
        along = [value for name, value in zip(INPUTS, inputs, strict=True) if name in GRADIENTS]
        gradients = parts.backward(saved, *cotangents, communicator=communicator)
        second = parts.backward_backward(saved, tuple(cotangents), *along, communicator=communicator)
        return *outputs, *gradients, *parts.jvp(saved, *along, communicator=communicator), *second

    group = collectives.ThreadCommunicator.together(len(SIZES), timeout=60.0)
    with ThreadPoolExecutor(len(SIZES)) as pool:
        tasks = [pool.submit(run, span, wrap(one)) for span, one in zip(spans(), group, strict=True)]
        return [task.result() for task in tasks]


def on_one(plain):
    inputs, cotangents = given()
    outputs, saved = plain.forward(*inputs)
    along = [value for name, value in zip(INPUTS, inputs, strict=True) if name in GRADIENTS]
    second = plain.backward_backward(saved, tuple(cotangents), *along)
    return *outputs, *plain.backward(saved, *cotangents), *plain.jvp(saved, *along), *second


NAMES = (*OUTPUTS, *GRADIENTS, *OUTPUTS, *GRADIENTS, *OUTPUTS)


def require_close(found, expected):
    for place, (name, value) in enumerate(zip(NAMES, expected, strict=False)):
        mine = whole([each[place] for each in found], name)
        assert mine.dtype == value.dtype
        np.testing.assert_allclose(mine, value, rtol=0, atol=1e-12 * max(1.0, np.abs(value).max()))


@pytest.mark.parametrize(
    "name", ["numpy_sharded", pytest.param("cpu_sharded", marks=[needs_gxx, pytest.mark.exhaustive])]
)
def test_parts_of_a_named_axis_give_what_one_process_gives(name, written):
    require_close(on_threads(module(written, name)), on_one(module(written, "numpy_backend")))


class InAnotherOrder:
    """A communicator that gives the messages of the first processes last: no process finds its features in place."""

    def __init__(self, communicator):
        self.size, self._communicator = communicator.size, communicator
        self.rank = (communicator.rank + 1) % communicator.size

    def all_gather(self, sent):
        return np.roll(self._communicator.all_gather(sent), 1, axis=0)


def test_features_at_other_places_are_seen_in_the_results(written):
    found = on_threads(module(written, "numpy_sharded"), InAnotherOrder)
    with pytest.raises(AssertionError):
        require_close(found, on_one(module(written, "numpy_backend")))


def test_processes_with_parts_of_a_named_axis_give_what_one_gives(written):
    first, second = in_processes(written, "pipes", "features", [given(span) for span in spans()])
    expected = on_one(module(written, "numpy_backend"))
    for found in (first, second):
        require_close([(*outputs, *gradients) for outputs, gradients in found], expected[:6])


def test_an_array_without_the_first_axis_of_the_features_is_refused():
    text = 'def f(x: Array["n c h"], w: Array["h"]): return w*x*rsqrt(mean(x**2, "c h") + 1)'
    with pytest.raises(LngenError, match=r'w: Array\["h"\] lacks the axis c, .*write an axis first that w has, of c h'):
        derived(parse(text), proved=False, backends=["sharded"])


def test_a_direction_that_has_no_sharded_form_is_left_out(tmp_path):
    text = "def f(x: Row, gamma: Feature, a: Scalar): return gamma*x/(a*sqrt(mean(x**2) + 1))"
    manifest.write(derived(parse(text), proved=False, backends=["sharded"]).emission, tmp_path)
    parts = module(tmp_path / "f", "numpy_sharded")
    assert parts.__all__ == ["backward", "forward", "jvp"]
    assert "`backward_backward` has no sharded form, and is left out." in parts.__doc__

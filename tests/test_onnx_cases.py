"""Cases of ONNX's own tests of operators, on the emitted layers that compute them."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import derived
from tests.requirements import NO_ONNX, needs_gxx

pytest.importorskip("onnx", reason=NO_ONNX)
pytestmark = pytest.mark.ci

Attributes = dict[str, Any]
Results = tuple[Any, ...]

WEIGHTED = """from lngen.language import Data, Int, Row, exp, log, pick, sum, where
def weighted(x: Row, label: Int["..."], weight: Data["d"] = 1, ignore: Int[""] = -100):
    w = where(label == ignore, 0, pick(weight, label))
    y = w*(log(sum(exp(x))) - pick(x, label))
    return y, w"""
NLL = WEIGHTED.replace("log(sum(exp(x))) - pick(x, label)", "-pick(x, label)").replace("exp, log, ", "")


@functools.cache
def emitted(source: str) -> Any:
    """The module of a definition that is not shipped."""
    layer = derived(parse(source), proved=False)
    return module_from_files(layer.files, layer.definition.name)


class Backend:
    """Layers that are shipped, and definitions of this file, by one backend."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, layer: str, *arguments: Any, **more: Any) -> Any:
        """The outputs of forward."""
        module = importlib.import_module(f"generated.{layer}.{self.name}_backend")
        return module.forward(*arguments, save=False, **more)[0]


def _features(x: Any, axis: int) -> Any:
    """An array whose axes from one on are one."""
    return x.reshape(*x.shape[: axis % x.ndim], -1)


def _flat(x: Any) -> Any:
    return None if x is None else x.reshape(-1)


def layer_norm(run: Backend, a: Attributes, x: Any, scale: Any, bias: Any = None) -> Results:
    axis = a.get("axis", -1)
    rows = _features(x, axis)
    y = run("layer_norm", rows, _flat(scale), _flat(bias), eps=a.get("epsilon", 1e-5))
    return (y.reshape(x.shape),)


def rms_norm(run: Backend, a: Attributes, x: Any, scale: Any) -> Results:
    y = run("rms_norm", _features(x, a.get("axis", -1)), _flat(scale), eps=a.get("epsilon", 1e-5))
    return (y.reshape(x.shape),)


def group_norm(run: Backend, a: Attributes, x: Any, scale: Any, bias: Any) -> Results:
    return (run("group_norm", x, scale, bias, g=a["num_groups"], eps=a.get("epsilon", 1e-5)),)


def instance_norm(run: Backend, a: Attributes, x: Any, scale: Any, bias: Any) -> Results:
    return (run("instance_norm", x, scale, bias, eps=a.get("epsilon", 1e-5)),)


def batch_norm(run: Backend, a: Attributes, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Results:
    y, mu, own = run("batch_norm", x, scale, bias, eps=a.get("epsilon", 1e-5))
    kept = a.get("momentum", 0.9)
    return y, mean * kept + mu * (1 - kept), var * kept + own * (1 - kept)


def _along(name: str, default: int = -1) -> Callable[..., Results]:
    def run_along(run: Backend, a: Attributes, x: Any) -> Results:
        axis = a.get("axis", default)
        return (np.moveaxis(run(name, np.ascontiguousarray(np.moveaxis(x, axis, -1))), -1, axis),)

    return run_along


def logsumexp(run: Backend, a: Attributes, x: Any, axes: Any) -> Results:
    axes = tuple(int(axis) % x.ndim for axis in axes) or tuple(range(x.ndim))
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.transpose(*kept, *axes).reshape(*[x.shape[axis] for axis in kept], -1)
    y = run("logsumexp", rows)
    return (np.expand_dims(y, axes) if a.get("keepdims", 1) else y,)


def _loss(run: Backend, source: str, a: Attributes, x: Any, label: Any, weight: Any) -> Any:
    rows = np.ascontiguousarray(np.moveaxis(x, 1, -1))
    ignore = np.array(a.get("ignore_index", -100))
    y, w = emitted(source).forward(rows, label, weight, ignore, save=False)[0]
    how = a.get("reduction", b"mean")
    return {b"none": y, b"sum": y.sum(), b"mean": y.sum() / w.sum()}[how]


def cross_entropy(run: Backend, a: Attributes, x: Any, label: Any, weight: Any = None) -> Results:
    if weight is None and run.name == "cpu":
        loss = run("label_cross_entropy", np.ascontiguousarray(np.moveaxis(x, 1, -1)), label, a.get("ignore_index"))
        count = (label != a.get("ignore_index", -100)).sum()
        how = a.get("reduction", b"mean")
        z = {b"none": loss, b"sum": loss.sum(), b"mean": loss.sum() / count}[how]
    else:
        z = _loss(run, WEIGHTED, a, x, label, weight)
    return z, _along("log_softmax", 1)(run, {"axis": 1}, x)[0]


def nll_loss(run: Backend, a: Attributes, x: Any, label: Any, weight: Any = None) -> Results:
    return (_loss(run, NLL, a, x, label, weight),)


def rotary(run: Backend, a: Attributes, x: Any, cosine: Any, sine: Any, places: Any = None) -> Results:
    turned = a.get("rotary_embedding_dim", 0) or x.shape[-1]
    pairs = [x[..., : turned // 2], x[..., turned // 2 : turned]]
    if a.get("interleaved"):
        pairs = [x[..., 0:turned:2], x[..., 1:turned:2]]
    halves = np.ascontiguousarray(np.concatenate(pairs, axis=-1))
    tables = [cosine, sine] if places is None else [cosine[places], sine[places]]
    rows = [run("rotary", halves[n : n + 1], tables[0][n], tables[1][n])[0] for n in range(len(x))]
    made = np.stack(rows)
    out = x.copy()
    if a.get("interleaved"):
        out[..., 0:turned:2], out[..., 1:turned:2] = made[..., : turned // 2], made[..., turned // 2 :]
    else:
        out[..., :turned] = made
    return (out,)


OPERATORS: dict[str, Callable[..., Results]] = {
    "LayerNormalization": layer_norm,
    "RMSNormalization": rms_norm,
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "BatchNormalization": batch_norm,
    "Softmax": _along("softmax"),
    "LogSoftmax": _along("log_softmax"),
    "LpNormalization": _along("l2_norm"),
    "ReduceLogSumExp": logsumexp,
    "SoftmaxCrossEntropyLoss": cross_entropy,
    "NegativeLogLikelihoodLoss": nll_loss,
    "RotaryEmbedding": rotary,
}
# Not theirs: a norm by sums of absolute values, stored averages instead of statistics, rows of no entries, and heads
# that lie side by side in one axis.
OTHERS = {"test_batchnorm_example", "test_batchnorm_epsilon", "test_reduce_log_sum_exp_empty_set"}
OTHERS |= {f"test_l1normalization_axis_{axis}" for axis in ("0", "1", "last")} | {"test_rotary_embedding_3d_input"}


@functools.cache
def cases() -> dict[str, tuple[Any, list[Any], list[Any]]]:
    """ONNX's cases of one operator of the table: its node, the inputs and the outputs."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases(None)
    single = [case for case in found if [node.op_type for node in case.model.graph.node][1:] == []]
    return {
        case.name: (case.model.graph.node[0], *case.data_sets[0])
        for case in single
        if case.model.graph.node[0].op_type in OPERATORS and case.name not in OTHERS
    }


@needs_gxx
@pytest.mark.parametrize("backend", ["numpy", "cpu"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_cases_of_an_operator(operator, backend):
    from onnx.helper import get_attribute_value

    run, count = Backend(backend), 0
    for name, (node, inputs, outputs) in cases().items():
        if node.op_type == operator:
            attributes = {each.name: get_attribute_value(each) for each in node.attribute}
            made = OPERATORS[operator](run, attributes, *inputs)
            for value, wanted in zip(made, outputs, strict=False):
                # ONNX's own tolerances are 1e-3 and 1e-7; its results are of float32.
                np.testing.assert_allclose(value, wanted, rtol=1e-4, atol=1e-6, err_msg=name)
            count += 1
    assert count


def test_there_are_cases_and_a_wrong_result_is_seen():
    assert len(cases()) >= 120
    _, inputs, outputs = cases()["test_sce_mean_weight_ii"]
    made = cross_entropy(Backend("numpy"), {"ignore_index": 1, "reduction": b"mean"}, *inputs)
    assert abs(made[0] - outputs[0]) > 1e-3

"""Kernels of other people, held to definitions by `lngen.check`: the table of docs/kernels_of_others.md.

    python -m benchmarks.kernels_of_others [WORDS OF A NAME ...]

Writes the page, with the date and the versions, if no words are given. A package that is missing is told.
"""

from __future__ import annotations

import datetime
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import lngen

PAGE = Path(__file__).parents[1] / "docs" / "kernels_of_others.md"


@dataclass(frozen=True)
class Kernel:
    """A function of a package, its layer, how it is called, and what a failure of it is judged to be."""

    name: str
    layer: str
    make: Callable[[], Any]
    call: str = ""
    judged: str = ""
    shown: str = ""

    @property
    def package(self) -> str:
        """The package that has it."""
        return self.name.partition(".")[0]


def named(place: str) -> Callable[[], Any]:
    """Return what imports a function or a class by its place."""
    module, _, name = place.rpartition(".")
    return lambda: getattr(importlib.import_module(module), name)


def of_layer_norm() -> Any:
    """`F.layer_norm` with the size from its rows."""
    F = importlib.import_module("torch.nn.functional")
    return lambda x, gamma, beta, eps: F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def of_rms_norm() -> Any:
    """`F.rms_norm` with the size from its rows."""
    F = importlib.import_module("torch.nn.functional")
    return lambda x, gamma, eps: F.rms_norm(x, x.shape[-1:], gamma, eps)


def of_labels() -> Any:
    """`F.cross_entropy` of integer labels, by row."""
    F = importlib.import_module("torch.nn.functional")

    def loss(x: Any, label: Any) -> Any:
        flat = F.cross_entropy(x.reshape(-1, x.shape[-1]), label.reshape(-1).long(), reduction="none")
        return flat.reshape(label.shape)

    return loss


def of_linen(name: str, **options: Any) -> Callable[[], Any]:
    """A norm of flax.linen as a function."""

    def make() -> Any:
        norm = getattr(importlib.import_module("flax.linen"), name)

        def applied(x: Any, gamma: Any, eps: Any, beta: Any = None) -> Any:
            given = {key: value for key, value in (("scale", gamma), ("bias", beta)) if value is not None}
            there = {"use_scale": gamma is not None} | ({} if name == "RMSNorm" else {"use_bias": beta is not None})
            return norm(epsilon=eps, **there, **options).apply({"params": given}, x)

        return applied

    return make


def of_equinox(name: str) -> Callable[[], Any]:
    """A norm of equinox as a function of rows."""

    def make() -> Any:
        equinox, jax = map(importlib.import_module, ("equinox", "jax"))

        def applied(x: Any, gamma: Any, eps: Any, beta: Any = None) -> Any:
            made = getattr(equinox.nn, name)(
                x.shape[-1], eps=eps, use_weight=gamma is not None, use_bias=beta is not None
            )
            for key, value in (("weight", gamma), ("bias", beta)):
                if value is not None:
                    made = equinox.tree_at(lambda each, key=key: getattr(each, key), made, value)
            rows = jax.vmap(made)(x.reshape(-1, x.shape[-1]))
            return rows.reshape(x.shape)

        return applied

    return make


NN, JAX, HF = "torch.nn", "jax.nn", "transformers.models"
HALF_SUMS = "fault: sums over rows are kept in the half type"
HALF_SUMS_SHOWN = """x, w = torch.randn(4096, 8).bfloat16(), torch.ones(8, requires_grad=True)
b = torch.zeros(8, requires_grad=True)
torch.nn.functional.layer_norm(x, (8,), w.bfloat16(), b.bfloat16()).sum().backward()
print(b.grad)  # 256 on one thread, 512 on two, not 4096"""
FAST = "fault: the variance is that of raw moments unless `use_fast_variance=False`"
FAST_SHOWN = """x = 1e4 + jax.random.normal(jax.random.key(0), (2, 64))
norm = flax.linen.LayerNorm(use_scale=False, use_bias=False)
print(norm.apply({}, x).std())  # 0.26, not 1"""
KERNELS = (
    Kernel("torch.nn.functional.layer_norm", "layer_norm", of_layer_norm, "", HALF_SUMS, HALF_SUMS_SHOWN),
    Kernel("torch.nn.LayerNorm", "layer_norm", named(f"{NN}.LayerNorm"), "", HALF_SUMS, HALF_SUMS_SHOWN),
    Kernel("torch.nn.functional.rms_norm", "rms_norm", of_rms_norm),
    Kernel("torch.nn.RMSNorm", "rms_norm", named(f"{NN}.RMSNorm")),
    Kernel("torch.nn.Softmax", "softmax", named(f"{NN}.Softmax")),
    Kernel("torch.nn.LogSoftmax", "log_softmax", named(f"{NN}.LogSoftmax")),
    Kernel("torch.logsumexp", "logsumexp", named("torch.logsumexp"), "f(x, dim=-1)"),
    Kernel("torch.nn.functional.cross_entropy", "label_cross_entropy", of_labels),
    *(
        Kernel(f"transformers {name}", layer, named(f"{HF}.{place}.modeling_{place}.{name}"))
        for name, layer, place in (
            ("LlamaRMSNorm", "rms_norm", "llama"),
            ("Qwen3RMSNorm", "rms_norm", "qwen3"),
            ("Olmo2RMSNorm", "rms_norm", "olmo2"),
            ("T5LayerNorm", "rms_norm", "t5"),
            ("GemmaRMSNorm", "offset_rms_norm", "gemma"),
            ("Gemma3RMSNorm", "offset_rms_norm", "gemma3"),
        )
    ),
    Kernel("timm LayerNorm", "layer_norm", named("timm.layers.norm.LayerNorm"), "", HALF_SUMS, HALF_SUMS_SHOWN),
    Kernel("timm RmsNorm", "rms_norm", named("timm.layers.norm.RmsNorm")),
    Kernel("flax.linen.LayerNorm", "layer_norm", of_linen("LayerNorm"), "", FAST, FAST_SHOWN),
    Kernel(
        "flax.linen.LayerNorm(use_fast_variance=False)", "layer_norm", of_linen("LayerNorm", use_fast_variance=False)
    ),
    Kernel("flax.linen.RMSNorm", "rms_norm", of_linen("RMSNorm")),
    Kernel("equinox.nn.LayerNorm", "layer_norm", of_equinox("LayerNorm")),
    Kernel("equinox.nn.RMSNorm", "rms_norm", of_equinox("RMSNorm")),
    Kernel("jax.nn.softmax", "softmax", named(f"{JAX}.softmax")),
    Kernel("jax.nn.log_softmax", "log_softmax", named(f"{JAX}.log_softmax")),
    Kernel("jax.nn.logsumexp", "logsumexp", named(f"{JAX}.logsumexp"), "f(x, axis=-1)"),
    Kernel(
        "jax.nn.standardize",
        "layer_norm",
        named(f"{JAX}.standardize"),
        "f(x, epsilon=eps)",
        "fault: the variance is that of raw moments",
        """x = 1e4 + jax.random.normal(jax.random.key(0), (2, 64))
print(jax.nn.standardize(x).std())  # 0.26, not 1""",
    ),
    Kernel(
        "optax.softmax_cross_entropy_with_integer_labels",
        "label_cross_entropy",
        named("optax.softmax_cross_entropy_with_integer_labels"),
        "f(x, label)",
        "convention: a label of -100 is not ignored",
    ),
    Kernel("optax.softmax_cross_entropy", "cross_entropy", named("optax.softmax_cross_entropy"), "f(x, target)"),
)


@dataclass(frozen=True)
class Row:
    """Outcome of the check of a kernel."""

    kernel: Kernel
    outcome: str
    failures: Sequence[str] = ()
    remarks: Sequence[str] = ()


def checked(kernel: Kernel) -> Row:
    """Check a kernel as it comes."""
    try:
        function = kernel.make()
    except Exception as error:  # whatever a package raises where it is not installed whole
        return Row(kernel, f"not run: {type(error).__name__}: {error}"[:100])
    report = lngen.check(function, kernel.layer, call=kernel.call).report
    kinds: dict[str, list[str]] = {}
    hard = dict.fromkeys(e.what.partition(": ")[0] for e in report.failures if e.kind == "hard inputs")
    some = ", ".join([*hard][:2]) + (f" and {len(hard) - 2} more" if len(hard) > 2 else "")
    for each in report.failures:
        where = f"hard inputs ({some})" if each.kind == "hard inputs" else each.what.partition(": ")[0]
        kinds.setdefault(where, []).append(each.dtype)
    failures = [f"{where} in {', '.join(dict.fromkeys(types))}" for where, types in kinds.items()]
    remarks = [f"{e.what} in {e.dtype}" if e.dtype else e.what for e in report.evidence if e.kind == "rounding"]
    remarks += [e.what for e in report.evidence if e.kind == "second order" and not e.claimed]
    return Row(
        kernel,
        "holds" if report.passed else f"{len(report.failures)} of {len(report.evidence)} fail",
        failures,
        remarks,
    )


def page(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of the page."""
    packages = ("torch", "transformers", "timm", "flax", "equinox", "jax", "optax")
    there = []
    for package in packages:
        try:
            there.append(f"{package} {version(package)}")
        except Exception:  # not installed
            continue
    yield "# Kernels of others"
    yield ""
    yield "`python -m benchmarks.kernels_of_others` holds functions of other people to the definitions of lngen, on a"
    yield f"processor, in four types. It ran on {datetime.date.today().isoformat()} with"
    yield ""
    yield from (f"* {each}" for each in there)
    yield ""
    yield "| function | layer | outcome | failures, or bounds that it needs | judgement |"
    yield "|---|---|---|---|---|"
    for row in rows:
        told = "; ".join(row.failures[:4]) + (f"; {len(row.failures) - 4} more" if len(row.failures) > 4 else "")
        told = told or "; ".join(row.remarks)
        judged = (row.kernel.judged or "open") if row.failures else ""
        yield f"| `{row.kernel.name}` | {row.kernel.layer} | {row.outcome} | {told} | {judged} |"
    faults = {row.kernel.judged: row.kernel.shown for row in rows if row.failures and row.kernel.shown}
    yield ""
    yield "Three lines that show each fault without lngen:"
    for judged, shown in faults.items():
        yield ""
        yield judged.partition(": ")[2] + ":"
        yield ""
        yield "```python"
        yield from shown.splitlines()
        yield "```"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    words, found = sys.argv[1:], []
    for each in KERNELS:
        if not words or any(word in each.name for word in words):
            row = checked(each)
            found.append(row)
            print(f"{each.name:50} {row.outcome:22} {'; '.join(row.failures) or '; '.join(row.remarks)}", flush=True)
    if not words:
        PAGE.write_text("\n".join(page(found)) + "\n", encoding="utf-8")

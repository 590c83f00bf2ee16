"""Write the tables of `layers.md` anew, from the plans of the shipped layers.

python docs/make_layers.py

A table stands between `<!-- made: NAME -->` and `<!-- end -->`; everything else in the file is written by hand. What a
kernel written by hand needs is in `BY_HAND` below, with where it was counted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lngen.language.parsing import load
from lngen.pipeline.stages import planned
from lngen.plan.cost import cost, reductions
from lngen.plan.planner import Plan
from lngen.report.summary import first_gradient

BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class ByHand:
    """The least that a kernel written by hand is known to need, forward and backward, and which kernel that is.

    Emitted code has so many `more` reductions, which the page tells why.
    """

    reductions: tuple[int, int]
    tensors: tuple[int, int]
    source: str
    more: tuple[int, int] = (0, 0)


FORMULA = "counted from the formula; no kernel known"

BY_HAND = {
    "ada_layer_norm": ByHand((2, 2), (2, 3), FORMULA),
    "ada_layer_norm_zero": ByHand((2, 2), (4, 6), FORMULA),
    "adaptive_layer_norm": ByHand((2, 2), (4, 6), FORMULA),
    "add_layer_norm": ByHand((2, 2), (4, 4), "flash-attention, flash_attn/ops/triton/layer_norm.py"),
    "add_rms_norm": ByHand((1, 1), (4, 4), "Liger-Kernel, src/liger_kernel/ops/fused_add_rms_norm.py"),
    "add_rms_norm_fp8": ByHand((1, 2), (4, 4), FORMULA),
    "alibi_softmax": ByHand((2, 1), (2, 3), FORMULA),
    "attention_residuals": ByHand((6, 3), (4, 7), FORMULA, more=(0, 2)),
    "batch_norm": ByHand((2, 2), (2, 3), FORMULA),
    "causal_softmax": ByHand((2, 2), (2, 3), FORMULA),
    "cispo": ByHand((3, 0), (1, 2), FORMULA),
    "clamped_swiglu": ByHand((0, 0), (3, 5), FORMULA),
    "cross_entropy": ByHand((3, 1), (2, 4), FORMULA),
    "distillation": ByHand((7, 0), (2, 3), FORMULA, more=(1, 0)),
    "dpo": ByHand((0, 0), (5, 7), FORMULA),
    "dropout_add_layer_norm": ByHand((2, 2), (4, 5), "flash-attention, flash_attn/ops/triton/layer_norm.py"),
    "dual_rms_norm": ByHand((2, 2), (4, 6), FORMULA),
    "dynamic_tanh": ByHand((0, 1), (2, 3), "Liger-Kernel, src/liger_kernel/ops/dyt.py"),
    "focal_loss": ByHand((3, 0), (1, 2), FORMULA),
    "gated_rms_norm": ByHand((1, 1), (3, 5), "flash-linear-attention, fla/modules/fused_norm_gate.py"),
    "geglu": ByHand((0, 0), (3, 5), "Liger-Kernel, src/liger_kernel/ops/geglu.py"),
    "group_norm": ByHand((2, 2), (2, 3), "Apex, apex/contrib/csrc/group_norm"),
    "grpo": ByHand((3, 0), (1, 2), FORMULA),
    "head_rms_norm": ByHand((1, 1), (2, 3), FORMULA),
    "info_nce": ByHand((3, 1), (1, 2), FORMULA),
    "instance_norm": ByHand((2, 2), (2, 3), FORMULA),
    "jsd": ByHand((5, 1), (2, 3), FORMULA),
    "kda_gate": ByHand((0, 1), (2, 3), "flash-linear-attention, fla/ops/kda/gate.py"),
    "kto": ByHand((0, 0), (5, 6), FORMULA),
    "l2_norm": ByHand((1, 1), (2, 3), "flash-linear-attention, fla/modules/l2norm.py"),
    "label_cross_entropy": ByHand((4, 0), (1, 2), "QuACK, quack/cross_entropy.py, with a label and smoothing"),
    "layer_norm": ByHand((2, 2), (2, 3), "Liger-Kernel, src/liger_kernel/ops/layer_norm.py"),
    "layer_norm_gelu": ByHand((2, 2), (2, 3), FORMULA),
    "layer_norm_hw": ByHand((2, 2), (2, 3), FORMULA),
    "log_softmax": ByHand((2, 1), (2, 3), "PyTorch, aten/src/ATen/native/cuda/PersistentSoftmax.cuh"),
    "logsumexp": ByHand((2, 0), (1, 2), FORMULA),
    "mean_abs_norm": ByHand((2, 3), (2, 3), FORMULA),
    "modulated_layer_norm": ByHand((2, 3), (2, 3), FORMULA),
    "modulated_rms_norm": ByHand((1, 1), (2, 3), FORMULA),
    "offset_rms_norm": ByHand((1, 1), (2, 3), "Liger-Kernel, src/liger_kernel/ops/rms_norm.py"),
    "orpo": ByHand((0, 0), (3, 5), FORMULA),
    "packed_swiglu": ByHand((0, 0), (3, 5), "Liger-Kernel, src/liger_kernel/ops/swiglu.py"),
    "poly_norm": ByHand((3, 4), (2, 3), "Liger-Kernel, src/liger_kernel/ops/poly_norm.py", more=(0, 3)),
    "pow_glu": ByHand((0, 0), (3, 5), FORMULA),
    "power_norm": ByHand((1, 1), (2, 3), FORMULA),
    "relu_squared": ByHand((0, 0), (2, 3), FORMULA),
    "rms_norm": ByHand((1, 1), (2, 3), "QuACK, quack/rmsnorm.py"),
    "rms_norm_gated": ByHand((1, 1), (3, 5), "Mamba, mamba_ssm/ops/triton/layernorm_gated.py"),
    "rms_norm_rotary": ByHand((1, 1), (4, 6), FORMULA, more=(0, 1)),
    "rotary": ByHand((0, 0), (4, 4), "Liger-Kernel, src/liger_kernel/ops/rope.py"),
    "scaled_softmax": ByHand((2, 2), (2, 3), FORMULA),
    "sink_softmax": ByHand((2, 1), (2, 3), FORMULA),
    "situ_glu": ByHand((0, 0), (3, 5), FORMULA),
    "softcap_cross_entropy": ByHand((4, 0), (1, 2), FORMULA),
    "softmax": ByHand((2, 1), (2, 3), "QuACK, quack/softmax.py"),
    "standardize": ByHand((2, 2), (2, 3), FORMULA),
    "tvd": ByHand((5, 1), (2, 3), FORMULA),
}


def layers(root: Path) -> dict[str, Plan]:
    """The plan of each layer of `derive/`, by name."""
    plans = (planned(load(path), proved=False) for path in sorted((root / "derive").glob("*.py")))
    return {plan.derivation.definition.name: plan for plan in plans}


def filled(page: str, plans: Mapping[str, Plan]) -> str:
    """The page with every table made anew."""
    made = {name: table(plans) for name, table in TABLES.items()}
    asked = [name for _, name, _ in BLOCK.findall(page)]
    if sorted(asked) != sorted(made):
        raise SystemExit(f"layers.md has the tables {', '.join(asked)}; it is to have each of {', '.join(made)} once")
    return BLOCK.sub(lambda block: f"{block[1]}\n{made[block[2]]}\n\n{block[3]}", page)


def counted(plan: Plan) -> tuple[tuple[int, int], tuple[int, int]]:
    """Reductions and row tensors of what is emitted, forward and backward."""
    forward, backward = plan.forward, plan.backward
    return (reductions(forward), reductions(backward)), (cost(forward).tensors, cost(backward).tensors)


def counts(plans: Mapping[str, Plan]) -> str:
    rows = []
    for name, plan in plans.items():
        by_hand = BY_HAND[name]
        (forward, backward), (there, back) = counted(plan)
        reduced, moved = by_hand.reductions, by_hand.tensors
        rows.append([name, f"{forward} + {backward}", f"{reduced[0]} + {reduced[1]}"])
        rows[-1] += [f"{there} + {back}", f"{moved[0]} + {moved[1]}", by_hand.source]
    return _table(["layer", "reductions", "by hand", "row tensors", "by hand", "counted in"], rows)


def gradients(plans: Mapping[str, Plan]) -> str:
    rows = []
    for name, plan in plans.items():
        lines = "<br>".join(f"`{line}`" for line in first_gradient(plan))
        rows.append([f"[{name}](../generated/{name}/derivation.md)", lines])
    return _table(["layer", "gradient of its first row"], rows)


TABLES = {table.__name__: table for table in (counts, gradients)}


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows))


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[1]
    path = root / "docs" / "layers.md"
    path.write_text(filled(path.read_text(encoding="utf-8"), layers(root)), encoding="utf-8")

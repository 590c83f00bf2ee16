"""A folder that Hugging Face's package `kernels` loads: layers for PyTorch on any GPU, by PyTorch and Triton alone.

DIR/README.md
DIR/build/torch-universal/metadata.json
DIR/build/torch-universal/NAME/          a package, whose imports are relative
    __init__.py  layers.py  _runtime/    modules whose `forward` alone is used, and what all layers share
    LAYER/                               its page for PyTorch, its kernels in Triton, and its derivation
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from lngen.emit import torch
from lngen.emit.class_names import attribute, class_of
from lngen.emit.interface import interface
from lngen.errors import LngenError
from lngen.paths import RUNTIME
from lngen.pipeline.files.atomic import replacing, write
from lngen.pipeline.files.shared import runtime_files
from lngen.plan.planner import Plan
from lngen.report import formulas, report
from lngen.report.heading import notes
from lngen.runtime.cache import digest
from lngen.version import __version__

VARIANT = "build/torch-universal"
_SHARED = ("triton.py", *(f"torch/{name}.py" for name in ("asked", "gpu", "layers", "operators")))


def export(plans: Sequence[Plan], folder: Path) -> Path:
    """Write layers to a folder, named as it is, in whose place nobody sees a part; return the folder of the package.

    Raises LngenError for a folder whose name cannot be that of a package.
    """
    name = folder.resolve().name.replace("-", "_").lower()
    if not name.isidentifier():
        raise LngenError(f"{folder} is to be a package for the hub, whose name has letters, digits and dashes.")
    files = _package(plans)
    made = {f"{name}/{path}": text for path, text in files.items()}
    known = {
        "name": name.replace("_", "-"),
        "id": f"{name}_{digest(made.values())[:12]}",
        "version": 1,
        "license": "MIT",
    }
    known |= {"python-depends": [], "backend": {"type": "cuda"}}  # the variant says that it is for any
    made["metadata.json"] = json.dumps(known, indent=2) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / VARIANT) as (new,):
        for path, text in made.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_text(text, encoding="utf-8")
    write(folder / "README.md", _readme(plans, name))
    return folder / VARIANT / name


def _package(plans: Sequence[Plan]) -> dict[str, str]:
    files = {f"{RUNTIME}/{path}": runtime_files()[path] for path in _SHARED}
    files |= {f"{RUNTIME}/{path}__init__.py": '"""What the layers share."""\n' for path in ("", "torch/")}
    classes: dict[str, str] = {}
    names = []
    for plan in plans:
        definition = plan.derivation.definition
        names.append(definition.name)
        pages = torch.emit(plan.programs(), notes(plan, "torch"), alone=True)
        pages |= {"__init__.py": f'"""{definition.name}, made by lngen {__version__}."""\n'}
        pages["derivation.md"] = report(plan, "markdown").strip("\n") + "\n"
        files |= {f"{definition.name}/{path}": text for path, text in pages.items()}
        classes = _classes(plan) | classes
    imports = [f"from .{name}.torch_backend import {name}" for name in names]
    head = ['"""Layers by their `forward`, which reads the attributes of the module that it is put into."""', ""]
    files["layers.py"] = "\n".join([*head, "import torch", "", *imports, "", *classes.values()])
    exported = ", ".join(f'"{each}"' for each in ("layers", *names))
    files["__init__.py"] = "\n".join(
        [f'"""Made by lngen {__version__}."""', "", "from . import layers", *imports, "", f"__all__ = [{exported}]", ""]
    )
    return files


def _classes(plan: Plan) -> dict[str, str]:
    """The classes of a layer by name: those of modules that it computes whatever their attributes are, and its own."""
    definition = plan.derivation.definition
    plain = [each for each in definition.counterparts if not (each.conditions or each.statistics or each.reduction)]
    found = {class_of(definition.name): _class(plan, class_of(definition.name), {})}
    for each in plain:
        name = each.name.rpartition(".")[2]
        found[name] = _class(plan, name, {ours: theirs for theirs, ours in each.attributes})
    return found


def _class(plan: Plan, name: str, theirs: Mapping[str, str]) -> str:
    """The text of a class; `theirs` are names of attributes by ours, and what is not among these is left out."""
    layer = interface(plan.forward, notes(plan, "torch"))
    rows = [each for each in layer.inputs if not layer.is_parameter(each)]
    held = [each.public for each in (*layer.inputs, *layer.constants) if each not in rows]
    held += [size.name for size in layer.sizes]
    taken = {each: theirs.get(each, None if theirs else attribute(each)) for each in held}
    given = [each.public for each in rows]
    passed = [*given, *(f"{ours}=self.{own}" for ours, own in taken.items() if own)]
    lines = ["", f"class {name}(torch.nn.Module):", "    has_backward = True", "    can_torch_compile = True", ""]
    lines += [f"    def forward(self, {', '.join(given)}):"]
    if "D" in theirs:
        problem = f'"{name} is computed for rows of one axis, and {theirs["D"]} has several"'
        lines += [f"        if len(self.{theirs['D']}) != 1:", f"            raise ValueError({problem})"]
    return "\n".join([*lines, f"        return {plan.derivation.definition.name}({', '.join(passed)})", ""])


def _readme(plans: Sequence[Plan], name: str) -> str:
    lines = ["---", "library_name: kernels", "license: mit", "tags:", "- kernels", "---", "", f"# {name}", ""]
    lines += ["Layers for PyTorch on any GPU, by kernels in Triton that lngen printed from a derivation. They need"]
    lines += ["PyTorch alone, which brings Triton. Elsewhere PyTorch's own operations compute the same formulas.", ""]
    lines += ["```python", "from pathlib import Path", "", "from kernels import get_local_kernel", ""]
    first = plans[0].derivation.definition.name
    lines += [f'{name} = get_local_kernel(Path("{name}"))', f"y = {name}.{first}(x)", "```"]
    for plan in plans:
        found, of = formulas(plan), plan.derivation.definition
        lines += ["", f"## {of.name}", "", of.docstring.strip().splitlines()[0], "", "```"]
        lines += [*found["forward"], "", *found["backward"], "```", ""]
        lines += [f"Each step: [derivation.md]({VARIANT}/{name}/{of.name}/derivation.md). In `layers.py`:"]
        lines += [", ".join(f"`{each}`" for each in _classes(plan)) + "."]
    return "\n".join([*lines, ""])

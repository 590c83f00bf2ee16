"""Headers that are precompiled are taken, and kernels are the same with them and without."""

import os
import subprocess

import pytest

from lngen.runtime.includes import inlined
from lngen.runtime.native import compiler as host_compiler
from tests.precompiled import VARIABLE, precompiled
from tests.requirements import gxx, needs_gxx
from tests.shipped import ROOT

MACROS = ("-DLNGEN_COMPUTED=f64", "-DLNGEN_ROWS=f64")


@needs_gxx
@pytest.mark.ci
def test_kernels_are_the_same_with_them(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", str(gxx()))
    text = inlined(ROOT / "generated" / "layer_norm" / "kernels.cpp")
    options = ["-x", "c++", "-std=c++17", *host_compiler.OPTIONS, "-march=native", *MACROS, "-H"]
    own = {name: value for name, value in os.environ.items() if name != VARIABLE}

    def compiled(name: str, environment: dict[str, str]) -> tuple[bytes, str]:
        made = tmp_path / name
        command = [str(gxx()), *options, "-", "-o", str(made)]
        done = subprocess.run(command, input=text, env=own | environment, capture_output=True, text=True, check=True)
        return made.read_bytes(), done.stderr

    plain, _ = compiled("plain.so", {})
    same, included = compiled("same.so", precompiled(tmp_path))
    assert included.startswith(f"! {tmp_path}"), "GCC marks one that it takes by an exclamation mark"
    assert same == plain


def test_without_a_compiler_nothing_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert precompiled(tmp_path) == {}
    monkeypatch.setenv("CXX", "false")
    assert precompiled(tmp_path) == {}

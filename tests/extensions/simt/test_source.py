"""Kernels found in a source, and the changes made to it."""

import pytest

from lngen.errors import LngenError
from lngen.extensions.simt.source import for_compiler, macro_options, signatures, with_includes_set_aside


@pytest.mark.parametrize(
    ("text", "kernel", "parameters"),
    [
        ('extern "C" __global__ void f() {}', "f", ()),
        ('extern "C" __global__ void f(void) {}', "f", ()),
        ('extern "C" __global__ void f(int n = g(1, 2)) {}', "f", ("n",)),
        (
            'extern "C" __global__ void __launch_bounds__(A<B, 2>::N, 1)\n f(const T<A, B>* __restrict__ x, int D);',
            "f",
            ("x", "D"),
        ),
        (
            'extern "C" {\nint table[] = {1, 2};\n__global__ void __cluster_dims__(2) f(float4 *x) { g("}"); }\n}',
            "f",
            ("x",),
        ),
        (
            'namespace a { void g() {} }\nextern "C" { namespace { } __global__ void f(unsigned long long n) {} }',
            "f",
            ("n",),
        ),
    ],
)
def test_kernels_are_found(text, kernel, parameters):
    (found,) = signatures(text)
    assert (found.kernel, found.parameters) == (kernel, parameters)


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void f() {}",
        "namespace a { __global__ void f() {} }",
        'extern "C" int g();\n__global__ void f() {}',
        'extern "C" { namespace a { __global__ void f() {} } }',
        'const char* text = "extern \\"C\\" __global__ void f() {}";',
    ],
)
def test_what_is_no_kernel(text):
    assert signatures(text) == ()


def test_a_kernel_that_is_declared_and_defined_is_one():
    text = 'extern "C" __global__ void f(int n);\nextern "C" __global__ void f(int m) {}'
    assert [(s.kernel, s.parameters) for s in signatures(text)] == [("f", ("n",))]


@pytest.mark.parametrize("text", ['extern "C" __global__ void f(int n', 'extern "C" __global__ void;'])
def test_a_kernel_that_is_cut_off(text):
    with pytest.raises(LngenError, match="a kernel"):
        signatures(text)


def test_lines_keep_their_numbers():
    text = "void f() {\n  extern __shared__\n  __align__(16) unsigned\n  char bytes[\n];\n}\n#include <a.h>\nint x;"
    changed = for_compiler(with_includes_set_aside(text))
    assert changed.count("\n") == text.count("\n")
    assert changed.splitlines()[-2:] == ["#include <a.h>", "int x;"]
    assert "reinterpret_cast<unsigned char*>" in changed


def test_macros_are_names():
    with pytest.raises(LngenError, match="is not the name of a macro"):
        macro_options({"A B": 1})

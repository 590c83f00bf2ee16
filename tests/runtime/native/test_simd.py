"""The headers for processors, `simd.h` and what goes with it, compiled by g++ and called through ctypes."""

from __future__ import annotations

import ctypes
import mmap
import platform
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from mpmath import mp, mpf

from lngen import runtime
from lngen.pipeline.cache import folders, key
from tests.requirements import CROSS_GXX, NO_INSTRUCTIONS, gxx, needs_cross_compiler, needs_gxx
from tests.runtime.native import simd_fits
from tests.tiers import sample

FOLDER = Path(next(iter(runtime.__path__))) / "native"
HEADERS = sorted(path.name for path in FOLDER.glob("simd*.h"))
HARNESS = Path(__file__).with_name("simd.cpp")
OPTIONS = ["-std=c++17", "-O2", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
OPTIONS += ["-Wno-psabi", f"-I{FOLDER}"]

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
LANES = {"f32": 16, "f64": 8}
PAIRS = [(computed, stored) for computed in LANES for stored in DTYPES]

# What a processor has to have, in /proc/cpuinfo, for each target.
NEEDS = {
    "native": set(),
    "x86-64": set(),
    "x86-64-v3": {"avx2", "fma", "f16c", "bmi2"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
}


@cache
def unfit(arch: str) -> str:
    """Return why programs for this target cannot run here, or nothing."""
    if arch == "native":
        return ""
    if platform.machine() != "x86_64":
        return f"{NO_INSTRUCTIONS} x86-64"
    flags = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    return f"{NO_INSTRUCTIONS} {', '.join(sorted(NEEDS[arch] - flags))}" if NEEDS[arch] - flags else ""


class Library:
    """The harness for a target, compiled once: `call("exp_f32", u, y, n)` with arrays and whole numbers."""

    def __init__(self, arch: str) -> None:
        if reason := unfit(arch):
            pytest.skip(reason)
        compiler = gxx() or "g++"
        command = [compiler, *OPTIONS, f"-march={arch}", str(HARNESS), "-o"]
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
        parts = [platform.processor(), version, *command, HARNESS.read_text(encoding="utf-8")]
        parts += [(FOLDER / name).read_text(encoding="utf-8") for name in HEADERS]

        def make(folder: Path) -> None:
            subprocess.run([*command, str(folder / "simd.so")], check=True)

        self._library = ctypes.CDLL(str(folders.entry(key(parts), make) / "simd.so"))

    def call(self, name: str, *arguments: np.ndarray | int) -> None:
        function = self._library[name]
        function.restype = None
        function(*(ctypes.c_long(a) if isinstance(a, int) else ctypes.c_void_p(a.ctypes.data) for a in arguments))

    def of(self, name: str, dtype: str, *arguments: np.ndarray) -> np.ndarray:
        """A function of arrays of any length."""
        n = -(-len(arguments[0]) // 16) * 16
        filled = [np.resize(a.astype(DTYPES[dtype]), n) for a in arguments]
        y = np.empty(n, DTYPES[dtype])
        self.call(f"{name}_{dtype}", *filled, y, n)
        return y[: len(arguments[0])]


library = cache(Library)


def on_targets() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("arch", sample(NEEDS, ()))


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.itemsize}")


def assert_same_numbers(got: np.ndarray, wanted: np.ndarray) -> None:
    """Equal with the sign of 0, NaN where NaN is wanted."""
    with np.errstate(invalid="ignore"):
        lost = np.isnan(wanted)
        np.testing.assert_array_equal(np.isnan(got), lost)
    np.testing.assert_array_equal(bits(got)[~lost], bits(wanted)[~lost])


# ------------------------------------------------------------------------------------------------------- functions


def _sigmoid(u: mpf) -> mpf:
    return 1 / (1 + mp.exp(-u))


def _softplus(u: mpf) -> mpf:
    return max(u, mpf(0)) + mp.log1p(mp.exp(-min(abs(u), mpf(LIMIT))))


REFERENCES: dict[str, Callable[[mpf], mpf]] = {
    "exp": mp.exp,
    "log": mp.log,
    "log1p": mp.log1p,
    "expm1": mp.expm1,
    "sin": mp.sin,
    "cos": mp.cos,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "tanh": mp.tanh,
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "erf": mp.erf,
    "rsqrt": lambda u: 1 / mp.sqrt(u),
}
# Beyond the limit they are 0, 1, -1 or infinite in any type, and mpmath would take its time.
LEVEL, LIMIT = (mp.exp, mp.expm1, mp.tanh, mp.erf, _sigmoid), 1e4
LOWEST = {"log": 0.0, "log1p": -1.0, "rsqrt": 0.0, "asin": -1.0, "acos": -1.0}
HIGHEST = {"asin": 1.0, "acos": 1.0}
AT_LIMITS: dict[str, tuple[float, float, float, float]] = {
    # of -infinity, -0, 0, infinity
    "exp": (0, 1, 1, np.inf),
    "log": (np.nan, -np.inf, -np.inf, np.inf),
    "log1p": (np.nan, -0.0, 0, np.inf),
    "expm1": (-1, -0.0, 0, np.inf),
    "sin": (np.nan, -0.0, 0, np.nan),
    "cos": (np.nan, 1, 1, np.nan),
    "asin": (np.nan, -0.0, 0, np.nan),
    "acos": (np.nan, np.pi / 2, np.pi / 2, np.nan),
    "atan": (-np.pi / 2, -0.0, 0, np.pi / 2),
    "tanh": (-1, -0.0, 0, 1),
    "sigmoid": (0, 0.5, 0.5, 1),
    "softplus": (0, np.log(2), np.log(2), np.inf),
    "erf": (-1, -0.0, 0, 1),
    "rsqrt": (np.nan, -np.inf, np.inf, 0),
    "sqrt": (np.nan, -0.0, 0, np.inf),
    "abs": (np.inf, 0, 0, np.inf),
    "sign": (-1, -0.0, 0, 1),
}


def arguments(name: str, dtype: str, count: int) -> np.ndarray:
    """Return arguments of every exponent, subnormal ones too, and many where the function changes."""
    rng = np.random.default_rng(0)
    info = np.finfo(DTYPES[dtype])
    sizes = 2.0 ** rng.uniform(info.minexp - info.nmant, info.maxexp, count)
    edge = {"f32": 104.0, "f64": 746.0}[dtype]
    parts = [sizes, 2.0 ** rng.uniform(-30, 8, count), rng.uniform(0, 8, count), rng.uniform(0.2, 1.3, count)]
    parts += [edge * rng.uniform(0.83, 1.02, count // 4), 1 + 10.0 ** rng.uniform(-9, 0, count // 4)]
    parts += [1 - 10.0 ** rng.uniform(-9, 0, count // 4), np.pi / 2 * np.arange(1, 50)]
    if name in ("sin", "cos"):
        parts += [np.pi / 2 * rng.integers(1, 2**22, count), rng.uniform(0, 2.0**31, count // 4)]
    with np.errstate(over="ignore", under="ignore"):
        u = np.concatenate(parts).astype(DTYPES[dtype])
    u = np.concatenate([u, -u])
    return u[np.isfinite(u) & (u > LOWEST.get(name, -np.inf)) & (u < HIGHEST.get(name, np.inf))]


def units_off(got: np.ndarray, u: np.ndarray, reference: Callable[[mpf], mpf], dtype: str) -> np.ndarray:
    """Return the error in units in the last place; infinity if only one of the two is a number."""
    info = np.finfo(DTYPES[dtype])
    off = np.empty(len(u))
    with mp.workdps(30):
        for i, (value, found) in enumerate(zip(u.tolist(), got.tolist(), strict=True)):
            wanted = reference(mpf(max(-LIMIT, min(value, LIMIT)) if reference in LEVEL else value))
            exponent = max(mp.frexp(wanted)[1] - 1, info.minexp) - info.nmant if wanted else info.minexp - info.nmant
            if not np.isfinite(found):
                # Half a unit beyond the largest number is where infinity begins; one more is granted.
                off[i] = 0 if wanted > mpf(float(info.max)) * (1 - mpf(2) ** -info.nmant) and found > 0 else np.inf
            else:
                off[i] = float(mp.ldexp(abs(mpf(found) - wanted), -exponent))
    return off


@pytest.mark.ci
@needs_gxx
@on_targets()
@pytest.mark.parametrize("name", REFERENCES)
def test_functions_are_off_by_less_than_two_units_in_the_last_place(arch: str, name: str) -> None:
    for dtype in LANES:
        u = arguments(name, dtype, 60)
        for called in (name, f"one_{name}"):
            off = units_off(library(arch).of(called, dtype, u), u, REFERENCES[name], dtype)
            assert off.max() < 2, (called, dtype, u[off.argmax()], off.max())


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("name", REFERENCES)
def test_functions_of_doubles_at_many_points(name: str) -> None:
    u = arguments(name, "f64", 8000)
    off = units_off(library("native").of(name, "f64", u), u, REFERENCES[name], "f64")
    assert off.max() < 2, (u[off.argmax()], off.max())


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("points", sample([2**16, 2**20], [2**16]))
def test_functions_of_floats_over_the_whole_range(points: int) -> None:
    """Beside those of doubles, which have polynomials of their own and are off by nothing that a float shows."""
    u = np.arange(0, 2**32, 2**32 // points, dtype=np.uint64).astype(np.uint32).view(np.float32)
    u = u[~np.isnan(u)]
    for name in REFERENCES:
        got, wanted = library("native").of(name, "f32", u), library("native").of(name, "f64", u)
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = wanted.astype(np.float32)
            off = np.abs(got - wanted) / np.spacing(np.abs(np.where(np.isfinite(rounded), rounded, 1)))
        exact = ~np.isfinite(rounded)
        np.testing.assert_array_equal(got[exact], rounded[exact], err_msg=name)
        assert off[~exact].max() < 2, (name, u[~exact][off[~exact].argmax()])


@pytest.mark.ci
@needs_gxx
@on_targets()
def test_functions_at_their_limits(arch: str) -> None:
    for dtype in LANES:
        u = np.array([-np.inf, -0.0, 0.0, np.inf], DTYPES[dtype])
        for name, limits in AT_LIMITS.items():
            for called in (name, f"one_{name}"):
                got = library(arch).of(called, dtype, u)
                np.testing.assert_allclose(got, np.array(limits, DTYPES[dtype]), rtol=2e-7, err_msg=called)
                np.testing.assert_array_equal(
                    np.signbit(got)[~np.isnan(got)], np.signbit(limits)[~np.isnan(limits)], err_msg=called
                )
                assert np.isnan(library(arch).of(called, dtype, np.array([np.nan]))).all(), called
        beyond = np.array([-1.5, -1e30])
        assert np.isnan(library(arch).of("log1p", dtype, beyond)).all()
        assert np.isnan(library(arch).of("log", dtype, beyond)).all()


@pytest.mark.ci
@needs_gxx
def test_a_lane_does_not_depend_on_the_others() -> None:
    """One that the C library has to compute leaves the bits of the rest."""
    for dtype, strange in (("f32", 1e30), ("f64", 1e300)):
        u = np.linspace(0.1, 3, LANES[dtype]).astype(DTYPES[dtype])
        for name in REFERENCES:
            alone = library("native").of(name, dtype, u)
            for value in (strange, -strange, 0, np.nan, np.inf):
                beside = u.copy()
                beside[3] = value
                np.testing.assert_array_equal(
                    np.delete(library("native").of(name, dtype, beside), 3), np.delete(alone, 3)
                )


@needs_gxx
@on_targets()
def test_powers(arch: str) -> None:
    rng = np.random.default_rng(0)
    for dtype in LANES:
        info = np.finfo(DTYPES[dtype])
        u = (2.0 ** rng.uniform(info.minexp - info.nmant, info.maxexp, 400)).astype(DTYPES[dtype])
        v = np.concatenate([rng.uniform(-1.2, 1.2, 200), rng.uniform(-0.01, 0.01, 200)]).astype(DTYPES[dtype])
        u[100:200] = rng.uniform(0.9, 1.1, 100)
        v[100:200] *= 100
        y = library(arch).of("pow", dtype, u, v)
        with mp.workdps(30):
            for base, exponent, got in zip(u.tolist(), v.tolist(), y.tolist(), strict=True):
                wanted = mpf(base) ** mpf(exponent)
                if wanted < float(info.max):
                    unit = mpf(2) ** (max(mp.frexp(wanted)[1] - 1, info.minexp) - info.nmant)
                    assert abs(got - wanted) < 2 * unit, (base, exponent)
        strange = np.array([-np.inf, -2, -0.5, -0.0, 0, 1, 2, np.inf, np.nan])
        for exponent in (-np.inf, -3, -0.5, 0, 0.5, 2, 3, np.inf, np.nan):
            exponents = np.full(len(strange), exponent)
            with np.errstate(all="ignore"):
                wanted_limits = np.power(strange, exponents).astype(DTYPES[dtype])
            assert_close_with_sign(library(arch).of("pow", dtype, strange, exponents), wanted_limits)


def assert_close_with_sign(got: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-6)
    there = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(got[there]), np.signbit(wanted[there]))


@needs_gxx
@on_targets()
def test_fused_rounds_once(arch: str) -> None:
    for dtype, lanes in LANES.items():
        small = np.finfo(DTYPES[dtype]).eps
        u = np.full(lanes, 1 + small, DTYPES[dtype])
        y = np.empty_like(u)
        library(arch).call(f"fused_{dtype}", u, u, -(u * u), y)
        assert (y == small**2).all()


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("arch", ["x86-64-v3", "x86-64-v4"])
def test_targets_with_a_fused_multiply_add_give_the_same_bits(arch: str) -> None:
    native = library("native")
    if platform.machine() != "x86_64" or "fma" not in Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
        pytest.skip("no fused multiply-add")
    for dtype in LANES:
        for name in (*REFERENCES, "sqrt"):
            u = arguments(name, dtype, 5000)
            assert_same_numbers(library(arch).of(name, dtype, u), native.of(name, dtype, u))


@pytest.mark.parametrize("name", sample(dict.fromkeys(fit.name for fit in simd_fits.FITS), ["exp", "log"]))
def test_the_polynomials_are_as_fitted(name: str) -> None:
    text = " ".join((FOLDER / "simd_functions.h").read_text(encoding="utf-8").split())
    for fit in simd_fits.FITS:
        for dtype in fit.count if fit.name == name else ():
            coefficients, error = simd_fits.printed(fit, dtype)
            assert coefficients in text, dtype
            assert error < 1 / 12, dtype


# ---------------------------------------------------------------------------------------------------------- memory


def every_entry(stored: str) -> np.ndarray:
    return np.arange(2**16, dtype=np.uint16).view(DTYPES[stored])


@needs_gxx
@on_targets()
@pytest.mark.parametrize("stored", ["f16", "bf16"])
def test_every_entry_of_16_bits_is_widened_and_comes_back(arch: str, stored: str) -> None:
    entries = every_entry(stored)
    for computed in LANES:
        with np.errstate(invalid="ignore"):
            wanted = entries.astype(DTYPES[computed])
        for one in ("", "one_"):
            wide, back = np.empty_like(wanted), np.empty_like(entries)
            library(arch).call(f"{one}widen_{computed}_{stored}", entries, wide, len(entries))
            assert_same_numbers(wide, wanted)
            library(arch).call(f"{one}narrow_{computed}_{stored}", wide, back, len(entries))
            assert_same_numbers(back, entries)


@needs_gxx
@on_targets()
@pytest.mark.parametrize("stored", ["f16", "bf16"])
@pytest.mark.parametrize("computed", LANES)
def test_numbers_are_rounded_once_to_the_nearest_entry(arch: str, computed: str, stored: str) -> None:
    """Half way between all neighbours, and as little as there is on either side."""
    entries = np.arange(0x7F80 if stored == "bf16" else 0x7C00, dtype=np.uint16)
    # What follows the largest entry, which is infinite, is a power of two for this.
    low = entries.view(DTYPES[stored]).astype(np.float64)
    high = np.append(low[1:], 2 * low[-1] - low[-2])
    middle = ((low + high) / 2).astype(DTYPES[computed])
    even = entries + entries % 2
    below, above = np.nextafter(middle, DTYPES[computed](0)), np.nextafter(middle, DTYPES[computed](np.inf))
    for values, wanted in ((middle, even), (below, entries), (above, entries + 1)):
        for sign in (1, -1):
            for name in ("narrow", "one_narrow"):
                got = np.empty(len(entries), np.uint16)
                library(arch).call(f"{name}_{computed}_{stored}", sign * values, got, len(entries))
                np.testing.assert_array_equal(got, wanted | (0x8000 if sign < 0 else 0))


@needs_gxx
@on_targets()
def test_what_is_too_large_or_no_number(arch: str) -> None:
    for computed, stored in PAIRS:
        values = np.resize(np.array([np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, -0.0], np.float64), 16)
        with np.errstate(over="ignore", under="ignore"):
            given = values.astype(DTYPES[computed])
            wanted = given.astype(DTYPES[stored])
        got = np.empty(16, DTYPES[stored])
        library(arch).call(f"narrow_{computed}_{stored}", given, got, 16)
        assert_same_numbers(got, wanted)


def at_the_end_of_a_page(count: int, dtype: str) -> tuple[np.ndarray, mmap.mmap]:
    """Entries beyond which there is no memory, and what holds them."""
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    place = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(place + mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    size = count * np.dtype(DTYPES[dtype]).itemsize
    return np.frombuffer(pages, np.uint8, size, mmap.PAGESIZE - size).view(DTYPES[dtype]), pages


@needs_gxx
@on_targets()
def test_the_first_entries_are_all_that_is_touched(arch: str) -> None:
    for computed, stored in PAIRS:
        count = LANES[computed]
        entries, _pages = at_the_end_of_a_page(count, stored)
        numbers = np.arange(1, count + 1).astype(DTYPES[computed])
        for n in range(count):
            last = entries[count - n :]
            last[:] = numbers[:n].astype(DTYPES[stored])
            got = np.full(count, -1, DTYPES[computed])
            library(arch).call(f"widen_first_{computed}_{stored}", last, got, n)
            np.testing.assert_array_equal(got, np.where(np.arange(count) < n, numbers, 0))
            entries[:] = 0
            library(arch).call(f"narrow_first_{computed}_{stored}", numbers, last, n)
            np.testing.assert_array_equal(entries, np.append(np.zeros(count - n), numbers[:n]).astype(DTYPES[stored]))


@needs_gxx
@on_targets()
def test_any_address_is_read_and_streaming_stores_the_same(arch: str) -> None:
    for computed, stored in PAIRS:
        buffer = np.zeros(4 * 64 * 16 + 64, np.uint8)
        aligned = buffer[-buffer.ctypes.data % 64 :][: 128 * np.dtype(DTYPES[stored]).itemsize].view(DTYPES[stored])
        aligned[:] = np.linspace(-3, 3, 128).astype(DTYPES[stored])
        wide, again = np.empty(112, DTYPES[computed]), np.zeros(4 * 64 * 16, np.uint8)
        library(arch).call(f"widen_{computed}_{stored}", aligned[3:115], wide, 112)
        np.testing.assert_array_equal(wide, aligned[3:115].astype(DTYPES[computed]))
        to = again[-again.ctypes.data % 64 :][: 112 * np.dtype(DTYPES[stored]).itemsize].view(DTYPES[stored])
        library(arch).call(f"stream_{computed}_{stored}", wide, to, 112)
        np.testing.assert_array_equal(to, wide.astype(DTYPES[stored]))


# ----------------------------------------------------------------------------------------------------------- lanes


@needs_gxx
@on_targets()
def test_lanes_are_as_many_numbers(arch: str) -> None:
    for dtype, count in LANES.items():
        values = np.resize(np.array([-1.5, -0.0, 0, 1, 2.5, 7, np.nan, np.inf], DTYPES[dtype]), count)
        for shift in range(8):
            lanes, one = np.empty(count, DTYPES[dtype]), np.empty(count, DTYPES[dtype])
            library(arch).call(f"text_{dtype}", values, np.roll(values, shift), lanes)
            library(arch).call(f"one_text_{dtype}", values, np.roll(values, shift), one)
            assert_same_numbers(lanes, one)


@needs_gxx
@on_targets()
def test_reductions_and_masks(arch: str) -> None:
    rng = np.random.default_rng(0)
    for dtype, count in LANES.items():
        u, y = rng.standard_normal(count).astype(DTYPES[dtype]), np.empty(3, DTYPES[dtype])
        library(arch).call(f"reduced_{dtype}", u, y)
        tree = u
        while len(tree) > 1:
            tree = tree[: len(tree) // 2] + tree[len(tree) // 2 :]
        np.testing.assert_array_equal(y, [tree[0], u.max(), u.min()])
        for lane in range(count):
            strange = u.copy()
            strange[lane] = np.nan
            library(arch).call(f"reduced_{dtype}", strange, y)
            assert np.isnan(y).all()
        for n in range(count + 1):
            first = np.empty(count, DTYPES[dtype])
            library(arch).call(f"first_{dtype}", n, first)
            np.testing.assert_array_equal(first, np.where(np.arange(count) < n, np.arange(count), -1))
        distances = rng.integers(0, 3, (3, count)).astype(DTYPES[dtype])
        least, where = np.empty(count, DTYPES[dtype]), np.empty(count, DTYPES[dtype])
        library(arch).call(f"nearest_{dtype}", distances, least, where)
        np.testing.assert_array_equal(least, distances.min(0))
        np.testing.assert_array_equal(where, distances.argmin(0))


@pytest.mark.ci
@needs_gxx
@pytest.mark.parametrize("header", HEADERS)
def test_each_compiles_alone_without_a_warning(header: str, tmp_path: Path) -> None:
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "{header}"\n#include "{header}"\n', encoding="utf-8")
    options = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", f"-I{FOLDER}"]
    subprocess.run([gxx() or "g++", *options, "-fsyntax-only", str(source)], check=True)


@pytest.mark.ci
@needs_cross_compiler
def test_they_compile_for_aarch64(tmp_path: Path) -> None:
    compiler = shutil.which(CROSS_GXX) or "g++"
    subprocess.run([compiler, *OPTIONS, str(HARNESS), "-o", str(tmp_path / "simd.so")], check=True)

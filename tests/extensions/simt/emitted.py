"""Emitted kernels launched on the emulator, as their contracts say, from the same values as the oracle's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, is_row
from lngen.emit.cpp.contract import LAUNCH_FIELDS, KernelArgument, LaunchContract
from lngen.emit.cpp.kernels import contracts_of, handed, kernels_of
from lngen.extensions import simt
from lngen.plan.program import RowProgram
from tests.corpus import interpret

DTYPES: dict[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}

# Half the distance from 1 to the next number.
ROUNDOFF = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}

Pair = tuple[RowProgram, RowProgram]


def compute_of(dtype: str) -> str:
    return "f64" if dtype == "f64" else "f32"


@dataclass
class Case:
    """One call of a layer: the kernels, the values by name (None is left out), and how it is launched."""

    kernels: simt.EmulatedKernels
    layer: str
    pair: Pair
    dtype: str
    rows: int
    features: int
    given: Mapping[str, Any]
    cotangents: Mapping[str, Any]
    blocks: int = 3
    how: Mapping[str, Any] | None = None

    def run(self) -> dict[str, Any]:
        """Results and gradients by the names that the layer has for them."""
        self._values: dict[str, Any] = {}
        self._workspace: simt.Uninitialised | None = None
        for contract in contracts_of([kernels_of(handed(program), self.layer) for program in self.pair]):
            if self._name(contract) in self.kernels:
                self._launch(contract)
        names = [name for program in self.pair for store in program.results for name in store.names]
        return {name: self._values[name].array for name in names if name in self._values}

    def _name(self, contract: LaunchContract) -> str:
        return f"{self.layer}_{contract.kernel}_{self.dtype}"

    def _launch(self, contract: LaunchContract) -> None:
        name = self._name(contract)
        table = dict(zip(LAUNCH_FIELDS, self.kernels.launch_table(name).tolist(), strict=True))
        rows_per_block, cluster = table["rows_per_block"], table["blocks_per_row"]
        arguments = [self._argument(contract, argument) for argument in contract.arguments]
        grid = self.blocks
        if contract.kernel.endswith("_columns"):
            # No columns per block where the end of the sums needs all of them: a single block.
            grid = -(-self.features // rows_per_block) if rows_per_block else 1
        elif contract.kernel == "forward":
            grid = max(1, -(-self.rows // rows_per_block))
        how = {"cluster": cluster, **(self.how or {})}
        self.kernels[name](grid * cluster, table["threads_per_block"], table["shared_bytes"], *arguments, **how)

    def _argument(self, contract: LaunchContract, argument: KernelArgument) -> Any:
        program = self.pair[0 if contract.kernel == "forward" else 1]
        name = argument.name.removesuffix("_")
        if argument.role in ("rows", "blocks", "D"):
            return {"rows": self.rows, "blocks": self.blocks, "D": self.features}[argument.role]
        if argument.role == "Constant":
            default = next(p.default for p in program.parameters if p.name == name)
            assert default is not None
            return float(default)
        if argument.role == "workspace":
            if self._workspace is None:
                size = self.blocks * (contract.column_sums * self.features + contract.scalar_sums)
                self._workspace = simt.Uninitialised(np.empty(size, DTYPES[compute_of(self.dtype)]))
            return self._workspace
        if argument.role in ("result", "save"):
            return self._output(program, argument)
        if argument.role == "saved":
            return self._values[f"saved {name}"]
        if name in self.cotangents:
            return self.cotangents[name]
        return self.given[name] if name in self.given else self._values[name]

    def _output(self, program: RowProgram, argument: KernelArgument) -> simt.Uninitialised | None:
        if argument.role == "save":
            saved = simt.Uninitialised(np.empty(self.rows, DTYPES[compute_of(self.dtype)]))
            self._values[f"saved {argument.name.removeprefix('save_').removesuffix('_')}"] = saved
            return saved
        if argument.absent and self._is_left_out(argument.absent):
            return None
        name = argument.part.removeprefix("out ")
        store = next(store for store in program.results if name in store.names)
        shapes = {RowSymbol: (self.rows, self.features), RowScalarSymbol: (self.rows,), FeatureSymbol: (self.features,)}
        shape = next((shape for kind, shape in shapes.items() if isinstance(store.symbol, kind)), ())
        result = simt.Uninitialised(np.empty(shape, DTYPES[self.dtype]))
        self._values[name] = result
        return result

    def _is_left_out(self, macro: str) -> bool:
        name = macro.removeprefix("LNGEN_WITHOUT_")
        return {**self.given, **self.cotangents}.get(name, self) is None


def error(result: Any, reference: Any) -> float:
    """The largest difference, relative to the largest entry or to 1."""
    wide = np.asarray(reference, np.longdouble).reshape(result.shape)
    if not result.size:
        return 0.0
    return float(np.abs(result.astype(np.longdouble) - wide).max() / max(1, np.abs(wide).max()))


# ---- what kernels are given, and what they should give

WIDE = np.longdouble


def drawn(pair: Pair, rows: int, features: int, dtype: Any = np.float64) -> tuple[dict[str, Any], dict[str, Any]]:
    """Random inputs and cotangents by name, of magnitudes for which nothing is hard to compute."""
    random = np.random.default_rng(0)
    given = {row.name: (rows, features) if is_row(row.symbol) else (rows,) for row in pair[0].rows}
    for parameter in pair[0].parameters:
        if parameter.kind != "Constant":
            given[parameter.name] = (features,) if parameter.kind == "Feature" else ()
    inputs = {
        name: np.asarray(random.uniform(0.2, 1.7, shape) * random.choice([-1, 1], shape), dtype)
        for name, shape in given.items()
    }
    cotangents = {
        f"d{name}": random.standard_normal((rows, features) if is_row(store.symbol) else (rows,)).astype(dtype)
        for store in pair[0].results
        for name in store.names
    }
    return inputs, cotangents


def expected(
    pair: Pair, given: Mapping[str, Any], cotangents: Mapping[str, Any], rows: int, features: int
) -> dict[str, Any]:
    """Every value of both programs in long double by its name; what is None has its neutral value, or is zero."""
    neutral = {name: WIDE(value.numerator) / WIDE(value.denominator) for name, value in pair[0].optional}
    known: dict[str, Any] = {}
    for program in pair:
        values = {symbol: known[symbol.name] for symbol in program.saved if symbol.name in known}
        for name, symbol in [(each.name, each.symbol) for each in (*program.rows, *program.parameters)]:
            value = {**neutral, **known, **cotangents, **given}.get(name)
            value = neutral.get(name, WIDE(0)) if value is None else np.asarray(value, WIDE)
            values[symbol] = value[:, None] if isinstance(symbol, RowScalarSymbol) and value.ndim == 1 else value
        for parameter in program.parameters:
            if parameter.kind == "Constant" and parameter.default is not None:
                values[parameter.symbol] = WIDE(float(parameter.default))
        results, found = interpret(program, values, rows, features, WIDE)
        known |= {symbol.name: value for symbol, value in found.items()} | results
        for store in program.results:
            shape = (rows, features) if is_row(store.symbol) else np.shape(known[store.symbol.name])
            known |= {name: np.broadcast_to(results[name], shape) for name in store.names}
    return known

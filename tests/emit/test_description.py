"""`INTERFACE` of emitted layers: it holds to its schema, and to what the functions take and give."""

import copy
import importlib
import inspect
import json
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest

from lngen.emit.description import assignment
from lngen.runtime.protocol import interface
from tests import compiled
from tests.shipped import LAYERS, ROOT

SCHEMA = json.loads((ROOT / "docs" / "interface.schema.json").read_text())

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": int}


def faults(value: Any, schema: Mapping[str, Any], place: str = "interface") -> Iterator[str]:
    """Yield the places at which a value violates a schema, for the keywords of our schema."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    unknown = set(schema) - {
        "$schema", "$defs", "title", "description", "type", "enum", "minimum", "properties", "required", "items",
        "additionalProperties",
    }  # fmt: skip
    assert not unknown
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} is {value!r}"
    types = schema.get("type", [])
    if types and not any(_is(value, kind) for kind in ([types] if isinstance(types, str) else types)):
        yield f"{place} is {value!r}, no {types}"
        return
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{place} is {value!r}"
    for key in schema.get("required", []):
        if key not in value:
            yield f"{place} lacks {key}"
    for key in value if "properties" in schema else ():
        if key in schema["properties"]:
            yield from faults(value[key], schema["properties"][key], f"{place}.{key}")
        else:
            yield f"{place} has {key}"
    for number, entry in enumerate(value if "items" in schema else ()):
        yield from faults(entry, schema["items"], f"{place}[{number}]")


def _is(value: Any, kind: str) -> bool:
    if kind == "null" or value is None:
        return kind == "null" and value is None
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def modules(name: str) -> list[ModuleType]:
    return [importlib.import_module(f"generated.{name}{end}") for end in ("", ".numpy_backend", ".cuda_backend")]


@pytest.mark.parametrize("name", LAYERS)
def test_it_holds_to_its_schema_and_is_one_object(name: str) -> None:
    manifest = json.loads((ROOT / "generated" / name / "manifest.json").read_text())
    assert list(faults(manifest["interface"], SCHEMA)) == []
    package, *backends = modules(name)
    assert manifest["interface"] == package.INTERFACE
    # Kernels take each part of an array as rows, which cuda_backend passes them as it gets them.
    whole = backends[:1] if "parts" in package.INTERFACE.get("layout", {}) else backends
    assert all(backend.INTERFACE is package.INTERFACE for backend in whole)


@pytest.mark.ci
def test_that_of_arrays_in_parts_holds_to_the_schema() -> None:
    text = 'def f(x: Array["... (s d)"], s: Size = 2): return join(2*at(x, s=1), 3*at(x, s=1))'
    made = compiled.layer(text).numpy.INTERFACE
    assert list(faults(made, SCHEMA)) == []
    assert made["inputs"][0]["parts"] == ["", "x_1"]
    assert made["layout"]["parts"] == {"s": 2}


@pytest.mark.parametrize("name", LAYERS)
def test_it_is_what_the_functions_take_and_give(name: str) -> None:
    for module in modules(name):
        interface = module.INTERFACE
        parameters = inspect.signature(module.forward).parameters
        inputs = [given["name"] for given in interface["inputs"]]
        constants = [given["name"] for given in interface["constants"]]
        assert list(parameters)[: len(inputs) + len(constants)] == inputs + constants
        for given in interface["inputs"]:
            left_out = inspect.Parameter.empty if given["default"] is None else None
            assert parameters[given["name"]].default is left_out
        for given in interface["constants"]:
            if given["default"] is not None:
                assert parameters[given["name"]].default == given["default"]
        assert module.Saved._fields[3:] == tuple(field["name"] for field in interface["saved"])
        assert module.Gradients._fields == tuple(gradient["name"] for gradient in interface["gradients"])
        if len(interface["outputs"]) > 1:
            assert module.Outputs._fields == tuple(output["name"] for output in interface["outputs"])
        assert all(hasattr(module, direction) for direction in interface["directions"])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": 1}, "interface.name is 1, no string"),
        ({"directions": ["sideways"]}, "interface.directions[0] is 'sideways'"),
        ({"minimum_features": 0}, "interface.minimum_features is 0"),
        ({"minimum_features": True}, "interface.minimum_features is True, no integer"),
        ({"more": 1}, "interface has more"),
        ({"outputs": [{"name": "y"}]}, "interface.outputs[0] lacks symbol"),
    ],
)
def test_what_does_not_hold_to_the_schema_is_seen(change: dict[str, Any], fault: str) -> None:
    right = importlib.import_module("generated.layer_norm").INTERFACE
    assert list(faults(right, SCHEMA)) == []
    assert fault in list(faults({**right, **change}, SCHEMA))


def test_the_statement_makes_the_description() -> None:
    value = copy.deepcopy(importlib.import_module("generated.layer_norm").INTERFACE)
    value["inputs"][0]["symbol"] = "x" * 90
    found: dict[str, Any] = {"_interface": interface}
    exec("\n".join(assignment(value)), found)
    assert found["INTERFACE"] == value

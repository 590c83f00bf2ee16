# SPDX-License-Identifier: MIT
"""The parameters of a layer that is a class: which there are, how they begin, and on NumPy their arrays by name."""

from collections.abc import Collection, Iterator, Mapping, MutableMapping
from math import prod
from numbers import Integral
from typing import Any

from .calls import Array, array, constant
from .interface import DATA, PARAMETERS, InputEntry, Interface, Kind

Features = int | Mapping[str, int] | None
"""Sizes that a constructor takes: the number of features, or the sizes of axes that have names."""


def parameters_of(interface: Interface) -> list[InputEntry]:
    """The inputs that are parameters of a class."""
    return [each for each in interface["inputs"] if is_parameter(interface, each)]


def is_parameter(interface: Interface, each: InputEntry) -> bool:
    """Test whether a class holds an input as a parameter: a shared one, or an array without the first axis."""
    names = [name for axis in each["pattern"] for name in axis] if "pattern" in each else None
    return is_held(each["kind"], names, interface["layout"]["pattern"][0] if "layout" in interface else ())


def is_held(kind: Kind, names: Collection[str] | None, first: Collection[str]) -> bool:
    """The same by its kind, the names of its axes if they have some, and those of the first axis of the rows.

    An array with "..." is no parameter: nothing says how many axes these are.
    """
    if names is not None and kind not in DATA:
        return not any(name in first or name == "..." for name in names)
    return kind in PARAMETERS


def checked_features(interface: Interface, features: Features) -> Features:
    """Return the sizes of a constructor, of each axis by its name.

    Raises TypeError or ValueError for one that is no count, or too small, or no multiple of a part of the axis.

    >>> checked_features({"minimum_features": 1}, {"g": 3, "g c": 12})
    {'g': 3, 'c': 4}
    """
    if isinstance(features, Mapping):
        counts = {name: feature_count(size, 1, name.replace(" ", "_")) for name, size in features.items()}
        found = {name: size for name, size in counts.items() if " " not in name}
        for whole, size in counts.items():
            for part in [part for part in whole.split() if part not in found]:
                known = prod([found[each] for each in whole.split() if each != part])
                if size % known:
                    raise ValueError(f"{whole.replace(' ', '_')} is {size}; pass a multiple of the other size, {known}")
                found[part] = size // known
        return found
    return None if features is None else feature_count(features, interface["minimum_features"])


def shape_of(interface: Interface, each: InputEntry, features: Features) -> tuple[int, ...]:
    """Return the shape of a parameter."""
    if isinstance(features, Mapping):
        sizes = {**interface["layout"].get("parts", {}), **features}
        return tuple([prod([sizes[name] for name in axis]) for axis in each.get("pattern", ())])
    return (features,) if features is not None and each["kind"] == "Feature" else ()


def start(parameter: InputEntry) -> float:
    """Return the initial value of a parameter: its value when absent, or else 1, since most are factors."""
    return 1.0 if parameter["default"] is None else float(parameter["default"])


def checked(interface: Interface, constants: Mapping[str, Any]) -> dict[str, float]:
    """The Constants of a class by attribute, in their order. Raises TypeError or ValueError as a call of a function."""
    entries = zip(interface["constants"], constants.items(), strict=True)
    return {own: float(constant(each["name"], value, each["sign"] == "any")) for each, (own, value) in entries}


def described(features: Features, constants: Mapping[str, float], absent: list[str]) -> str:
    """Return the text in brackets after the name of a class."""
    if isinstance(features, Mapping):
        shown = [f"{name.replace(' ', '_')}={size}" for name, size in features.items()]
    else:
        shown = [] if features is None else [str(features)]
    shown += [f"{name}={value!r}" for name, value in constants.items()]
    return ", ".join([*shown, *(f"{name}=False" for name in absent)])


def feature_count(count: Any, minimum: int, name: str = "D") -> int:
    """Check a size of a constructor; raises TypeError or ValueError if it is no whole number of `minimum` or more."""
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise TypeError(f"{name} is {count!r} of type {type(count).__name__}; pass a whole number, {minimum} or more")
    if count < minimum:
        raise ValueError(f"{name} is {count}; pass {minimum} or more")
    return int(count)


class Parameters(MutableMapping[str, Array]):
    """Parameters of a layer by name.

    Each array stays the same object: setting one writes to it, so that an optimizer which holds the array has the
    loaded values. A value is an array of the right shape, of any type of floats. Raises TypeError or ValueError for
    another value, or for an unknown name; nothing is written then.
    """

    def __init__(self, layer: str, arrays: Mapping[str, Array]) -> None:
        self._layer, self._arrays = layer, dict(arrays)

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"a parameter of {self._layer} cannot be taken out; make a layer without it, by {name}=False")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return repr(self._arrays)

    def update(self, *others: Any, **values: Any) -> None:
        """Write to the arrays of some names, as `dict.update` is called: with a mapping, such as the result of
        np.load.
        """
        checked = [(name, self._checked(name, value)) for name, value in dict(*others, **values).items()]
        for name, value in checked:
            self._arrays[name][...] = value

    def _checked(self, name: str, value: Any) -> Array:
        if name not in self._arrays:
            there = ", ".join(self._arrays) or "none"
            raise ValueError(f"{self._layer} has no parameter {name!r}; there are: {there}")
        found: Array = array(name, value, True)
        shape = self._arrays[name].shape
        if found.shape != shape:
            raise ValueError(f"{name} has shape {found.shape}; pass an array of shape {shape}")
        return found

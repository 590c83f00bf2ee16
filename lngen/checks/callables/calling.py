"""A function of somebody else's: found by its place, and called in the names of a definition."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

from lngen.checks.layer import arrays_by_name
from lngen.errors import LngenError, ToolchainMissing, nearest
from lngen.language.definition import Definition

_SIZE = "D"


@dataclass(frozen=True)
class Given:
    """Argument of a call: the value of an input, by the definition's name, or the size D."""

    name: str


@dataclass(frozen=True)
class Calling:
    """A function and its arguments, each a `Given`, a number, or a tuple of these.

    `part` is the place of the output among several results. Parameters of a module of PyTorch are set by name, and
    other names are passed to its class.
    """

    function: Callable[..., Any]
    positional: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]
    part: int | None = None

    @property
    def taken(self) -> frozenset[str]:
        """The names of the definition that are passed."""
        return frozenset(_names((*self.positional, *(word for _, word in self.named))))

    @cached_property
    def arguments(self) -> Sequence[inspect.Parameter]:
        """The function's own arguments; none where they cannot be read."""
        with suppress(TypeError, ValueError):
            return [*inspect.signature(self.function).parameters.values()]
        return []

    @cached_property
    def spelled(self) -> dict[str, str]:
        """The names of the definition by those of the function's own arguments."""
        words = [*zip((each.name for each in self.arguments), self.positional, strict=False)]
        words += self.named if self.arguments else ()
        return {name: word.name for name, word in words if isinstance(word, Given)}

    @cached_property
    def needed(self) -> frozenset[str]:
        """The names of the definition whose arguments have no default."""
        without = {each.name for each in self.arguments if each.default is each.empty}
        return frozenset(of for name, of in self.spelled.items() if name in without)

    @cached_property
    def defaulted(self) -> frozenset[str]:
        """The function's arguments that have a number by default: one that is absent is left out of a call."""
        by_name = [each for each in self.arguments if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
        return frozenset(each.name for each in by_name if isinstance(each.default, int | float))

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """Call with the value of each name."""
        rows = [_filled(word, values) for word in self.positional]
        named = {name: _filled(word, values) for name, word in self.named}
        absent = {name for name, of in self.spelled.items() if name in self.defaulted and values[of] is None}
        if absent:
            names = [each.name for each in self.arguments]
            end = next((place for place, name in enumerate(names[: len(rows)]) if name in absent), len(rows))
            named |= zip(names[end:], rows[end:], strict=False)
            rows, named = rows[:end], {name: value for name, value in named.items() if name not in absent}
        made = _of_module(self.function, rows, named) if is_module(self.function) else self.function(*rows, **named)
        return made if self.part is None else made[self.part]


def find(place: str) -> Callable[..., Any]:
    """Find a function by `module:name` or `file.py:name`, which imports the module.

    Raises LngenError for what is not there, and ToolchainMissing where a package is not installed.
    """
    where, _, name = place.partition(":")
    if not name:
        raise LngenError(f"{place!r} has no name of a function: write it as my_kernels:norm or my_kernels.py:norm.")
    found: Any = _module(where)
    for part in name.split("."):
        if not hasattr(found, part):
            raise LngenError(f"{where} has no {part}.{nearest(part, dir(found))}")
        found = getattr(found, part)
    if not callable(found):
        raise LngenError(
            f"{place} cannot be called: it is {type(found).__name__}. Name a function, a class or a module."
        )
    return found  # type: ignore[no-any-return]


def _module(where: str) -> Any:
    if where.endswith(".py"):
        path = Path(where)
        if not path.is_file():
            raise LngenError(f"there is no file {where}.")
        spec: Any = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        _imported(where, lambda: spec.loader.exec_module(module))
        return module
    if "" not in sys.path:
        sys.path.insert(0, "")
    return _imported(where, lambda: importlib.import_module(where))


def _imported(where: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package == where.partition(".")[0]:
            raise LngenError(f"there is no module {where} here or among what is installed.") from None
        raise ToolchainMissing(f"{where} needs {package}, which is not installed.") from None
    except Exception as error:  # whatever the module raises is for its author
        raise LngenError(f"{where} cannot be imported: {type(error).__name__}: {error}") from None


def is_module(function: Any) -> bool:
    """Test whether a function is a module of PyTorch, or a class of them."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    return isinstance(function, torch.nn.Module) or (
        isinstance(function, type) and issubclass(function, torch.nn.Module)
    )


def calling(
    function: Callable[..., Any], definition: Definition, text: str = "", extra: Mapping[str, str] = {}
) -> Calling:
    """Return a function with its arguments: those of a `text` such as `f(hidden_states=x, weight=gamma)`.

    Without a text they are those of the line `In PyTorch:` of the definition that names the function's class, or else
    the inputs that are called as the function's arguments. `extra` are further names that may be passed, each with the
    definition's own. Raises LngenError for a text that is no such call, for an argument that no input is called as, and
    for an input that is needed and not taken.
    """
    public = names_of(definition) | dict(extra)
    if text:
        found = _parsed(function, text, public)
    else:
        found = _in_pytorch(function, definition, public) or _by_name(function, definition, public)
    if is_module(function) and not found.positional:
        passed = {word.name for name, word in found.named if isinstance(word, Given) and name in forward_of(function)}
        rows = (entry.name for entry in definition.rows if entry.default is None)
        found = replace(found, positional=tuple(Given(row) for row in rows if row not in {*passed, *found.taken}))
    needed = [size.name for size in definition.sizes]
    if definition.layout:
        needed += [name for name, entry in arrays_by_name(definition).items() if entry.default is None]
    else:
        needed += [entry.name for entry in definition.passed if entry.default is None]
    missing = [name for name in needed if name not in found.taken]
    if missing and not extra:
        named = " and ".join(map(definition.public, missing))
        raise LngenError(f"{named} of {definition.name} is not passed to the function: {_hint(definition, function)}.")
    return found


def names_of(definition: Definition) -> dict[str, str]:
    """The names that a call may pass, each with that of the definition on rows, or its own where axes have names."""
    if definition.layout:
        constants = [definition.public(entry.name) for entry in definition.constants]
        names = [*arrays_by_name(definition), *constants, *(size.name for size in definition.sizes)]
        return dict(zip(names, names, strict=True))
    return {definition.public(entry.name): entry.name for entry in definition.passed} | {_SIZE: _SIZE}


def _parsed(function: Callable[..., Any], text: str, public: Mapping[str, str]) -> Calling:
    def refuse(what: str, column: int = 0) -> LngenError:
        names = ", ".join(public)
        return LngenError(
            f"--call, column {column + 1}: {what}. Write a call such as f(x, weight=gamma), of {names} and numbers."
        )

    def word(node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            if node.id not in public:
                raise refuse(f"no input is called {node.id}.{nearest(node.id, public)}".rstrip("."), node.col_offset)
            return Given(public[node.id])
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool | int | float | str)):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return -word(node.operand)
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(map(word, node.elts))
        raise refuse("this is neither an input nor a number", node.col_offset)

    try:
        node: ast.expr = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise refuse(f"this is no Python ({type(error).__name__})") from None
    part = None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        part, node = node.slice.value, node.value
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "f":
        raise refuse("this is not a call of f", node.col_offset)
    if any(each.arg is None for each in node.keywords):
        raise refuse("** has no names", node.col_offset)
    named = tuple((str(each.arg), word(each.value)) for each in node.keywords)
    return Calling(function, tuple(map(word, node.args)), named, part)


def _in_pytorch(function: Callable[..., Any], definition: Definition, public: Mapping[str, str]) -> Calling | None:
    described = function if isinstance(function, type) or not is_module(function) else type(function)
    name, package = getattr(described, "__name__", ""), str(getattr(described, "__module__", "")).partition(".")[0]
    for each in definition.counterparts:
        if each.name.partition(".")[0] == package and each.name.rpartition(".")[2] == name and not each.reduction:
            words = tuple((attribute, Given(public[of])) for attribute, of in each.attributes)
            return Calling(function, (), (*words, *each.conditions))
    return None


def _by_name(function: Callable[..., Any], definition: Definition, public: Mapping[str, str]) -> Calling:
    owner, described, skipped = getattr(function, "__self__", None), function, 0
    if isinstance(owner, type) and hasattr(owner, "forward") and function.__name__ == "apply":
        described, skipped = owner.forward, 1  # the context of torch.autograd.Function
    name = getattr(function, "__qualname__", type(function).__name__)
    try:
        parameters = [*inspect.signature(described).parameters.values()][skipped:]
    except (TypeError, ValueError):
        raise LngenError(f"the arguments of {name} cannot be read: {_hint(definition)}.") from None
    is_some = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for each in parameters:
        if each.name not in public and each.default is each.empty and each.kind not in is_some:
            hint = _hint(definition, function)
            raise LngenError(f"{name} takes {each.name}, which no input of {definition.name} is called: {hint}.")
    # Functions of autograd take no argument by its name.
    first = [*takewhile(lambda p: p.name in public and p.kind <= p.POSITIONAL_OR_KEYWORD, parameters)]
    first = [] if is_module(function) else first
    named = [each.name for each in parameters[len(first) :] if each.name in public]
    return Calling(
        function, tuple(Given(public[each.name]) for each in first), tuple((n, Given(public[n])) for n in named)
    )


def _hint(definition: Definition, function: Any = None) -> str:
    rows = [definition.public(entry.name) for entry in definition.rows]
    names = [name for name in names_of(definition) if name != _SIZE]
    if is_module(function):
        names = [name if name in rows else f"its_{name}={name}" for name in names]
        return f'say how it is called, its parameters by name, as in --call "f({", ".join(names)})"'
    return f'say how it is called, as in --call "f({", ".join(names)})"'


def _names(words: Any) -> Iterator[str]:
    for word in words:
        if isinstance(word, Given):
            yield word.name
        elif isinstance(word, tuple):
            yield from _names(word)


def _filled(word: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(word, Given):
        return values[word.name]
    return tuple(_filled(each, values) for each in word) if isinstance(word, tuple) else word


def _of_module(function: Any, rows: list[Any], named: Mapping[str, Any]) -> Any:
    """Call a module with tensors in the place of its parameters, made first where it is a class.

    A class whose one further parameter has no default takes the length of a row there. Numbers that are no parameters
    of the class are attributes of what it makes.
    """
    import torch

    module, tensors = function, {name: value for name, value in named.items() if isinstance(value, torch.Tensor)}
    first = [*rows, *(tensors[name] for name in forward_of(function) if name in tensors)][0]
    if isinstance(function, type):
        taken = inspect.signature(function).parameters
        given = {n: v for n, v in named.items() if n in taken and n not in tensors}
        by_name = {n for n, p in taken.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        needed = [n for n, p in taken.items() if n in by_name and p.default is p.empty and n not in given]
        module = function(**given, **(dict.fromkeys(needed, first.shape[-1]) if len(needed) == 1 else {}))
        module = module.to(first.dtype)
        for name, value in named.items():
            if name not in {**given, **tensors} and isinstance(getattr(module, name, None), int | float):
                setattr(module, name, value)
    own, passed = dict(module.named_parameters()), forward_of(type(module))
    called = {name: tensors.pop(name) for name in [*tensors] if name in passed and name not in own}
    for name in tensors:
        if name not in own:
            raise LngenError(f"{type(module).__name__} has no parameter {name}.{nearest(name, own)}")
    with suppress(AttributeError):
        module.eval()
    return torch.func.functional_call(module, tensors, tuple(rows), called)


def forward_of(module: Any) -> tuple[str, ...]:
    """The names of the arguments with which a module, or one of a class, is called."""
    return tuple(inspect.signature(module.forward).parameters)

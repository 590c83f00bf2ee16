"""Arrays in parts: `at(x, s=0)` as an input of its own, and `join(a, b)` as outputs, before a definition is read.

A part has the name of the statement that takes it, as `gate` in `gate = at(x, s=0)`, or else that of the array with its
place. The tree that is left has neither `at` nor `join`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from lngen.language import names
from lngen.language.axes import AxisParts, AxisSize
from lngen.language.definition import Input
from lngen.language.parsing.source import Source

AT, JOIN, UNNAMED_OUTPUT = "at", "join", "y"


@dataclass
class Parting:
    """AxisParts that a function takes of arrays and joins to outputs.

    `names` are those of the parts that it reads, by array and place, and `calls` take them first. `axes` number parts,
    each with a place in the text. `wholes` are the arrays that are read in parts, and `joined` what is made of parts,
    by name, until it is returned as one of the `outputs`. Names that come `later` are of statements that are not read
    yet.
    """

    source: Source
    given: frozenset[str]
    taken: set[str]
    axes: dict[str, ast.keyword] = field(default_factory=dict)
    names: dict[tuple[str, int], str] = field(default_factory=dict)
    calls: dict[tuple[str, int], ast.Call] = field(default_factory=dict)
    wholes: dict[str, AxisParts] = field(default_factory=dict)
    joined: dict[str, AxisParts] = field(default_factory=dict)
    outputs: list[AxisParts] = field(default_factory=list)
    later: set[str] = field(default_factory=set)

    @staticmethod
    def of(source: Source, function: ast.FunctionDef) -> Parting:
        """Find the parts that a function takes."""
        given = frozenset(each.arg for each in function.args.args)
        read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        made = Parting(source, given, {*given, *read, function.name})
        for statement in function.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if _is_call(call, AT):
                    made.names.setdefault(made._part(call)[:2], name)
        made.later.update(made.names.values())
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _is_call(node, AT):
                array, place, axis = made._part(node)
                made.calls.setdefault((array, place), node)
                made.axes.setdefault(axis, node.keywords[0])
                if (array, place) not in made.names:
                    made.names[array, place] = made._new(f"{array}_{place}")
        return made

    def _part(self, call: ast.Call) -> tuple[str, int, str]:
        """The array, the place and the axis of `at(x, s=0)`."""
        match call:
            case ast.Call(
                args=[ast.Name(id=array)], keywords=[ast.keyword(arg=str(axis), value=ast.Constant(value=int(place)))]
            ) if not isinstance(place, bool):
                return array, place, axis
        self.source.refuse(call, "part-call")

    def _new(self, wanted: str) -> str:
        name = names.numbered(wanted, self.taken.__contains__)
        self.taken.add(name)
        return name

    # ---- the signature

    def check_sizes(self, sizes: Mapping[str, AxisSize]) -> None:
        """Refuse an axis of parts whose size is no input with a default."""
        for axis, place in self.axes.items():
            if axis not in sizes:
                self.source.refuse(place, "part-axis", name=axis)
            if sizes[axis].default is None:
                self.source.refuse(place, "part-size", name=axis)

    def cut(self, argument: ast.arg, given: Input, sizes: Mapping[str, AxisSize]) -> list[Input]:
        """Return the parts of an input that are read, or the input itself if it has none."""
        own = [name for name in given.pattern.names if name in self.axes] if given.pattern else []
        if given.pattern is None or not own:
            return [given]
        pattern = given.pattern.without(own)
        if len(own) > 1 or not pattern.axes:
            self.source.refuse(argument, "part-axes", name=given.name, axes=str(given.pattern))
        count = sizes[own[0]].default or 0
        for (array, place), call in self.calls.items():
            if array == given.name and place >= count:
                self.source.refuse(call, "part-place", number=place, axis=own[0], count=count)
        found = tuple(self.names.get((given.name, place), "") for place in range(count))
        self.wholes[given.name] = AxisParts(given.name, given.pattern, own[0], found)
        if not any(found):
            self.source.refuse(argument, "unused-input", name=given.name)
        return [replace(given, name=name, pattern=pattern) for name in found if name]

    # ---- the body

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a function without `at` and `join`."""
        if not self.axes and not any(_is_call(node, JOIN) for each in statements for node in ast.walk(each)):
            return statements
        return [*chain.from_iterable(self._statement(each) for each in statements)]

    def _statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name):
            self._check_target(target)
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if _is_call(call, AT):
                own = self._read(call).id
                self.later.discard(name)
                if own != name:
                    remedy = f"write {own!r} wherever {name!r} stands, and delete the line"
                    self.source.refuse(call, "second-name", remedy, name=own)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if _is_call(call, JOIN):
                yield from self._join(name, call)
            case ast.Return(value=ast.Call() as call) if _is_call(call, JOIN):
                if UNNAMED_OUTPUT in self.taken:
                    self.source.refuse(call, "unnamed-result", name=UNNAMED_OUTPUT)
                yield from self._join(UNNAMED_OUTPUT, call)
                yield self._returned(node, [ast.copy_location(ast.Name(UNNAMED_OUTPUT), call)])
            case ast.Return(value=ast.Name() as name) if name.id in self.joined:
                yield self._returned(node, [name])
            case ast.Return(value=ast.Tuple(elts=elements)):
                for each in elements:
                    if not isinstance(each, ast.Name) or each.id not in self.joined:
                        self._replace(each)
                yield self._returned(node, elements)
            case _:
                self._replace(node)
                yield node

    def _check_target(self, target: ast.Name) -> None:
        """Refuse a name that the tree that is left does not have, as it would refuse others."""
        if fault := names.value_fault(target.id):
            self.source.refuse(target, "name", names.remedy(target.id), name=target.id, fault=fault)
        if target.id in self.given or target.id in self.joined:
            self.source.refuse(target, "assigned-twice", name=target.id)

    def _join(self, name: str, call: ast.Call) -> Iterator[ast.stmt]:
        """The statements of the parts of an output; one that is a name has its statement already."""
        if call.keywords or any(isinstance(each, ast.Starred) for each in call.args):
            self.source.refuse(call, "join-call")
        if name in self.names.values():
            self.source.refuse(call, "assigned-twice", name=name)
        alike = [whole for whole in self.wholes.values() if len(whole.names) == len(call.args)]
        if not alike:
            self.source.refuse(call, "join-count", count=len(call.args))
        made: list[str] = []
        for place, each in enumerate(call.args):
            if isinstance(each, ast.Call) and _is_call(each, AT):
                self.source.refuse(each, "returned-input", name=self._read(each).id)
            self._replace(each)
            if isinstance(each, ast.Name):
                if each.id in (*self.given, *self.names.values()):
                    self.source.refuse(each, "returned-input", name=each.id)
                if each.id in (*made, *chain.from_iterable(other.names for other in self.joined.values())):
                    self.source.refuse(each, "returned-twice", name=each.id)
                made.append(each.id)
                continue
            made.append(self._new(f"{name}_{place}"))
            target = ast.copy_location(ast.Name(made[-1]), each)
            yield ast.copy_location(ast.Assign([target], each), each)
        self.joined[name] = AxisParts(name, alike[0].pattern, alike[0].axis, tuple(made))

    def _returned(self, node: ast.Return, elements: list[ast.expr]) -> ast.Return:
        """A return of the parts of what is joined."""
        assert node.value is not None
        given: list[ast.expr] = []
        for each in elements:
            whole = self.joined.pop(each.id, None) if isinstance(each, ast.Name) else None
            parts = () if whole is None else whole.names
            given += [ast.copy_location(ast.Name(name), each) for name in parts] or [each]
            if whole is not None:
                self.outputs.append(whole)
        for name in self.joined:
            self.source.refuse(node, "unused-statement", name=name)
        return ast.copy_location(ast.Return(ast.copy_location(ast.Tuple(given), node.value)), node)

    def _replace(self, node: ast.AST) -> None:
        """Put names in the place of parts inside a node."""
        for each in [*ast.walk(node)]:
            if isinstance(each, ast.Name) and each.id in self.later:
                self.source.refuse(each, "used-early", name=each.id)
            for key, value in ast.iter_fields(each):
                if _is_call(value, AT):
                    setattr(each, key, self._read(value))
                elif isinstance(value, list):
                    value[:] = [self._read(part) if _is_call(part, AT) else part for part in value]
        for each in ast.walk(node):
            if _is_call(each, JOIN):
                assert isinstance(each, ast.Call)
                self.source.refuse(each, "join-place")
            if isinstance(each, ast.Name) and each.id in self.wholes:
                whole = self.wholes[each.id]
                self.source.refuse(each, "part-whole", name=each.id, count=len(whole.names), axis=whole.axis)
            if isinstance(each, ast.Name) and each.id in self.joined:
                self.source.refuse(each, "join-read", name=each.id)

    def _read(self, call: ast.Call) -> ast.Name:
        """The name of a part, which has to be one of an array."""
        array, place, axis = self._part(call)
        whole = self.wholes.get(array)
        if whole is None or whole.axis != axis:
            self.source.refuse(call, "part-array", name=array, axis=axis)
        return ast.copy_location(ast.Name(self.names[array, place]), call)


def _is_call(node: object, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name

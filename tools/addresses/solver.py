"""Assertions of a text about its addresses, and a solver that shows or refutes each of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STEPS = 3_000_000
"""Work of the solver on one question, before it is asked for each number of threads alone; on any machine the same."""

POWERS = tuple(1 << place for place in range(12))
MOST_OF_A_SMALL_CALL = 1 << 20
"""The largest number in the calls that are looked for to see that an assertion is reached."""

_MISSING = "index arithmetic is shown by z3, and there is none: pip install z3-solver"


class NoSolver(Exception):
    """z3 is not installed."""


def z3() -> Any:
    """Return the module of z3. Raises NoSolver."""
    try:
        import z3 as found
    except ImportError:
        raise NoSolver(_MISSING) from None
    return found


@dataclass(frozen=True)
class Assertion:
    """Claim that has to hold under some conditions: numbers of nodes, or less than 0 for a negation.

    `kind` is access, aligned, range or claim, `what` names the array, and `line` is a line of a header.
    """

    kind: str
    piece: str
    what: str
    line: str
    goal: tuple[str, ...]
    conditions: tuple[int, ...]


@dataclass
class AddressRecord:
    """Output of a program: its nodes, what it asserts, and what it does not follow."""

    nodes: dict[int, tuple[str, ...]] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    ways: dict[str, int] = field(default_factory=dict)


def recorded(program: Path, output: str, headers: Iterable[str]) -> AddressRecord:
    """Read the output of a program."""
    found, piece, said = AddressRecord(), "", []
    for text in output.splitlines():
        word, _, rest = text.partition(" ")
        if word == "node":
            number, *what = rest.split()
            # The name of a symbol may have spaces.
            found.nodes[int(number)] = (what[0], " ".join(what[1:])) if what[0] == "symbol" else tuple(what)
        elif word == "piece":
            piece = rest
        elif word == "ways":
            found.ways[piece] = int(rest)
        elif word == "open":
            found.open.append(f"{piece}: {rest}")
        else:
            said.append((word, piece, *rest.split(" |")))
    frames = sorted({frame for *_, under in said for frame in under.partition("@")[2].split()})
    lines = dict(zip(frames, _lines(program, frames, {*headers}), strict=True))
    for kind, piece, what, under in said:
        conditions, _, where = under.partition("@")
        line = next((lines[frame] for frame in where.split() if lines[frame]), "a call")
        label = what.split(":")
        words = ":".join(label).split(" ")
        count = {"access": 4, "range": 3, "claim": 1}[kind]
        name, goal = " ".join(words[:-count]).rpartition(":")[2], tuple(words[-count:])
        held = tuple(map(int, conditions.split()))
        if kind == "access":
            offset, size, length, aligned = goal
            found.assertions.append(Assertion("access", piece, name, line, (offset, size, length), held))
            if int(aligned) > 1:
                found.assertions.append(Assertion("aligned", piece, name, line, (offset, aligned), held))
        else:
            found.assertions.append(Assertion(kind, piece, name, line, goal, held))
    return found


def _lines(program: Path, frames: Sequence[str], headers: set[str]) -> Iterator[str]:
    """Yield the line of a header that each frame is in, or nothing."""
    if not frames:
        return
    command = ["addr2line", "-e", str(program), *frames]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        place, _, number = line.partition(" ")[0].rpartition(":")
        name = Path(place).name
        yield f"{name}:{number}" if name in headers else ""


def _PRODUCTS(z: Any) -> tuple[int, ...]:
    return z.Z3_OP_MUL, z.Z3_OP_IDIV, z.Z3_OP_MOD


@dataclass
class Prover:
    """Questions to z3, whose answers hold for all later questions with the same goal and more conditions."""

    steps: int = STEPS
    known: dict[tuple[str, ...], list[frozenset[str]]] = field(default_factory=dict)
    asked: int = 0
    _terms: dict[str, Any] = field(default_factory=dict)

    def of(self, recorded: AddressRecord) -> Terms:
        """Return the terms of a program's nodes."""
        return Terms(recorded.nodes)

    def refuted(self, terms: Terms, assertion: Assertion) -> str | None:
        """Return None if an assertion is shown, or else a point at which it does not hold, or that z3 does not know."""
        key = (assertion.kind, *(terms.text(int(each)) for each in _nodes(assertion)), *_rest(assertion))
        conditions = {terms.condition_text(each): each for each in assertion.conditions}
        if any(core <= conditions.keys() for core in self.known.get(key, ())):
            return None
        goal = terms.goal(assertion)
        core = self._shown_linearly(terms, conditions, goal)
        if core is not None:
            self.known.setdefault(key, []).append(core)
            return None
        answer, core = self._ask(terms, conditions, goal, {})
        if answer is None:
            self.known.setdefault(key, []).append(core)
        return answer

    def is_reached(self, terms: Terms, assertion: Assertion) -> bool:
        """Test whether a text comes to an assertion for some small numbers: else it would hold for nothing."""
        z = z3()
        self.asked += 1
        solver = z.Solver()
        solver.set("rlimit", self.steps)
        for condition in assertion.conditions:
            solver.add(terms.condition(condition))
        small = [z.Int(name) for kind, *names in terms.nodes.values() if kind == "symbol" for name in names]
        solver.add(*(z.And(each >= 0, each <= MOST_OF_A_SMALL_CALL) for each in small))
        return bool(solver.check() == z.sat)

    def _shown_linearly(self, terms: Terms, conditions: dict[str, int], goal: Any) -> frozenset[str] | None:
        """Return conditions by which a goal holds whatever its products are, or None if it needs products."""
        z = z3()
        self.asked += 1
        solver = z.SolverFor("QF_LIA")
        solver.set("rlimit", self.steps)
        texts = [*conditions]
        for place, text in enumerate(texts):
            if text not in self._terms:
                self._terms[text] = self._linear(z.simplify(terms.condition(conditions[text]), som=True))
            solver.assert_and_track(self._terms[text], f"c{place}")
        solver.add(z.Not(self._linear(z.simplify(goal, som=True))))
        if solver.check() != z.unsat:
            return None
        return frozenset(texts[int(str(each)[1:])] for each in solver.unsat_core())

    def _linear(self, term: Any) -> Any:
        """Return a term with an unknown in the place of each product, quotient and rest that is not linear."""
        z = z3()
        if term.decl().kind() in _PRODUCTS(z) and sum(not z.is_int_value(each) for each in term.children()) > 1:
            factors = sorted(each.sexpr() for each in term.children() if not z.is_int_value(each))
            unknown = z.Int(f"{term.decl().name()} {' '.join(factors)}")
            numbers = [each for each in term.children() if z.is_int_value(each)]
            return z.Product(*numbers, unknown) if numbers else unknown
        if not term.children():
            return term
        return term.decl()(*map(self._linear, term.children()))

    def _ask(
        self, terms: Terms, conditions: dict[str, int], goal: Any, fixed: dict[str, int]
    ) -> tuple[str | None, frozenset[str]]:
        z = z3()
        self.asked += 1
        solver = z.Solver()
        solver.set("rlimit", self.steps)
        tracked = {}
        for place, (text, condition) in enumerate(conditions.items()):
            held = terms.condition(condition)
            for name, value in fixed.items():
                held = z.substitute(held, (z.Int(name), z.IntVal(value)))
            tracked[f"c{place}"] = text
            solver.assert_and_track(z.simplify(held), f"c{place}")
        for name, value in fixed.items():
            goal = z.substitute(goal, (z.Int(name), z.IntVal(value)))
        solver.add(z.Not(goal))
        found = solver.check()
        if found == z.unsat:
            return None, frozenset(tracked[str(each)] for each in solver.unsat_core())
        if found == z.sat:
            model = solver.model()
            point = {str(each): model[each] for each in model.decls() if not str(each).startswith("c")}
            return ", ".join(f"{name} = {value}" for name, value in sorted(point.items())), frozenset()
        # Products of unknown numbers of threads are hard, and there are few such numbers.
        split = next((each for each in terms.powers if each not in fixed and terms.occurs(each)), None)
        if split is None:
            return f"z3 does not know ({solver.reason_unknown()})", frozenset()
        cores: frozenset[str] = frozenset(text for text in conditions if text.startswith(("power", "(power")))
        for value in POWERS:
            answer, core = self._ask(terms, conditions, goal, {**fixed, split: value})
            if answer is not None:
                return answer, frozenset()
            cores |= core
        return None, cores


class Terms:
    """Nodes of a program as terms of z3."""

    def __init__(self, nodes: dict[int, tuple[str, ...]]) -> None:
        self.nodes = nodes
        self.texts: dict[int, str] = {}
        self.made: dict[int, Any] = {}
        self.powers = [
            nodes[int(each[1])][1]
            for each in nodes.values()
            if each[0] == "power" and nodes[int(each[1])][0] == "symbol"
        ]

    def occurs(self, name: str) -> bool:
        """Test whether there is a symbol of a name."""
        return ("symbol", name) in self.nodes.values()

    def text(self, number: int) -> str:
        """Return a node written out, the same in each program."""
        if number not in self.texts:
            name, *rest = self.nodes[number]
            if name in ("symbol", "number"):
                self.texts[number] = rest[0]
            else:
                self.texts[number] = f"({name} {' '.join(self.text(int(each)) for each in rest)})"
        return self.texts[number]

    def condition_text(self, condition: int) -> str:
        """Return a condition written out."""
        return self.text(condition) if condition >= 0 else f"not {self.text(-1 - condition)}"

    def condition(self, condition: int) -> Any:
        """Return a condition as a term."""
        node = condition if condition >= 0 else -1 - condition
        name, *rest = self.nodes[node]
        held = z3().BoolVal(rest[0] != "0") if name == "number" else self.term(node)
        return held if condition >= 0 else z3().Not(held)

    def goal(self, assertion: Assertion) -> Any:
        """Return what an assertion says."""
        z = z3()
        if assertion.kind == "access":
            offset, size, length = assertion.goal
            start = self.term(int(offset))
            return z.And(start >= 0, start + int(size) <= self.term(int(length)))
        if assertion.kind == "aligned":
            return self.term(int(assertion.goal[0])) % int(assertion.goal[1]) == 0
        if assertion.kind == "range":
            node, least, most = assertion.goal
            return z.And(self.term(int(node)) >= int(least), self.term(int(node)) <= int(most))
        return self.condition(int(assertion.goal[0]))

    def term(self, number: int) -> Any:
        """Return a node as a term."""
        if number not in self.made:
            self.made[number] = self._term(*self.nodes[number])
        return self.made[number]

    def _term(self, name: str, *rest: str) -> Any:
        z = z3()
        if name == "symbol":
            return z.Int(rest[0])
        if name == "number":
            return z.IntVal(int(rest[0]))
        if name == "bits":
            return z.Bool(f"bits of {rest[0]} in {rest[1]}")
        if name == "shifted":
            # Of two numbers that are joined bit by bit, no bit is beyond a place where none is of either.
            of, *both = self.nodes[int(rest[0])]
            if of != "or":
                raise ValueError("a shift of what is not joined")
            limit = 1 << int(self.nodes[int(rest[1])][1])
            return z.If(z.And(*[self.term(int(each)) < limit for each in both]), z.IntVal(0), z.IntVal(1))
        a, *others = [self.term(int(each)) for each in rest]
        match name:
            case "power":
                return z.Or(*[a == power for power in POWERS])
            case "within":
                bits = int(self.nodes[int(rest[1])][1])
                low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if bits > 0 else (0, (1 << -bits) - 1)
                return z.And(a >= low, a <= high)
            case "choose":
                return z.If(a, *others)
        (b,) = others
        return {
            "add": lambda: a + b,
            "subtract": lambda: a - b,
            "multiply": lambda: a * b,
            "divide": lambda: a / b,
            "rest": lambda: a % b,
            "quotient": lambda: z.If(a >= 0, a / b, -(-a / b)),
            "remainder": lambda: z.If(a >= 0, a % b, -(-a % b)),
            "less": lambda: a < b,
            "equal": lambda: a == b,
        }[name]()


def _nodes(assertion: Assertion) -> tuple[str, ...]:
    """Return the nodes of a goal."""
    if assertion.kind == "access":
        return assertion.goal[0], assertion.goal[2]
    if assertion.kind == "claim":
        number = int(assertion.goal[0])
        return (str(number if number >= 0 else -1 - number),)
    return assertion.goal[:1]


def _rest(assertion: Assertion) -> tuple[str, ...]:
    if assertion.kind == "access":
        return (assertion.goal[1],)
    if assertion.kind == "claim":
        return (str(int(assertion.goal[0]) >= 0),)
    return assertion.goal[1:]

"""Re-check a certificate: python tools/verify.py CERTIFICATE --definition FILE [--seed N].

Nothing of lngen is imported, and nothing is believed that is not computed here: `docs/certificate.md` says what is.
"""

import argparse
import ast
import json
import operator
import random
import re
import signal
from collections import Counter
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations, product, zip_longest
from pathlib import Path
from typing import Any

from mpmath import iv, mp, mpf

FORMAT, FIELDS = "lngen certificate 4", {"format", "definition", "names", "steps"}
OF_A_STEP, MOVES = {"target", "after", "before", "parts", "uses"}, ("_1_", "_2_")
iv.prec = mp.prec = 400  # bits of an interval's ends
AGREE, SMALL = iv.mpf(2) ** -166, iv.mpf(2) ** -250  # 50 digits; what is too small beside another to be seen
MOST_BYTES, MOST_TEXT, MOST_POWER, LARGEST = 2**20, 8000, 300, 2**14  # LARGEST is of an argument of exp, sin or erf
INCREASING, TRIES, WRITTEN_OUT = ("erf", "asin", "atan"), 12, 80
TINY, UNKNOWN = iv.mpf(2) ** -40, iv.mpf(["-inf", "inf"])
INTEGERS = {"Int": (1, 1), "Int['...']": (1, 0), "Int['d']": (0, 1), "Int['']": (0, 0)}
DATA = INTEGERS | {"Data": (1, 1), "Data['...']": (1, 0), "Data['d']": (0, 1)}
KINDS = DATA | {"Row": (1, 1), "RowScalar": (1, 0), "Feature": (0, 1), "Scalar": (0, 0), "Constant": (0, 0)}
NUMBER, NAME = re.compile(r"[0-9]{1,40}(\.[0-9]{0,40})?(e[+-]?[0-9]{1,3})?"), re.compile("[A-Za-z][A-Za-z0-9_]{0,63}")
AXIS = r"\.\.\.|\w+"
EXPONENT, KIND = re.compile(r"-?[0-9]{1,9}(/[0-9]{1,9}|\.[0-9]{1,9})?"), r"\w+(?:\['[.d]*'\])?"
LINES = rf"def \w+\(((?:\w+: {KIND}(?:=-?[0-9.e+-]+)?(?:, (?=\w)|(?=\))))*)\):((?:\n    \w+ = .*)*)"
DEFINITION = re.compile(LINES + r"\n    return (?:(\w+|\(\w+(?:, \w+)*,?\))|(.*))")
HOLDS = {"Eq": (0,), "NotEq": (-1, 1), "Lt": (-1,), "LtE": (-1, 0), "Gt": (1,), "GtE": (0, 1)}
MOVED = """Add: ({da}) + ({db}); Sub: ({da}) - ({db}); Mult: ({da})*({b}) + ({a})*({db}); USub: -({da});
Div: (({da}) - ({a})/({b})*({db}))/({b}); Pow: ({n})*({a})**({m})*({da}); where: where({a}, {db}, {dc});
mean: mean({da}); sum: sum({da}); max: sum(attains_first({a}, max({a}))*({da}));
min: sum(attains_first({a}, min({a}))*({da})); exp: exp({a})*({da}); log: ({da})/({a});
sin: cos({a})*({da}); cos: -sin({a})*({da}); erf: 2/sqrt(pi)*exp(-({a})**2)*({da});
asin: ({da})/((1 - ({a}))*(1 + ({a})))**(1/2); atan: ({da})/(1 + ({a})**2)"""
WRITTEN = """sqrt: u**(1/2); rsqrt: u**(-1/2); log1p: log(1 + u); expm1: exp(u) - 1; sigmoid: 1/(1 + exp(-u));
tanh: 2/(1 + exp(-2*u)) - 1; softplus: log(1 + exp(u)); silu: u/(1 + exp(-u)); gelu: u*(1 + erf(u/sqrt(2)))/2;
abs: where(u > 0, u, where(u < 0, -u, 0)); sign: where(u > 0, 1, where(u < 0, -1, 0)); relu: where(u > 0, u, 0);
BitAnd: where(u, where(v, 1, 0), 0); BitOr: where(u, 1, where(v, 1, 0)); Invert: where(u, 0, 1);
maximum: where(u > v, u, v); minimum: where(u < v, u, v); clip: minimum(maximum(u, v), w);
pick: sum(where(index() == v, u, 0)); acos: pi/2 - asin(u); Phi: (1 + erf(u/sqrt(2)))/2; phi: exp(-u**2/2)/sqrt(2*pi)"""
TANGENTS, MACROS = (dict(u.split(": ") for u in text.replace("\n", " ").split("; ")) for text in (MOVED, WRITTEN))
LANGUAGE = {*filter(str.islower, [*TANGENTS, *MACROS]), "stop_gradient", "index"} - {"phi"}
RESERVED = LANGUAGE | {"Phi", "phi", "attains_first", "sum_rows", "D", "pi"}
Table = list[list[Any]]  # two rows of features; what is shared stands in it once for each of them


class ClaimRefused(Exception):
    """Error for a claim that does not hold; the message says where."""


def require(holds: Any, message: str) -> Any:
    """Return a value that holds; raises ClaimRefused for one that does not."""
    if not holds:
        raise ClaimRefused(message)
    return holds


def sign(u: Any) -> int | None:
    """-1, 0 or 1 with the sign of a value; None where it is not known."""
    return 1 if u > 0 else -1 if u < 0 else 0 if u == 0 else None


def power(u: Any, exponent: Fraction) -> Any:
    """A number to a rational power; unknown where that is not real, or may not be."""
    if exponent < 0:
        return 1 / power(u, -exponent)
    if (root := exponent.denominator) > 1:
        u = UNKNOWN if not u >= 0 else iv.sqrt(u) if root == 2 else iv.exp(iv.log(u) / root)
    return u**exponent.numerator


def raised(u: Any, exponent: Any) -> Any:
    """A number that is not negative to any power; unknown where it may be, or has no such power."""
    if u == 0:
        return iv.one if exponent == 0 else iv.zero if exponent > 0 else UNKNOWN
    return iv.exp(exponent * iv.log(u)) if u > 0 and abs(exponent * iv.log(u)) < LARGEST else UNKNOWN


def function(word: str, u: Any) -> Any:
    """A function of one number. Some increase; mpmath has those for numbers, and their last digits count as wrong."""
    if word != "erf" and not (u > 0 if word == "log" else abs(u) < (1 if word == "asin" else LARGEST)):
        return UNKNOWN
    if word in INCREASING:
        most = LARGEST if word == "erf" else mp.inf
        ends = [max(-most, min(most, mpf(end))) for end in (u.a, u.b)]
        return iv.mpf([*map(getattr(mp, word), ends)]) * (1 + iv.mpf([-1, 1]) * iv.mpf(2) ** -390)
    return getattr(iv, word)(u)


def added(a: Any, b: Any) -> Any:
    """a + b; unknown where one is too small to be seen: it might hide what holds nowhere else."""
    seen = not sign(a) or not sign(b) or (abs(a).b > abs(b).b * SMALL and abs(b).b > abs(a).b * SMALL)
    return a + b if seen else UNKNOWN


ENTRYWISE: Any = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv}
ENTRYWISE |= {word: partial(function, word) for word in ("exp", "log", "sin", "cos", *INCREASING)}
ENTRYWISE |= {"USub": operator.neg, "stop_gradient": operator.pos}
CAREFUL: Any = ENTRYWISE | {"Add": added, "Sub": lambda a, b: added(a, -b)}


def each(f: Any, *tables: Table) -> Table:
    """A function of numbers, entry by entry, and once where entries are shared."""
    known: Any = {}

    def at(*entries: Any) -> Any:
        if (key := tuple(map(id, entries))) not in known:
            known[key] = f(*entries)
        return known[key]

    return [[at(*entries) for entries in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]


def parsed(text: str, most: float = MOST_TEXT) -> ast.expr:
    """An expression, with the values of its numbers; raises ClaimRefused if it is none."""
    fits = isinstance(text, str) and len(text) <= most and text.isascii() and text.isprintable() and "#" not in text
    require(fits, "an expression is a short line of ASCII")
    tree = ast.parse(text, mode="eval").body
    for e in ast.walk(tree):
        e.text = ast.unparse(e)
        if isinstance(e, ast.Constant):
            written = text[e.col_offset : e.end_col_offset]
            require(NUMBER.fullmatch(written), f"not in the grammar of numbers: {written[:80]}")
            e.exactly = iv.mpf(Fraction(written).numerator) / Fraction(written).denominator
        elif isinstance(e, ast.BinOp) and isinstance(e.op, ast.Pow):
            written = re.sub("[ ()]", "", ast.unparse(e.right))
            e.power = Fraction(written) if EXPONENT.fullmatch(written) else None
            fits = e.power is None or abs(e.power) <= MOST_POWER
            require(fits, f"not in the grammar of exponents, or too large: {written[:80]}")
    return tree


def put(form: str, arguments: list[ast.expr]) -> str:
    """A form in u, or in u and v, or in u, v and w, of arguments."""
    require(len(arguments) == len({*re.findall(r"\b[uvw]\b", form)}), f"not that number of arguments: {form}")
    return re.sub(r"\b[uvw]\b", lambda found: f"({arguments['uvw'.index(found[0])].text})", form)


def taken(e: ast.expr) -> tuple[str, list[ast.expr]]:
    """An expression taken apart: its operator or function, and its operands."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and not e.keywords:
        return e.func.id, e.args
    parts = [part for part in ast.iter_child_nodes(e) if isinstance(part, ast.expr)]
    return type(e.op).__name__ if isinstance(e, ast.BinOp | ast.UnaryOp) else "", parts


def tangent(e: ast.expr, move: str) -> str:
    """Tangent of an expression; that of a name has the name with `move` at its end."""
    if isinstance(e, ast.Name):
        return "0" if e.id in ("D", "pi") else e.id + move
    word, parts = taken(e)
    if word in MACROS:
        return tangent(parsed(put(MACROS[word], parts), 1e6), move)
    texts = {}
    if word == "Pow":  # an exponent that is no number is of Constants, which do not move
        n, m = (e.right.text, f"({e.right.text} - 1)") if e.power is None else (e.power, e.power - 1)
        texts = {"n": n, "m": m}
    for letter, part in zip("abc", parts, strict=False):
        texts |= {letter: part.text, f"d{letter}": tangent(part, move)}
    return TANGENTS.get(word, "0").format(**texts)


class Sheet:
    """Evaluates expressions at a point. Feature j stands for weights[j] that are alike: billions take no longer.

    The second row stands for `many` that are alike. An extreme is `tied` where more features than one attain it so.
    """

    def __init__(self, weights: list[int], values: dict[str, Table], entrywise: Any = ENTRYWISE, many: int = 1) -> None:
        self.weights, self.values, self.entrywise, self.many = weights, values, entrywise, many
        self.known, self.decided, self.tied = {}, {}, False

    def __call__(self, e: ast.expr) -> Table:
        """The table of an expression; raises ClaimRefused if it is not in the grammar."""
        return self.known.get(e.text) or self.known.setdefault(e.text, self._at(e))

    def _at(self, e: ast.expr) -> Table:
        if isinstance(e, ast.Constant):
            return [[e.exactly] * len(self.weights)] * 2
        if e.text in self.values:
            return self.values[e.text]
        word, parts = taken(e)
        if word in MACROS:
            return self(parsed(put(MACROS[word], parts), 1e6))
        match word, parts:
            case "where", [ast.Compare(left=left, ops=[op], comparators=[right]), a, b]:
                key = "kink", f"{left.text} - ({right.text})"
                gap = self.decided[key] = each(operator.sub, self(left), self(right))
                side = {None: 2, **dict.fromkeys(HOLDS[type(op).__name__], 0)}
                return each(lambda g, u, v: (u, v, UNKNOWN)[side.get(sign(g), 1)] * 1, gap, self(a), self(b))
            case "where", [condition, a, b] if taken(condition)[0] in ("BitAnd", "BitOr", "Invert"):
                return self(parsed(f"where(({condition.text}) > 1/2, {a.text}, {b.text})", 1e6))
            case "Pow", [base, exponent]:
                by = partial(power, exponent=e.power)
                found = each(raised, self(base), self(exponent)) if e.power is None else each(by, self(base))
                self.decided |= {("pole", base.text): self(base), ("pole", e.text): found}
                for n in range(3 if e.power is None else 0):  # where the base is 0, the derivatives are limits
                    self.decided["limit", f"{exponent.text} - {n}"] = each(lambda u, n=n: u - n, self(exponent))
                return found
            case "max" | "min" | "attains_first", [one, *attained] if len(attained) == (word == "attains_first"):
                self.decided["order", one.text] = self(one)
                return [*map(partial(self._extreme, word), self(one), *map(self, attained))]
            case "mean" | "sum", [one]:
                return [[self._total(r) / (sum(self.weights) if word == "mean" else 1)] * len(r) for r in self(one)]
            case "sum_rows", [one]:
                return each(lambda u, v: u + v * self.many, *([row] for row in self(one))) * 2
        require(word in ENTRYWISE, f"not in the grammar, or nothing of that name here: {e.text[:80]}")
        self.decided |= {("pole", parts[1].text): self(parts[1])} if word == "Div" else {}
        return each(self.entrywise[word], *map(self, parts))

    def _extreme(self, word: str, row: list[Any], attained: list[Any] | None = None) -> list[Any]:
        behind = {"max": (0, -1), "min": (0, 1)}.get(word, (0, None))
        others = [row] * len(row) if attained is None else [[m] for m in attained]
        fits = [all(v is u or sign(v - u) in behind for v in vs) for u, vs in zip(row, others, strict=True)]
        first = fits.index(True) if any(fits) else 0
        self.tied |= self.weights[first] > 1
        if not fits[first] or (attained and self.weights[first] > 1):
            return [UNKNOWN] * len(row)  # of features that are alike, only one would be the first
        return [iv.mpf(int(j == first)) for j in range(len(row))] if attained else [row[first]] * len(row)

    def _total(self, row: list[Any]) -> Any:
        return reduce(operator.add, (u if n == 1 else u * n for u, n in zip(row, self.weights, strict=True)))


def in_parts(function: ast.FunctionDef) -> None:
    """Write parts of an array as values of their own, which the axis that numbers them is no axis of; leave out casts.

    The derivative goes straight through a cast, and the steps have the value before it.
    """

    class Cast(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            word, parts = taken(self.generic_visit(node))
            return parts[0] if word == "cast" and len(parts) == 2 and isinstance(parts[1], ast.Constant) else node

    function.body, made, lines = Cast().visit(function).body, {}, []
    given, defaults = function.args.args, function.args.defaults
    of = dict(zip((a.arg for a in given), [None] * (len(given) - len(defaults)) + defaults, strict=True))
    parts: dict[str, list[ast.arg]] = {}
    for line in function.body:
        value = line.value
        word = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
        if word == "at":
            (array,), (axis,) = value.args, value.keywords
            (whole,) = (a for a in given if a.arg == array.id)
            kind = re.sub(rf"\b{axis.arg} | {axis.arg}\b", "", ast.unparse(whole.annotation))
            part = ast.arg(line.targets[0].id, ast.parse(re.sub(r"\(([\w.]+)\)", r"\1", kind), mode="eval").body)
            parts.setdefault(array.id, []).append(part)
        elif word == "join":
            names = made[line.targets[0].id] = [f"{line.targets[0].id}_{n}" for n in range(len(value.args))]
            lines += [ast.parse(f"{y} = {ast.unparse(a)}").body[0] for y, a in zip(names, value.args, strict=True)]
        else:
            lines.append(line)
    whole = [part for a in given for part in parts.get(a.arg, [a])]
    function.args.args, function.args.defaults = whole, [of[a.arg] for a in whole if of.get(a.arg) is not None]
    outputs = [y for name in re.findall(r"\w+", ast.unparse(lines[-1].value)) for y in made.get(name, [name])]
    if made:
        lines[-1].value = ast.parse(", ".join(outputs), mode="eval").body
    function.body = lines


def in_shorthand(function: ast.FunctionDef) -> None:
    """Put kinds in the place of axes that have names: the axes of a reduction are the features, the others the rows."""
    text = {a.arg: ast.unparse(a.annotation or a) for a in function.args.args}
    axes = {name: re.findall(AXIS, of.partition("[")[2]) for name, of in text.items()}
    if (first := next((name for name, of in text.items() if of.startswith("Array[")), None)) is None:
        return
    calls = [e for e in ast.walk(function) if taken(e)[0] in ("mean", "sum", "max", "min") and taken(e)[1][1:]]
    last = re.split(r" (?![^(]*\))", text[first].replace("Array['", ""))[-1]
    named = {frozenset(re.findall(AXIS, ast.unparse(e.args.pop()))) for e in calls} or {
        frozenset(re.findall(AXIS, last))
    }
    fits = len(named) == 1 and all({*own} <= {*axes[first]} for own in axes.values())
    require(fits, "not in the language of definitions: its axes")
    (features,) = named
    whole = {kind: over for kind, over in KINDS.items() if kind not in (*DATA, "Constant")}
    for a in function.args.args:
        kinds = {"Array": whole, "Data": DATA, "Int": INTEGERS}.get(text[a.arg].partition("[")[0], {})
        over = any(n not in features for n in axes[a.arg]), any(n in features for n in axes[a.arg])
        a.annotation = ast.Name([kind for kind, of in kinds.items() if of == over][-1]) if kinds else a.annotation
    sizes, defaults = [text[name] == "Size" for name in text], function.args.defaults
    function.args.defaults = [u for u, is_one in zip(defaults[::-1], sizes[::-1], strict=False) if not is_one][::-1]
    function.args.args = [a for a, is_one in zip(function.args.args, sizes, strict=True) if not is_one]


class SourceFunction:
    """The function of a file: its `text` without its docstring, the kinds of its inputs, its lines and its outputs."""

    def __init__(self, source: str) -> None:
        *imports, function = (tree := ast.parse(source)).body[ast.get_docstring(tree) is not None :]
        ours = all(re.fullmatch(r"from lngen\.language import \w+(, \w+)*", ast.unparse(node)) for node in imports)
        require(ours, "not in the language of definitions: an import of what is not lngen.language, or of another name")
        function.body = function.body[ast.get_docstring(function) is not None :]
        self.text = ast.unparse(function)
        in_parts(function)
        in_shorthand(function)
        parts = require(DEFINITION.fullmatch(ast.unparse(function)), "not in the language of definitions: its lines")
        kinds, written = re.findall(rf"(\w+): ({KIND})", parts[1]), re.findall(r"\n    (\w+) = (.*)", parts[2])
        defaults = re.findall(r"(\w+): Constant=([^,]+)", parts[1])
        written += [("y", parts[4])] if parts[4] else []
        apart = not any(KINDS[kind][1] for _, kind in kinds)  # nothing has features: a value per row is an entry
        self.kinds = {name: KINDS[kind][:1] * 2 if apart else KINDS[kind] for name, kind in kinds}
        self.constants, self.integers = ({n: [] for n, k in kinds if k in some} for some in (["Constant"], INTEGERS))
        self.constants |= {name: [iv.mpf(Fraction(n).numerator) / Fraction(n).denominator] for name, n in defaults}
        self.varied = [name for name, kind in kinds if kind not in (*DATA, "Constant")]
        self.outputs, self.lines = re.findall(r"\w+", parts[3] or "y"), {name: parsed(text) for name, text in written}
        nodes = [part for line in self.lines.values() for part in ast.walk(line)]
        free = {n.id for p in nodes if getattr(p, "power", 0) is None for n in ast.walk(p.right) if hasattr(n, "id")}
        require(free <= {*self.constants, "D"}, f"NOT VERIFIED: an exponent that moves, of {sorted(free)}")
        self.constants |= {n: [*map(iv.mpf, range(3)), *self.constants[n]] for n in free - {"D"}}
        self.positive = {n for n, values in self.constants.items() if values and values[-1] > 0}
        alien = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)} - LANGUAGE
        require(alien.isdisjoint({"uniform", "dropout"}), "NOT VERIFIED: the definition has random numbers")
        names = [*self.kinds, *(name for name, _ in written)]
        require(not RESERVED & {*names}, f"NOT VERIFIED: values called as functions are, {sorted(RESERVED & {*names})}")
        fits = not alien and len({*names}) == len(names) and {*self.outputs} <= {*self.lines}
        require(fits, f"the definition has a name twice, or a function that is not of the language: {[*alien]}")
        self.numbers = [iv.zero, *(node.exactly for node in nodes if isinstance(node, ast.Constant))]
        self.along, self.steep = [self.lines], any(abs(getattr(node, "power", 0) or 0) > 8 for node in nodes)
        for move in MOVES:
            pairs = [pair for lines in self.along for pair in lines.items()]
            self.along.append({name + move: parsed(tangent(e, move), 1e6) for name, e in pairs})

    def at(self, weights: list[int], inputs: dict[str, Table], *directions: dict[str, Table]) -> Sheet:
        """All values of it; with directions, what they move by along the first, the second, and both."""
        values = inputs | {name: [[u] * len(weights)] * 2 for name, u in (("D", iv.mpf(sum(weights))), ("pi", +iv.pi))}
        last = len(weights) - 1
        places = [*map(iv.mpf, range(last)), iv.mpf([last, sum(weights) - 1])]
        still, values["index()"] = [[iv.zero] * len(weights)] * 2, [places] * 2
        for move, direction in zip(MOVES, directions, strict=False):
            values |= {name + move: direction.get(name, still) for name in values}
        sheet = Sheet(weights, values)
        for name, line in (pair for lines in self.along[: 1 + len(directions)] for pair in lines.items()):
            sheet.values[name] = sheet(line)
        return sheet


def like(kind: tuple[int, int], features: int, draw: Any, alike: bool = False) -> Table:
    """A table of what varies over rows, features, both or neither; features may be `alike`."""
    rows = [[draw() for _ in range(features if kind[1] and not alike else 1)] for _ in range(1 + kind[0])]
    rows = [[u * 1 for u in row * features] if alike and kind[1] else (row * features)[:features] for row in rows]
    return (rows * 2)[:2]


def agree(a: Table, b: Table, largest: Any) -> bool | None:
    """Test whether two tables agree to 50 digits; None if the digits do not decide, or if a value is missing."""
    pairs = {(id(u), id(v)): (u, v) for row in zip(a, b, strict=True) for u, v in zip(*row, strict=True)}.values()
    gaps = [(u - v, abs(u)) for u, v in pairs]
    scale = reduce(lambda m, u: u if u > m else m, [size.a for _, size in gaps], largest * 0)
    floor = (scale if scale > 0 else largest) * SMALL
    close = all(gap.delta < floor or gap.delta < size.b * AGREE for gap, size in gaps)
    return False if any(sign(gap) for gap, _ in gaps) else close or None


def follows(kind: str, one: Table, other: Table, flip: int) -> bool:
    """Test whether a decision has the sign of another, and a ratio to it that varies only where it may."""
    if kind == "order":
        one, other = ([[u - v for u, v in combinations(row, 2)] for row in table] for table in (one, other))
    elif all(row[0] is row[-1] for row in other):
        one, other = ([[row[0] for row in table]] for table in (one, other))
    for row in zip(one, other, strict=True):
        known = [(c, k) for c, k in zip(*row, strict=True) if None not in (sign(c), sign(k))]
        varies = kind != "order" and any(sign(c * known[0][1] - k * known[0][0]) for c, k in known)
        if varies or any(sign(c) != flip * sign(k) for c, k in known):
            return False
    return True


class Certificate:
    """A certificate, parsed, and checked at points."""

    def __init__(self, document: Any, definition: SourceFunction) -> None:
        require(document["format"] == FORMAT and document.keys() == FIELDS, f"its fields are not those of {FORMAT}")
        pairs = zip_longest(document["definition"].split("\n"), definition.text.split("\n"))
        for line, (here, there) in enumerate(pairs, 1):
            require(here == there, f"another definition: line {line} is {here!r}, and in the file it is {there!r}")
        self.definition, self.alive, self.steps, self.turn = definition, {}, [], 0
        self.own = {name: name for name in (*definition.kinds, *definition.lines)} | document["names"]
        roles = [(definition.outputs, "d{}"), (definition.varied, "{}_dot"), (definition.varied, "dd{}")]
        self.arguments = [{name: form.format(self.own[name]) for name in names} for names, form in roles]
        given = [*self.own.values(), *(name for role in self.arguments for name in role.values()), *RESERVED]
        fits = len({*given}) == len(given) and len(self.own) == len(definition.kinds) + len(definition.lines)
        require(fits and all(map(NAME.fullmatch, given)), "a name stands for two things, or for none of the definition")
        forms, ends = ("{}", "d{}", "dd{}", "d2{}", "{}_dot"), (*definition.outputs, *definition.varied)
        apart = Counter([*definition.kinds, *definition.lines, *(f.format(n) for n in ends for f in forms[1:])])
        for there, here in document["names"].items():
            needed = here not in apart and any(apart[form.format(there)] > 1 for form in forms)
            require(needed, f"{there[:80]} has another name without need, or that of another value")
        for number, step in enumerate(document["steps"], 1):
            target, where = step["target"], f"step {number}, {step['target'][:80]}"
            fits = {"target", "after"} <= step.keys() <= OF_A_STEP and NAME.fullmatch(target)
            require(fits and (target in self.own.values() or target not in given), f"{where}: it is not a step")
            sides = [[parsed(step[side])] for side in ("after", "before") if side in step]
            sides += [[*map(parsed, step["parts"])]] if "parts" in step else []
            self.steps.append((where, target, sides, [(parsed(a), parsed(b)) for a, b in step.get("uses", [])]))

    def run(self, generator: random.Random) -> int:
        """Check it at many points, and count them."""
        check, some, least = partial(self.check, generator), generator.randrange, 1
        while not check(least, 1):
            least += 1
            require(least < 40, "NOT VERIFIED: the definition has no value with fewer than 40 features")
        sizes = [*range(least + 1, least + 6), least + 12, 20 + some(10), some(2**7, 2**15), some(2**15, 2**31)]
        special = [(least + 1 + some(3), *how) for how in product((0, 1e-3, 1, 1e3), (0, 0.4, 1))]
        return 1 + sum(check(*how) for how in [*zip(sizes, (1, 3) * 5, strict=False), *special])

    def check(self, luck: random.Random, features: int, scale: float, special: float = 0, more: int = 3) -> bool:
        """Check it at a point; False where the definition has no value. Only special points may leave it open."""
        definition, weights = self.definition, [1] * features if features <= WRITTEN_OUT else [1, 1, 1, 1, features - 4]
        strict = not special and scale in (1, 3) and features > 1
        alike = not strict and features > 1 and luck.random() < 0.3
        numbers, pick, uniform = [*definition.numbers, iv.mpf(luck.uniform(-1, 1))], luck.choice, luck.uniform

        self.turn, many = self.turn + 1, pick([1, 2, luck.randrange(2**31)])
        places = [*map(iv.mpf, (*range(-2, len(weights) - (len(weights) < features)), features, features + 1))]

        def draw(scale: float, special: float, positive: bool, name: str = "") -> Any:
            if name in definition.integers:
                return iv.mpf(luck.randrange(-(2**31), 2**31)) if luck.random() < special / 2 else pick(places)
            if self.turn % 2 and definition.constants.get(name):
                return definition.constants[name][self.turn // 2 % len(definition.constants[name])]
            u = pick(numbers) + pick([0, TINY, -TINY]) if luck.random() < special else iv.mpf(scale * uniform(-1, 1))
            u = abs(u) + TINY * (u == 0) if name in definition.positive else u
            return abs(u) if positive or name in definition.positive else u * pick([1, -1])

        kinds, draws, unit = definition.kinds, (*self.arguments, definition.varied), partial(draw, 1, 0, False)
        dots, seconds, moves = ({n: like(kinds[n], len(weights), unit) for n in role} for role in draws[1:])
        for attempt in range(TRIES):
            one = partial(draw, scale, special, attempt % 2 == 1)
            inputs = {n: like(kind, len(weights), partial(one, n), alike) for n, kind in kinds.items()}
            truth, along = definition.at(weights, inputs), definition.at(weights, inputs, dots, seconds).values
            results = {o: truth.values[o] for o in definition.outputs}
            wanted = [*(definition.lines if features > WRITTEN_OUT else results)]
            wanted += [o + move for o in results for move in ("_1_", "_2_", "_1__2_") if strict]
            if not truth.tied and all(agree(along[n], along[n], iv.one) for n in wanted):
                break
        else:
            return False
        kinds = kinds | {o: (1, int(table[0][0] is not table[0][-1])) for o, table in results.items()}
        dy = {o: like(kinds[o], len(weights), unit) for o in results}
        values = {self.own.get(name, name): table for name, table in truth.values.items()}
        for role, tables in zip(self.arguments, (dy, dots, seconds), strict=True):
            values |= {role[name]: table for name, table in tables.items()}
        sheet, equal = Sheet(weights, values, CAREFUL if strict and not definition.steep else ENTRYWISE, many), []
        sizes = [abs(u).b for table in values.values() for u in table[0] + table[1]]
        largest = reduce(lambda m, u: u if m < u < "inf" else m, sizes)
        for where, target, sides, uses in self.steps:
            found = [values[target]] if target in values else []
            found += [reduce(partial(each, sheet.entrywise["Add"]), map(sheet, side)) for side in sides]
            equal += [(where, found[0], other) for other in found[1:]] + [(where, sheet(a), sheet(b)) for a, b in uses]
            values[target] = found[0]

        def inner(a: dict[str, Table], b: dict[str, Table]) -> Table:
            rows = [(n, *of) for n in a for of in [*zip(a[n], b[n], (1, many), strict=True)][: 1 + kinds[n][0]]]
            products = [(n, [u * v * w for u, v in zip(r, q, strict=True)]) for n, r, q, w in rows]
            return [[reduce(operator.add, [sheet._total(row) if kinds[n][1] else row[0] for n, row in products])]]

        for form, end in (("{}", ""), ("{}_dot", "_1_"), ("dd{}", "_2_")):
            equal += [(f"result {(own := form.format(self.own[o]))}", values[own], along[o + end]) for o in results]
        for n in definition.varied:
            along = definition.at(weights, inputs, {n: moves[n]}, seconds).values
            for form, end in (("d{}", "_1_"), ("d2{}", "_1__2_")):
                own, truly = form.format(self.own[n]), inner(dy, {o: along[o + end] for o in dy})
                equal.append((f"result {own}", inner({n: moves[n]}, {n: values[own]}), truly))
                shared = [row if kinds[n][1] else row[:1] * len(row) for row in values[own]]
                equal.append((f"result {own}", values[own], shared if kinds[n][0] else shared[:1] * 2))
        for same, at in (found := [(agree(a, b, largest), where) for where, a, b in equal]):
            require(same or (same is None and (more or not strict)), f"{at}: it does not hold with {features} features")
        if strict and any(same is None for same, _ in found):  # the point may lie in a tail where nothing is seen
            return self.check(luck, features, scale, more=more - 1)
        by = truth.decided.items()
        kinks = {k: t for k, t in by if k[0] in ("kink", "limit") or (k[0] == "pole" and t[0][0] is not t[1][0])}
        # What selects a feature decides whether it is between the places 0 and D.
        ends = [text.replace("index()", end) for _, text in kinks for end in "0D" if "index()" in text]
        kinks |= {("place", text): truth(parsed(text, 1e6)) for text in ends}
        for key, table in sheet.decided.items():
            if key[0] in ("kink", "order"):
                known = truth.known if key[0] == "order" else kinks
                alive = self.alive.get(key, {(other, flip) for other in known for flip in (1, -1)})
                alive = {(k, flip) for k, flip in alive if k in known and follows(key[0], table, known[k], flip)}
                self.alive[key] = require(alive, f"{key[1][:80]} decides, and the definition does not by it")
        return True


def main() -> int:
    """Check a certificate, and print nothing of it as it is; the status is 1 if it is refused, 3 if not verified."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--definition", type=Path, required=True, metavar="FILE", help="the definition that you have")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(64), help="to repeat a run")
    parser.add_argument("--seconds", type=float, default=8, help="after which it is refused (default: 8)")
    given, status, points = parser.parse_args(), 0, 0
    signal.signal(signal.SIGPROF, lambda *_: require(False, "it takes too long; --seconds allows more"))
    signal.setitimer(signal.ITIMER_PROF, given.seconds, 0.1)  # again and again: mpmath catches what it should not
    try:
        for path in (given.definition, given.certificate):
            require(path.is_file() and path.stat().st_size <= MOST_BYTES, f"{path} is no file, or too large")
        text, twice = given.certificate.read_text("utf-8"), "a key stands there twice"
        once = {"object_pairs_hook": lambda pairs: require(len(dict(pairs)) == len(pairs), twice) and dict(pairs)}
        document = json.loads(text, **once)
        certificate = Certificate(document, SourceFunction(given.definition.read_text("utf-8")))
        points = certificate.run(random.Random(given.seed))
        said = f"{len(certificate.steps)} steps and every result hold"
    except Exception as fault:
        said = str(fault) if isinstance(fault, ClaimRefused) else f"its form: {fault!r}"
        status, said = (3, said) if said.startswith("NOT VERIFIED") else (1, f"REFUSED: {said}")
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(ascii(f"{given.certificate}: {said[:400]}")[1:-1], f"({points} points, from --seed {given.seed})", sep="\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main())

"""Re-check a certificate of `lngen derive NAME --certificate FILE` against a definition, trusting nothing of lngen.

    python tools/verify.py CERTIFICATE --definition FILE [--seed N] [--seconds S]

Nothing of lngen is imported, and nothing is believed that is not computed here: `docs/certificate.md` says what is.
"""

import argparse
import ast
import json
import operator
import random
import re
import secrets
import signal
import sys
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations, product, zip_longest
from pathlib import Path
from typing import Any

from mpmath import iv, mp, mpf

FORMAT, FIELDS = "lngen certificate 2", {"format", "definition", "names", "steps"}
OF_A_STEP, MOVES = {"target", "after", "before", "parts", "uses"}, ("_1_", "_2_")
iv.prec = mp.prec = 400  # bits of an interval's ends
AGREE, SMALL = iv.mpf(2) ** -166, iv.mpf(2) ** -250  # 50 digits; what is too small beside another to be seen
MOST_BYTES, MOST_TEXT, MOST_POWER, LARGEST = 2**20, 8000, 300, 2**14  # LARGEST is of an argument of exp, sin or erf
TRIES, WRITTEN_OUT, TINY, UNKNOWN = 12, 80, iv.mpf(2) ** -40, iv.mpf(["-inf", "inf"])
KINDS = {"Row": (1, 1), "Data": (1, 1), "RowScalar": (1, 0), "Feature": (0, 1), "Scalar": (0, 0), "Constant": (0, 0)}
NUMBER, NAME = re.compile(r"[0-9]{1,40}(\.[0-9]{0,40})?(e[+-]?[0-9]{1,3})?"), re.compile("[A-Za-z][A-Za-z0-9_]{0,63}")
EXPONENT = re.compile(r"-?[0-9]{1,9}(/[0-9]{1,9}|\.[0-9]{1,9})?")
HOLDS = {"Eq": (0,), "NotEq": (-1, 1), "Lt": (-1,), "LtE": (-1, 0), "Gt": (1,), "GtE": (0, 1)}
MOVED = """Add: ({da}) + ({db}); Sub: ({da}) - ({db}); Mult: ({da})*({b}) + ({a})*({db}); USub: -({da});
Div: (({da}) - ({a})/({b})*({db}))/({b}); Pow: ({n})*({a})**({m})*({da}); where: where({a}, {db}, {dc});
mean: mean({da}); sum: sum({da}); max: sum(attains_first({a}, max({a}))*({da}));
min: sum(attains_first({a}, min({a}))*({da})); exp: exp({a})*({da}); log: ({da})/({a});
sin: cos({a})*({da}); cos: -sin({a})*({da}); erf: 2/sqrt(pi)*exp(-({a})**2)*({da})"""
WRITTEN = """sqrt: u**(1/2); rsqrt: u**(-1/2); log1p: log(1 + u); expm1: exp(u) - 1; sigmoid: 1/(1 + exp(-u));
tanh: 2/(1 + exp(-2*u)) - 1; softplus: log(1 + exp(u)); silu: u/(1 + exp(-u)); gelu: u*(1 + erf(u/sqrt(2)))/2;
abs: where(u > 0, u, where(u < 0, -u, 0)); sign: where(u > 0, 1, where(u < 0, -1, 0)); relu: where(u > 0, u, 0);
maximum: where(u > v, u, v); minimum: where(u < v, u, v); Phi: (1 + erf(u/sqrt(2)))/2; phi: exp(-u**2/2)/sqrt(2*pi)"""
TANGENTS, MACROS = (dict(u.split(": ") for u in text.replace("\n", " ").split("; ")) for text in (MOVED, WRITTEN))
LANGUAGE = {*filter(str.islower, TANGENTS), *MACROS, "stop_gradient"} - {"Phi", "phi"}
RESERVED = LANGUAGE | {"Phi", "phi", "attains_first", "sum_rows", "D", "pi"}
Table = list[list[Any]]  # two rows of features; what is shared stands in it once for each of them


class Refused(Exception):
    """What does not hold; the message says where."""


def require(holds: Any, message: str) -> Any:
    """What holds; raises Refused if it does not."""
    if not holds:
        raise Refused(message)
    return holds


def matched(form: str, line: str) -> Any:
    """The parts of a line of a definition."""
    return require(re.fullmatch(form, line), f"not in the language of definitions: {line[:80]}")


def sign(u: Any) -> int | None:
    """-1, 0 or 1 with the sign of a value; None where it is not known."""
    return 1 if u > 0 else -1 if u < 0 else 0 if u == 0 else None


def power(u: Any, exponent: Fraction) -> Any:
    """A number to a rational power; unknown where that is not real, or may not be."""
    if exponent < 0:
        return 1 / power(u, -exponent)
    under = exponent.denominator
    if under > 1:
        u = UNKNOWN if not u >= 0 else iv.sqrt(u) if under == 2 else iv.exp(iv.log(u) / under)
    return u**exponent.numerator


def function(word: str, u: Any) -> Any:
    """A function of one number. erf increases; mpmath has it for numbers, and its last digits are taken for wrong."""
    if word == "log":
        return iv.log(u) if u > 0 else UNKNOWN
    if word == "erf" and abs(u) < LARGEST:
        return iv.mpf([mp.erf(mpf(u.a)), mp.erf(mpf(u.b))]) * (1 + iv.mpf([-1, 1]) * iv.mpf(2) ** -390)
    return getattr(iv, word)(u) if abs(u) < LARGEST else UNKNOWN


def added(a: Any, b: Any) -> Any:
    """a + b; unknown where one is too small to be seen: it might hide what holds nowhere else."""
    seen = not sign(a) or not sign(b) or (abs(a).b > abs(b).b * SMALL and abs(b).b > abs(a).b * SMALL)
    return a + b if seen else UNKNOWN


ENTRYWISE: Any = {"Add": added, "Mult": operator.mul, "Div": operator.truediv, "USub": operator.neg}
ENTRYWISE |= {word: partial(function, word) for word in ("exp", "log", "sin", "cos", "erf")}
ENTRYWISE |= {"Sub": lambda a, b: added(a, -b), "stop_gradient": operator.pos}


def each(f: Any, *tables: Table) -> Table:
    """A function of numbers, entry by entry, and once where entries are shared."""
    known: dict[tuple[int, ...], Any] = {}

    def at(*entries: Any) -> Any:
        if (key := tuple(map(id, entries))) not in known:
            known[key] = f(*entries)
        return known[key]

    return [[at(*entries) for entries in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]


def parsed(text: str, most: float = MOST_TEXT) -> ast.expr:
    """An expression, with the values of its numbers; raises Refused if it is none."""
    require(isinstance(text, str) and len(text) <= most and text.isascii(), "an expression is a short line of ASCII")
    tree = ast.parse(text, mode="eval").body
    for e in ast.walk(tree):
        e.text = ast.unparse(e)
        if isinstance(e, ast.Constant):
            written = text[e.col_offset : e.end_col_offset]
            require(NUMBER.fullmatch(written), f"not in the grammar of numbers: {written[:80]}")
            e.exactly = iv.mpf(Fraction(written).numerator) / Fraction(written).denominator
        elif isinstance(e, ast.BinOp) and isinstance(e.op, ast.Pow):
            written = re.sub("[ ()]", "", ast.unparse(e.right))
            e.power = Fraction(written if EXPONENT.fullmatch(written) else MOST_POWER + 1)
            require(abs(e.power) <= MOST_POWER, f"not in the grammar of exponents, or too large: {written[:80]}")
    return tree


def put(form: str, arguments: list[ast.expr]) -> str:
    """A form in u, or in u and v, of arguments."""
    require(len(arguments) == 1 + ("v" in form), f"not that number of arguments: {form}")
    return re.sub(r"\b[uv]\b", lambda found: f"({arguments[found[0] == 'v'].text})", form)


def taken(e: ast.expr) -> tuple[str, list[ast.expr]]:
    """An expression taken apart: its operator or function, and its operands."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and not e.keywords:
        return e.func.id, e.args
    parts = [part for part in ast.iter_child_nodes(e) if isinstance(part, ast.expr)]
    return type(e.op).__name__ if isinstance(e, ast.BinOp | ast.UnaryOp) else "", parts


def tangent(e: ast.expr, move: str) -> str:
    """What an expression moves by where a name moves by what has the name and `move` at its end."""
    if isinstance(e, ast.Name):
        return "0" if e.id in ("D", "pi") else e.id + move
    word, parts = taken(e)
    if word in MACROS:
        return tangent(parsed(put(MACROS[word], parts), 1e6), move)
    texts = {letter: part.text for letter, part in zip("abc", parts, strict=False)}
    texts |= {f"d{letter}": tangent(part, move) for letter, part in zip("abc", parts, strict=False)}
    exponents = {"n": e.power, "m": e.power - 1} if word == "Pow" else {}
    return TANGENTS.get(word, "0").format(**texts, **exponents)


class Sheet:
    """Evaluates expressions at a point. Feature j stands for weights[j] that are alike: billions take no longer."""

    def __init__(self, weights: list[int], values: dict[str, Table]) -> None:
        self.weights, self.values, self.known, self.decided = weights, values, {}, {}

    def __call__(self, e: ast.expr) -> Table:
        """The table of an expression; raises Refused if it is not in the grammar."""
        if e.text not in self.known:
            self.known[e.text] = self._at(e)
        return self.known[e.text]

    def _at(self, e: ast.expr) -> Table:
        if isinstance(e, ast.Constant):
            return [[e.exactly] * len(self.weights)] * 2
        if isinstance(e, ast.Name) and e.id in self.values:
            return self.values[e.id]
        word, parts = taken(e)
        if word in MACROS:
            return self(parsed(put(MACROS[word], parts), 1e6))
        match word, parts:
            case "where", [ast.Compare(left=left, ops=[op], comparators=[right]), a, b]:
                gap = self.decided["kink", f"{left.text} - ({right.text})"] = each(
                    operator.sub, self(left), self(right)
                )
                side = {None: 2, **dict.fromkeys(HOLDS[type(op).__name__], 0)}
                return each(lambda g, u, v: (u, v, UNKNOWN)[side.get(sign(g), 1)] * 1, gap, self(a), self(b))
            case "Pow", [base, _]:
                found = each(partial(power, exponent=e.power), self(base))
                self.decided |= {("pole", base.text): self(base), ("pole", e.text): found}
                return found
            case "max" | "min" | "attains_first", [one, *attained]:
                self.decided["order", one.text] = self(one)
                return [*map(partial(self._extreme, word), self(one), *map(self, attained))]
            case "mean" | "sum", [one]:
                count = sum(self.weights) if word == "mean" else 1
                return [[self.total(row) / count] * len(row) for row in self(one)]
            case "sum_rows", [one]:
                return each(operator.add, *([row] for row in self(one))) * 2
        require(word in ENTRYWISE, f"not in the grammar, or nothing of that name here: {e.text[:80]}")
        self.decided |= {("pole", parts[1].text): self(parts[1])} if word == "Div" else {}
        return each(ENTRYWISE[word], *map(self, parts))

    def _extreme(self, word: str, row: list[Any], attained: list[Any] | None = None) -> list[Any]:
        behind = {"max": (0, -1), "min": (0, 1)}.get(word, (0, None))
        others = [row] * len(row) if attained is None else [[m] for m in attained]
        fits = [all(v is u or sign(v - u) in behind for v in vs) for u, vs in zip(row, others, strict=True)]
        if not any(fits) or (attained and self.weights[fits.index(True)] > 1):
            return [UNKNOWN] * len(row)  # of features that are alike, only one would be the first
        first = fits.index(True)
        return [iv.mpf(int(j == first)) for j in range(len(row))] if attained else [row[first]] * len(row)

    def total(self, row: list[Any]) -> Any:
        """The sum over features."""
        return reduce(operator.add, (u if n == 1 else u * n for u, n in zip(row, self.weights, strict=True)))


class Definition:
    """The function of a file: its `text` without its docstring, the kinds of its inputs, its lines and its outputs."""

    def __init__(self, source: str) -> None:
        tree = ast.parse(source)
        *imports, function = tree.body[ast.get_docstring(tree) is not None :]
        for node in imports:
            matched(r"from lngen\.language import \w+(, \w+)*", ast.unparse(node))
        function.body = function.body[ast.get_docstring(function) is not None :]
        self.text = ast.unparse(function)
        head, *lines, last = self.text.split("\n")
        result = matched(r"    return (?:(\w+|\(\w+(?:, \w+)*,?\))|(.*))", last)
        inputs = matched(r"def \w+\((.*)\):", head)[1].split(", ")
        kinds = [matched(r"(\w+): (\w+)(?:=-?[0-9.e+-]+)?", part).groups() for part in inputs]
        written = [matched(r"    (\w+) = (.*)", line).groups() for line in lines]
        written += [("y", result[2])] if result[2] else []
        self.kinds = {name: KINDS[kind] for name, kind in kinds}
        self.constants = {name for name, kind in kinds if kind == "Constant"}
        self.varied = [name for name, kind in kinds if kind not in ("Data", "Constant")]
        self.outputs = re.findall(r"\w+", result[1] or "y")
        self.lines = {name: parsed(text) for name, text in written}
        nodes = [part for line in self.lines.values() for part in ast.walk(line)]
        calls = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
        require(calls <= LANGUAGE, f"not of the language: {sorted(calls - LANGUAGE)}")
        names = [*self.kinds, *(name for name, _ in written), *RESERVED]
        require(len({*names}) == len(names) and {*self.outputs} <= {*self.lines}, "the definition has a name twice")
        self.numbers = [iv.zero, *(node.exactly for node in nodes if isinstance(node, ast.Constant))]
        self.along = [self.lines]
        for move in MOVES:
            moved = {name + move: parsed(tangent(e, move), 1e6) for lines in self.along for name, e in lines.items()}
            self.along.append(moved)

    def at(self, weights: list[int], inputs: dict[str, Table], *directions: dict[str, Table]) -> Sheet:
        """All values of it; with directions, what they move by along the first, the second, and both."""
        values = inputs | {name: [[u] * len(weights)] * 2 for name, u in (("D", iv.mpf(sum(weights))), ("pi", +iv.pi))}
        still = [[iv.zero] * len(weights)] * 2
        for move, direction in zip(MOVES, directions, strict=False):
            values |= {name + move: direction.get(name, still) for name in values}
        sheet = Sheet(weights, values)
        for lines in self.along[: 1 + len(directions)]:
            for name, line in lines.items():
                sheet.values[name] = sheet(line)
        return sheet


def like(kind: tuple[int, int], features: int, draw: Any, alike: bool = False) -> Table:
    """A table of what varies over rows, features, both or neither; features may be `alike`."""
    rows = [[draw() for _ in range(features if kind[1] and not alike else 1)] for _ in range(1 + kind[0])]
    rows = [[u * 1 for u in row * features] if alike and kind[1] else (row * features)[:features] for row in rows]
    return (rows * 2)[:2]


def agree(a: Table, b: Table, largest: Any) -> bool | None:
    """Whether two tables are the same to 50 digits; None where that is not known, as where there is no value."""
    pairs = {(id(u), id(v)): (u, v) for row in zip(a, b, strict=True) for u, v in zip(*row, strict=True)}.values()
    gaps = [(u - v, abs(u)) for u, v in pairs]
    if any(sign(gap) for gap, _ in gaps):
        return False
    scale = reduce(lambda m, u: u if u > m else m, [size.a for _, size in gaps], largest * 0)
    floor = (scale if scale > 0 else largest) * SMALL
    return all(gap.delta < floor or gap.delta < size.b * AGREE for gap, size in gaps) or None


def follows(kind: str, one: Table, other: Table, flip: int) -> bool:
    """Whether a decision has the sign of another, and a ratio to it that does not vary where it should not."""
    if kind == "order":
        one, other = ([[u - v for u, v in combinations(row, 2)] for row in table] for table in (one, other))
    elif all(row[0] is row[-1] for row in other):
        one, other = ([[row[0] for row in table]] for table in (one, other))
    for row in zip(one, other, strict=True):
        known = [(c, k) for c, k in zip(*row, strict=True) if None not in (sign(c), sign(k))]
        alike = kind == "order" or not any(sign(c * known[0][1] - k * known[0][0]) for c, k in known)
        if not alike or any(sign(c) != flip * sign(k) for c, k in known):
            return False
    return True


class Certificate:
    """What a file says of a definition, parsed, and checked at points."""

    def __init__(self, document: Any, definition: Definition) -> None:
        require(document["format"] == FORMAT and document.keys() == FIELDS, f"its fields are not those of {FORMAT}")
        pairs = zip_longest(document["definition"].split("\n"), definition.text.split("\n"))
        for line, (here, there) in enumerate(pairs, 1):
            require(here == there, f"another definition: line {line} is {here!r}, and in the file it is {there!r}")
        self.definition, self.alive, self.steps = definition, {}, []
        self.own = {name: name for name in (*definition.kinds, *definition.lines)}
        require(document["names"].keys() <= self.own.keys(), "a name is of nothing in the definition")
        self.own |= document["names"]
        roles = [(definition.outputs, "d{}"), (definition.varied, "{}_dot"), (definition.varied, "dd{}")]
        self.arguments = [{name: form.format(self.own[name]) for name in names} for names, form in roles]
        roles = [(definition.outputs, ("{}", "{}_dot", "dd{}")), (definition.varied, ("d{}", "d2{}"))]
        self.results = {form.format(self.own[name]) for names, forms in roles for name in names for form in forms}
        given = [*self.own.values(), *(name for role in self.arguments for name in role.values()), *RESERVED]
        require(len({*given}) == len(given) and all(map(NAME.fullmatch, given)), "a name stands for two things")
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
        special = product((0, 1e-3, 1, 1e3), (0, 0.4, 1))
        large = [some(2**e, 2 ** (e + 8)) for e in (7, 15, 23)]
        sizes = zip([*range(least + 1, least + 6), least + 12, 60 + some(10), *large], (1, 3) * 5, strict=True)
        return 1 + sum(check(*size) for size in sizes) + sum(check(least + 1 + some(3), *how) for how in special)

    def check(self, generator: random.Random, features: int, scale: float, special: float = 0) -> bool:
        """Check it at a point; False where the definition has no value. Special points may leave open what holds."""
        definition, weights = self.definition, [1] * features if features <= WRITTEN_OUT else [1, 1, 1, 1, features - 4]
        strict = 1 < features <= WRITTEN_OUT and not special and scale in (1, 3)
        alike = not strict and features > 1 and generator.random() < 0.3
        numbers = [*definition.numbers, iv.mpf(generator.uniform(-1, 1))]

        def draw(scale: float, special: float, positive: bool, constant: bool = False) -> Any:
            u = iv.mpf(scale * generator.uniform(-1, 1))
            if generator.random() < special:
                u = generator.choice(numbers) + generator.choice([0, TINY, -TINY])
            return abs(u) + TINY * (u == 0) if constant else abs(u) if positive else u * generator.choice([1, -1])

        for attempt in range(TRIES):
            inputs, one = {}, partial(draw, scale, special, attempt % 2 == 1)
            for name, kind in definition.kinds.items():
                inputs[name] = like(kind, len(weights), partial(one, name in definition.constants), alike)
            truth = definition.at(weights, inputs)
            results = {o: truth.values[o] for o in definition.outputs}
            if all(agree(table, table, iv.one) for table in results.values()):
                break
        else:
            return False
        kinds = definition.kinds | {o: (1, int(table[0][0] is not table[0][-1])) for o, table in results.items()}
        draws, unit = (*self.arguments, definition.varied), partial(draw, 1, 0, False)
        dy, dots, seconds, moves = ({n: like(kinds[n], len(weights), unit) for n in role} for role in draws)
        values = {self.own.get(name, name): table for name, table in truth.values.items()}
        for role, tables in zip(self.arguments, (dy, dots, seconds), strict=True):
            values |= {role[name]: table for name, table in tables.items()}
        sheet, equal, sizes = Sheet(weights, values), [], [abs(u).b for t in values.values() for r in t for u in r]
        largest = reduce(lambda m, u: u if m < u < "inf" else m, sizes)
        for where, target, sides, uses in self.steps:
            found = [values[target]] if target in values else []
            found += [reduce(partial(each, added), map(sheet, side)) for side in sides]
            equal += [(where, found[0], other) for other in found[1:]] + [(where, sheet(a), sheet(b)) for a, b in uses]
            values[target] = found[0]
        missing = sorted(self.results - values.keys())
        require(not missing, f"result {missing}: there is none")

        def inner(a: dict[str, Table], b: dict[str, Table]) -> Table:
            rows = [(n, r, q) for n in a for r, q in [*zip(a[n], b[n], strict=True)][: 1 + kinds[n][0]]]
            products = [(n, [u * v for u, v in zip(r, q, strict=True)]) for n, r, q in rows]
            return [[reduce(operator.add, [sheet.total(row) if kinds[n][1] else row[0] for n, row in products])]]

        along = definition.at(weights, inputs, dots, seconds).values
        for form, end in (("{}", ""), ("{}_dot", "_1_"), ("dd{}", "_2_")):
            equal += [(f"result {(own := form.format(self.own[o]))}", values[own], along[o + end]) for o in results]
        for n in definition.varied:
            along = definition.at(weights, inputs, {n: moves[n]}, seconds).values
            for form, end in (("d{}", "_1_"), ("d2{}", "_1__2_")):
                own = form.format(self.own[n])
                truly = inner(dy, {o: along[o + end] for o in dy})
                equal.append((f"result {own}", inner({n: moves[n]}, {n: values[own]}), truly))
        for where, a, b in equal:
            same = agree(a, b, largest)
            require(same or (same is None and not strict), f"{where}: it does not hold with {features} features")
        moving = {
            k: t for k, t in truth.decided.items() if k[0] == "kink" or (k[0] == "pole" and t[0][0] is not t[1][0])
        }
        for key, table in sheet.decided.items():
            known = truth.known if key[0] == "order" else moving
            alive = self.alive.get(key, {(other, flip) for other in known for flip in (1, -1)})
            alive = {(k, flip) for k, flip in alive if k in known and follows(key[0], table, known[k], flip)}
            require(alive or key[0] == "pole", f"{key[1][:80]} decides, and the definition does not decide by it")
            self.alive[key] = alive
        return True


def main(words: list[str]) -> int:
    """Check a certificate; the exit status is 1 if it is refused, and 3 if that is beyond what is computed here."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--definition", type=Path, required=True, metavar="FILE", help="the definition that you have")
    parser.add_argument("--seed", type=int, default=secrets.randbits(64), help="that of a run, to repeat its points")
    parser.add_argument("--seconds", type=float, default=9, help="after which it is refused (default: 9)")
    given = parser.parse_args(words)
    signal.signal(signal.SIGPROF, lambda *_: require(False, "it takes too long; --seconds allows more"))
    signal.setitimer(signal.ITIMER_PROF, given.seconds, 0.1)  # again and again: mpmath catches what it should not
    status, points = 0, 0
    try:
        for path in (given.definition, given.certificate):
            require(path.is_file() and path.stat().st_size <= MOST_BYTES, f"{path} is no file, or too large")
        definition = Definition(given.definition.read_text("utf-8"))
        text, twice = given.certificate.read_text("utf-8"), "a key stands there twice"
        once = {"object_pairs_hook": lambda pairs: require(len(dict(pairs)) == len(pairs), twice) and dict(pairs)}
        certificate = Certificate(json.loads(text, **once), definition)
        points = certificate.run(random.Random(given.seed))
        said = f"{len(certificate.steps)} steps and every result hold"
    except Exception as fault:
        said = str(fault) if isinstance(fault, Refused) else f"its form: {fault!r}"
        status, said = (3, said) if said.startswith("NOT VERIFIED") else (1, f"REFUSED: {said}")
    signal.setitimer(signal.ITIMER_PROF, 0)
    # Nothing of a file reaches the terminal as it is.
    print(ascii(f"{given.certificate}: {said[:400]}")[1:-1])
    print(f"({points} points, from --seed {given.seed})")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

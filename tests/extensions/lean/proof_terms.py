"""Proof terms of equations of exported files, for Lean's kernel alone: from the axioms of a field and of linear sums.

A term is brought into a normal form, a sum of signed products, and each rewriting leaves a proof, as text. Sums over
features are split and their constant factors taken out. What is divided by is cancelled where it is known not to be
zero. This imports nothing of lngen; a wrong proof is refused by Lean, so nothing here has to be trusted.
"""

from __future__ import annotations

import re
from typing import Any

from tests.extensions.lean.bare import OPERATIONS, Bare, value
from tests.extensions.lean.grammar import Term
from tests.extensions.lean.reader import Declaration, LeanFile

Product = tuple[str, ...]
"""Factors, sorted; each is a text of Lean without sums and products outside of an atom."""
Form = tuple[tuple[int, Product], ...]
"""Signed products, sorted, none beside its negative."""

POWERS = range(2, 6)
"""Exponents whose powers are products."""


class NoProofError(Exception):
    """An equation whose sides have different forms, or a term without a form."""


# ---- texts of forms and of proofs; None is the proof that something equals itself


def _product(factors: Product) -> str:
    text = "one"
    for factor in reversed(factors):
        text = f"(mul {factor} {text})"
    return text


def _signed(term: tuple[int, Product]) -> str:
    return _product(term[1]) if term[0] > 0 else f"(neg {_product(term[1])})"


def text_of(form: Form) -> str:
    """A form as a term."""
    text = "zero"
    for term in reversed(form):
        text = f"(add {_signed(term)} {text})"
    return text


def chain(*proofs: str | None) -> str | None:
    """One equation after the other."""
    *first, last = [proof for proof in proofs if proof] or [None]
    for proof in reversed(first):
        last = f"(trans {proof} {last})"
    return last


def _under(function: str, proof: str | None) -> str | None:
    return proof and f"(ap {function} {proof})"


def _both(word: str, left: str, first: str | None, right: str, second: str | None) -> str | None:
    """An equation of `word left right`, from those of its operands; a text is read where its own proof is None."""
    if first and second:
        return f"({word}2 {first} {second})"
    return _under(f"(fun y => {word} y {right})", first) if first else _under(f"({word} {left})", second)


def _base(factor: str) -> str:
    return factor[5:-1] if factor.startswith("(inv ") else factor


def _key(factor: str) -> tuple[str, bool]:
    return _base(factor), factor.startswith("(inv ")


class ProofTerms:
    """Proofs of one theorem's equation, with some definitions opened."""

    def __init__(self, file: LeanFile, theorem: Declaration, opened: set[str]) -> None:
        self.file, self.theorem, self.opened, self.bare = file, theorem, opened, Bare(file)
        self.given = [self.bare(hypothesis) for hypothesis in theorem.hypotheses]
        self._depth = 0
        self._not_zero: dict[str, str] = {}

    def proof(self) -> str:
        """The proof that both sides are equal. Raises NoProofError."""
        self._assume()
        at = {name: name for name in self.theorem.indices}
        (left, form, first), (right, other, second) = (self._form(side, at) for side in self.theorem.says.parts)
        if form != other:
            raise NoProofError("the sides have different forms")
        return f"(trans {first or f'(Eq.refl {left})'} (symm {second or f'(Eq.refl {right})'}))"

    def applied(self, name: str, indices: Any) -> str:
        """Apply another theorem at this one's hypotheses. Raises NoProofError if it needs another."""
        theorem = self.file.theorems[name]
        needed = [self.bare(hypothesis) for hypothesis in theorem.hypotheses]
        if not {*needed} <= {*self.given}:
            raise NoProofError(f"a hypothesis of {name}")
        return f"({' '.join([name, 's', *(f'h_{self.given.index(each)}' for each in needed), *indices])})"

    # ---- what is not zero

    def _assume(self) -> None:
        for place, hypothesis in enumerate(self.theorem.hypotheses):
            inner = hypothesis.parts[1] if hypothesis.head == "∀" else hypothesis
            names = [name for name, _ in hypothesis.parts[0]] if hypothesis.head == "∀" else []
            if inner.head == "≠":
                self._not_zero[self.bare(inner.parts[0])] = f"({' '.join([f'h_{place}', *names])})"
        for name in sorted(self.opened & self.file.definitions.keys()):
            # A sum that is opened is not zero either, where the value that stands for it is positive.
            definition = self.file.definitions[name]
            positive = self._positive(name, definition.indices)
            if positive and definition.says.head == "∑" and {*definition.indices} <= {*self.theorem.indices}:
                _, form, proof = self._form(definition.says, {index: index for index in definition.indices})
                match form:
                    case ((1, (atom,)),):
                        same = chain(proof, f"(trans (add_zero (mul {atom} one)) (mul_one {atom}))")
                        held = f"(ne_eq (a := {value(name, definition.indices)}) {same} {positive})"
                        self._not_zero.setdefault(atom, held)

    def _positive(self, name: str, indices: Any) -> str | None:
        try:
            known = f"{name}_pos" in self.file.theorems
            return f"(pos_ne {value(name, indices)} {self.applied(f'{name}_pos', indices)})" if known else None
        except NoProofError:
            return None

    def _is_not_zero(self, factor: str) -> str | None:
        if factor == "features":
            return "features_ne"
        if factor.startswith("lit_"):
            return f"{factor}_ne"
        if factor.startswith("(exp "):
            return f"(exp_ne {factor[5:-1]})"
        found = re.fullmatch(r"\(Values\.(\S+) s((?: \w+)*)\)", factor)
        return self._not_zero.get(factor) or (self._positive(found[1], found[2].split()) if found else None)

    # ---- products

    def _with_factor(self, factor: str, product: Product) -> tuple[Product, str | None]:
        if not product:
            return (factor,), None
        first, rest = product[0], product[1:]
        if _base(first) == _base(factor) and first != factor and (held := self._is_not_zero(_base(factor))):
            lemma = "inv_left" if first.startswith("(inv ") else "inv_left'"
            return rest, f"({lemma} {_base(factor)} {_product(rest)} {held})"
        if _key(factor) <= _key(first):
            return (factor, *product), None
        found, proof = self._with_factor(factor, rest)
        moved = f"(mul_left {factor} {first} {_product(rest)})"
        return (first, *found), chain(moved, _under(f"(mul {first})", proof))

    def _products(self, left: Product, right: Product) -> tuple[Product, str | None]:
        if not left:
            return right, f"(one_mul {_product(right)})"
        found, proof = self._products(left[1:], right)
        whole, placed = self._with_factor(left[0], found)
        moved = f"(mul_assoc {left[0]} {_product(left[1:])} {_product(right)})"
        return whole, chain(moved, _under(f"(mul {left[0]})", proof), placed)

    def _signed_products(
        self, left: tuple[int, Product], right: tuple[int, Product]
    ) -> tuple[tuple[int, Product], Any]:
        product, proof = self._products(left[1], right[1])
        a, b = _product(left[1]), _product(right[1])
        match left[0], right[0]:
            case (1, 1):
                return (1, product), proof
            case (1, -1):
                return (-1, product), chain(f"(mul_neg {a} {b})", _under("neg", proof))
            case (-1, 1):
                return (-1, product), chain(f"(neg_mul {a} {b})", _under("neg", proof))
        twice = f"(neg_mul {a} (neg {b}))", f"(ap neg (mul_neg {a} {b}))", f"(neg_neg (mul {a} {b}))"
        return (1, product), chain(*twice, proof)

    # ---- sums of products

    def _with_term(self, term: tuple[int, Product], form: Form) -> tuple[Form, str | None]:
        if not form:
            return (term,), None
        first, rest = form[0], form[1:]
        if first[1] == term[1] and first[0] != term[0]:
            lemma = "cancel" if term[0] > 0 else "cancel_neg"
            return rest, f"({lemma} {_product(term[1])} {text_of(rest)})"
        if [*map(_key, term[1])] <= [*map(_key, first[1])]:
            return (term, *form), None
        found, proof = self._with_term(term, rest)
        moved = f"(add_left {_signed(term)} {_signed(first)} {text_of(rest)})"
        return (first, *found), chain(moved, _under(f"(add {_signed(first)})", proof))

    def _sum(self, left: Form, right: Form) -> tuple[Form, str | None]:
        if not left:
            return right, f"(zero_add {text_of(right)})"
        found, proof = self._sum(left[1:], right)
        whole, placed = self._with_term(left[0], found)
        first = _signed(left[0])
        moved = f"(add_assoc {first} {text_of(left[1:])} {text_of(right)})"
        return whole, chain(moved, _under(f"(add {first})", proof), placed)

    def _negative(self, form: Form) -> tuple[Form, str | None]:
        if not form:
            return (), "neg_zero"
        (sign, product), rest = form[0], form[1:]
        found, proof = self._negative(rest)
        own = f"(neg_neg {_product(product)})" if sign < 0 else None
        left, right = f"(neg {_signed(form[0])})", f"(neg {text_of(rest)})"
        split = f"(neg_add {_signed(form[0])} {text_of(rest)})"
        return ((-sign, product), *found), chain(split, _both("add", left, own, right, proof))

    def _times(self, term: tuple[int, Product], form: Form) -> tuple[Form, str | None]:
        if not form:
            return (), f"(mul_zero {_signed(term)})"
        first, proof = self._signed_products(term, form[0])
        others, other = self._times(term, form[1:])
        whole, placed = self._with_term(first, others)
        own, one, more = _signed(term), _signed(form[0]), text_of(form[1:])
        both = _both("add", f"(mul {own} {one})", proof, f"(mul {own} {more})", other)
        return whole, chain(f"(mul_add {own} {one} {more})", both, placed)

    def _multiplied(self, left: Form, right: Form) -> tuple[Form, str | None]:
        if not left:
            return (), f"(zero_mul {text_of(right)})"
        first, proof = self._times(left[0], right)
        others, other = self._multiplied(left[1:], right)
        whole, placed = self._sum(first, others)
        own, more, all_ = _signed(left[0]), text_of(left[1:]), text_of(right)
        both = _both("add", f"(mul {own} {all_})", proof, f"(mul {more} {all_})", other)
        return whole, chain(f"(add_mul {own} {more} {all_})", both, placed)

    def _inverse(self, form: Form) -> tuple[Form, str | None]:
        if len(form) != 1:
            return self._atom(f"(inv {text_of(form)})")
        (sign, product), inner = form[0], f"(ap inv (add_zero {_signed(form[0])}))"
        found, proof = self._inverse_product(product)
        whole: Form = ((sign, found),)
        if sign < 0:
            proof = chain(f"(inv_neg {_product(product)})", _under("neg", proof))
        return whole, chain(inner, proof, f"(symm (add_zero {_signed(whole[0])}))")

    def _inverse_product(self, product: Product) -> tuple[Product, str | None]:
        if not product:
            return (), "inv_one"
        first, rest = product[0], product[1:]
        found, proof = self._inverse_product(rest)
        is_inverse = first.startswith("(inv ")
        inverse, own = (_base(first), f"(inv_inv {_base(first)})") if is_inverse else (f"(inv {first})", None)
        whole, placed = self._with_factor(inverse, found)
        both = _both("mul", f"(inv {first})", own, f"(inv {_product(rest)})", proof)
        return whole, chain(f"(inv_mul {first} {_product(rest)})", both, placed)

    def _atom(self, text: str) -> tuple[Form, str]:
        return ((1, (text,)),), f"(symm (trans (add_zero (mul {text} one)) (mul_one {text})))"

    # ---- reductions and functions

    def _exponential(self, form: Form) -> tuple[Form, str | None]:
        """The exponential of a sum is a product."""
        if not form:
            return ((1, ()),), "(trans exp_zero (symm (add_zero one)))"
        (sign, product), rest = form[0], form[1:]
        inner = _product(product)
        factor, own = self._atom(f"(exp {inner})" if sign > 0 else f"(inv (exp {inner}))")
        first = chain(None if sign > 0 else f"(exp_neg {inner})", own)
        others, proof = self._exponential(rest)
        whole, multiplied = self._multiplied(factor, others)
        split = f"(exp_add {_signed(form[0])} {text_of(rest)})"
        return whole, chain(split, f"(mul2 {first} {proof})", multiplied)

    def _summed(self, form: Form, index: str, axis: str) -> tuple[Form, str | None]:
        if not form:
            return (), f"sum{axis}_zero"
        first, proof = self._summed_term(form[0], index, axis)
        others, other = self._summed(form[1:], index, axis)
        whole, placed = self._sum(first, others)
        bodies = f"(fun {index} => {_signed(form[0])}) (fun {index} => {text_of(form[1:])})"
        return whole, chain(f"(sum{axis}_add {bodies})", f"(add2 {proof} {other})", placed)

    def _summed_term(self, term: tuple[int, Product], index: str, axis: str) -> tuple[Form, str | None]:
        """The sum of a product: factors without the index are taken out, one after the other."""
        sign, product = term
        inside = [factor for factor in product if re.search(rf"\b{index}\b", factor)]
        outside = [factor for factor in product if factor not in inside]
        total = self._total(inside, index, axis)
        moved = _permuted([*product], [*outside, *inside])
        proof = moved and f"(sum{axis}2 (fun {index} => {moved}))"
        for place, factor in enumerate(outside):
            body = f"(fun {index} => {_product((*outside[place + 1 :], *inside))})"
            step = f"(sum{axis}_mul {factor} {body})"
            for earlier in reversed(outside[:place]):
                step = f"(ap (mul {earlier}) {step})"
            proof = chain(proof, step)
        ends: str | None = None if inside else f"sum{axis}_one"
        found: Product = (total,)
        placed: str | None = f"(symm (mul_one {total}))"
        for factor in reversed(outside):
            ends = _under(f"(mul {factor})", ends)
            whole, own = self._with_factor(factor, found)
            found, placed = whole, chain(_under(f"(mul {factor})", placed), own)
        proof = chain(proof, ends, placed)
        if sign < 0:
            proof = chain(f"(sum{axis}_neg (fun {index} => {_product(product)}))", _under("neg", proof))
        return ((sign, found),), chain(proof, f"(symm (add_zero {_signed((sign, found))}))")

    def _total(self, inside: list[str], index: str, axis: str) -> str:
        if not inside:
            if axis != "D":
                raise NoProofError("a sum of ones over rows")
            return "features"
        body = _product(tuple(inside))
        # Alike sums are one text: their index is called by how many sums stand inside.
        depth = 1 + max(map(int, re.findall(r"fun b(\d+)", body)), default=-1)
        body = re.sub(rf"\b{index}\b", f"b{depth}", body)
        return f"(sum{axis} (fun b{depth} => {body}))"

    # ---- terms

    def _form(self, term: Term, at: dict[str, str]) -> tuple[str, Form, str | None]:
        """The text of a term, its form, and the proof that they are equal."""
        match term:
            case ("number", ("0",)):
                return "zero", (), None
            case ("number", ("1",)):
                return "one", ((1, ()),), "(symm (add_zero one))"
            case ("number" | "name" | "pi", _):
                return (text := self.bare(term), *self._atom(text))
            case ("value", (name, indices)):
                return self._value(name, [at[index] for index in indices])
            case ("neg", (inner,)):
                text, form, proof = self._form(inner, at)
                found, negative = self._negative(form)
                return f"(neg {text})", found, chain(_under("neg", proof), negative)
            case ("+" | "-" | "*" | "/", (left, right)):
                return self._operation(term.head, self._form(left, at), self._form(right, at))
            case ("^", (base, ("number", (exponent,)))) if exponent.isdigit() and int(exponent) in POWERS:
                text, form, proof = self._form(base, at)
                written, whole, found = text, form, proof
                for _ in range(int(exponent) - 1):
                    whole, more = self._multiplied(form, whole)
                    found = chain(_both("mul", text, proof, written, found), more)
                    written = f"(mul {text} {written})"
                return f"(pow {text} {self.bare.literal(exponent)})", whole, chain(f"(pow_{exponent} {text})", found)
            case ("∑", (name, body)):
                axis, index = self.bare.space(self.file.types[id(term)]), f"v{self._depth}"
                self._depth += 1
                text, form, proof = self._form(body, at | {name: index})
                self._depth -= 1
                inner = f"(sum{axis}2 (fun {index} => {proof or 'Eq.refl _'}))"
                whole, summed = self._summed(form, index, axis)
                return f"(sum{axis} (fun {index} => {text}))", whole, chain(inner, summed)
            case ("call", ("Real.exp", inner)):
                text, form, proof = self._form(inner, at)
                whole, found = self._exponential(form)
                return f"(exp {text})", whole, chain(_under("exp", proof), found)
            case ("call", (name, inner)):
                text, form, proof = self._form(inner, at)
                word = name.removeprefix("Real.")
                whole, found = self._atom(f"({word} {text_of(form)})")
                return f"({word} {text})", whole, chain(_under(word, proof), found)
        raise NoProofError(f"no form is known for {term.head}")

    def _value(self, name: str, indices: list[str]) -> tuple[str, Form, str | None]:
        text = value(name, indices)
        if name not in self.opened or name not in self.file.definitions:
            return (text, *self._atom(text))
        definition = self.file.definitions[name]
        _, form, proof = self._form(definition.says, dict(zip(definition.indices, indices, strict=True)))
        return text, form, proof or f"(Eq.refl {text_of(form)})"

    def _operation(self, head: str, left: Any, right: Any) -> tuple[str, Form, str | None]:
        (a, form, first), (b, other, second) = left, right
        if head == "-":
            other, found = self._negative(other)
            second, inner, split = chain(_under("neg", second), found), f"(neg {b})", f"(sub_eq {a} {b})"
        elif head == "/":
            other, found = self._inverse(other)
            second, inner, split = chain(_under("inv", second), found), f"(inv {b})", f"(div_eq {a} {b})"
        else:
            inner, split = b, None
        word = "add" if head in "+-" else "mul"
        whole, proof = (self._sum if word == "add" else self._multiplied)(form, other)
        return f"({OPERATIONS[head]} {a} {b})", whole, chain(split, _both(word, a, first, inner, second), proof)


def _permuted(product: list[str], wanted: list[str]) -> str | None:
    """The proof that a product equals the one in another order."""
    if product == wanted:
        return None
    place = product.index(wanted[0])
    rest = product[:place] + product[place + 1 :]
    moved = None
    for at in range(place - 1, -1, -1):
        after = product[at + 1 : place] + product[place + 1 :]
        step: str | None = f"(mul_left {product[at]} {product[place]} {_product(tuple(after))})"
        for earlier in reversed(product[:at]):
            step = _under(f"(mul {earlier})", step)
        moved = chain(moved, step)
    return chain(moved, _under(f"(mul {wanted[0]})", _permuted(rest, wanted[1:])))

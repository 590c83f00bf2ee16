"""The derivation as a document that another program can check: `tools/verify.py` does, and imports nothing of lngen.

It holds the definition as it was written, what stands for cotangents and tangents, every step of the four directions,
and which symbol holds each result. `docs/certificate.md` has the format and the grammar of the expressions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sympy import Expr

from lngen.derivation.derivation import Derivation, Step
from lngen.expressions.notation import text
from lngen.expressions.symbols import TypedSymbol

FORMAT = "lngen certificate 1"


def certificate(derivation: Derivation) -> str:
    """The certificate of a derivation that has all four directions, as JSON."""
    definition = derivation.definition
    public = [entry.name for entry in definition.differentiable]
    kinds = {entry.name: entry.kind.value for entry in definition.inputs}
    kinds |= {statement.name: statement.kind.value for statement in definition.statements}
    jvp, double = derivation.jvp, derivation.backward_backward
    assert jvp is not None
    assert double is not None

    def arguments(of: Iterable[str], symbols: Iterable[TypedSymbol]) -> list[dict[str, str]]:
        return [{"of": own[name], "name": s.name, "kind": kinds[name]} for name, s in zip(of, symbols, strict=True)]

    own = {name: name for name in kinds} | dict(definition.renamed)
    outputs, inputs = [own[name] for name in definition.outputs], [own[name] for name in public]

    def results(of: Iterable[str], symbols: Iterable[TypedSymbol]) -> dict[str, str]:
        return {name: symbol.name for name, symbol in zip(of, symbols, strict=True)}

    second = [symbol for _, symbol in double.results]
    document = {
        "format": FORMAT,
        "layer": definition.name,
        "definition": definition.source,
        "names": {there: here for here, there in definition.renamed},
        "smallest": definition.minimum_features,
        "arguments": {
            "cotangents": arguments(definition.outputs, derivation.adjoint.cotangents),
            "tangents": arguments(public, jvp.arguments),
            "second": arguments(public, double.arguments),
        },
        "steps": [_step(step) for part in derivation.derivatives().values() for step in part.steps],
        "results": {
            "forward": results(outputs, derivation.forward.outputs),
            "backward": results(inputs, (gradient for _, gradient in derivation.gradients)),
            "jvp": results(outputs, (symbol for _, symbol in jvp.results)),
            "backward_backward": results(inputs, second[: len(inputs)]),
            "backward_backward of cotangents": results(outputs, second[len(inputs) :]),
        },
        "evidence": [vars(proof) for proof in derivation.proofs],
    }
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _step(step: Step) -> dict[str, Any]:
    def shown(expression: Expr | None) -> str | None:
        return None if expression is None else text(expression)

    return {
        "number": step.number,
        "direction": step.part,
        "rule": step.rule,
        "target": step.target.name,
        "before": shown(step.before),
        "after": shown(step.after),
        "parts": [{"through": part.source.name, "sends": shown(part.expression)} for part in step.contributions],
        "uses": [{"left": shown(left), "right": shown(right)} for left, right in step.uses],
        "reason": step.reason,
        "evidence": None if step.evidence is None else step.evidence.words,
    }

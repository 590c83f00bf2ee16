"""Refusals of a definition by their stable names: what was found, and what to write instead.

Names in braces are of values at the place of the fault. Where no remedy stands here, it depends on the place. A part of
Python's syntax that the language lacks is refused by what was found (`Source.refuse_found`), and has no entry.
"""

from __future__ import annotations

from collections.abc import Mapping

from lngen.language.parsing.instead import POWER_OF

FILE = "a definition file holds a docstring, imports from lngen.language, and one function"
CHAIN = "write where((a < b) & (b < c), u, v) for a < b < c"
SPLIT = "give parts of the expression names in statements of their own"
_DIVISOR = "divide by something that is not zero"
_KINDS = "Row, RowScalar, Feature, Scalar, Data, Int or Constant"
MODULE = "write each attribute of the module with what it is, as `In PyTorch: torch.nn.Norm(features=D, dim=-1)`"

REFUSALS: Mapping[str, tuple[str, str]] = {
    # the text
    "text-size": (
        "the text is longer than {most} KiB",
        "a definition is one short function; split a larger one into several files",
    ),
    "syntax": ("not Python syntax: {message}", ""),
    "character": ("the character {character!a} cannot stand in a text", "delete it"),
    "unreadable": ("the text cannot be {how}", ""),
    "depth": ("an expression is nested {how}", SPLIT),
    "type-comment": ("a type comment", "annotate inputs with a kind, as in `x: Row`; statements need none"),
    # the file
    "no-function": ("there is no function", FILE),
    "second-function": ("a second function", "write one function in a file; give each layer its own file"),
    "import": ("an import {what}", "write `from lngen.language import ...` with the names that the definition uses"),
    "import-as": ("an import under another name", "import {name} without `as`"),
    "import-unknown": ("lngen.language has no {name!r}", ""),
    "stands-alone": ("found {found} that stands alone", ""),
    # the signature
    "name": ("the name {name!r} {fault}", ""),
    "own-name": ("{name!r} is the name of the function itself", ""),
    "decorator": ("found a decorator", "delete it; the function stands alone"),
    "type-parameters": ("found type parameters", "write `def name(x: Row, ...)`"),
    "return-annotation": ("found a return annotation", "delete it; the kind of the result is inferred"),
    "star-arguments": ("found {stars}arguments", "name every input"),
    "positional-only": ("found inputs that are positional only", "delete the /"),
    "keyword-only": (
        "found inputs that are keyword only",
        "delete the *; emitted functions take Constants by keyword anyway",
    ),
    "no-kind": ("the input {name!r} has no kind", f"annotate it with {_KINDS}"),
    "unknown-kind": ("there is no kind {name!r}", f"annotate with {_KINDS}"),
    "kind-expression": ("found {found} as a kind", f"annotate with {_KINDS}"),
    "axes": (
        "{name} has no axes {axes!a}",
        'write {name} for one value per row and feature, {name}["..."] for one per row, {name}["d"] for one per '
        "feature, or {number} for a number",
    ),
    "axes-text": ("the axes are no text", 'write the names of the axes in quotes, as in `Array["b ... d"]`'),
    "axes-pattern": (
        "{text!a} {fault}",
        'write names with spaces between them, "..." for any number of axes, and (g c) for an axis made of two',
    ),
    "axes-none": ("the first Array has no axes", "give the first Array all axes of the rows; a number is a Scalar"),
    "axes-differ": (
        "the axes {text!a}, and elsewhere {row!a}",
        "name the same axes everywhere: they are the row, and a reduction over others is a second layer",
    ),
    "axes-rest": ("a row of axes without names", "name the axes that a row is made of"),
    "axes-all": ("a reduction over all axes, {text!a}", "leave an axis that numbers the rows, which may be of size 1"),
    "axes-number": ("Data without axes", "write Constant for a number without a gradient"),
    "axes-beside": ("{name} beside an Array", "write each array of the definition with its axes, as Array"),
    "axes-size": (
        "the sizes of the axes in {text} cannot be known",
        "make the size of one of them an input, as in `{name}: Size = 32`",
    ),
    "size-of-nothing": ("{name!r} is the size of no axis", "name an axis in brackets by it, as in `(g c)`"),
    "size-default": ("the default of the size {name!r} is no count", "write a whole number of 1 or more"),
    "default": ("the default is {found}", "a default is a number such as 1, -1 or 1e-5"),
    "integer-default": ("the default of an integer is {value}", "write a whole number, or another kind than Int"),
    "first-row-default": (
        "the first {kind} has a default",
        "delete it: the first {kind} gives the shape and the dtype",
    ),
    "no-row": (
        "no input is a Row",
        "annotate with Row what has one value per row and feature, as in `x: Row`, or with RowScalar each of the "
        "numbers that stand by themselves, such as the log-probabilities of a loss",
    ),
    "no-features": (
        "{found} in a definition without a Row, whose values have no features",
        "annotate with Row what has one value per row and feature, as in `x: Row`, or make the number a Constant",
    ),
    "gradient-name": (
        "{input!r} and the cotangent of {output!r} would have gradients of one name, {gradient!r}",
        "call the input {input}_1, or the output otherwise",
    ),
    # statements
    "statement-count": ("there are more than {most} statements", "a definition is one layer; split it"),
    "inner-function": ("a function inside the function", "write its formula in place of it"),
    "inner-import": ("an import inside the function", "move it to the top of the file"),
    "target": ("found an assignment to {found}", "assign one name in a statement"),
    "second-target": ("found a second target", "assign one name in a statement"),
    "assigned-twice": ("{name!r} already has a value", "choose a new name; names are assigned once"),
    "second-name": ("a second name for {name!r}", ""),
    "unused-statement": ("{name!r} reaches no result", "delete the statement"),
    "unused-input": ("the input {name!r} is not used", "delete it, or use it"),
    # results
    "no-return": ("there is no return", "end the function with `return` and its result"),
    "empty-return": ("a return {found}", ""),
    "after-return": ("a statement after return", "end the function with its return"),
    "unnamed-result": (
        "an unnamed result is called {name!r}, and that name is taken",
        "assign the result to a name and return the name",
    ),
    "returned-expression": (
        "one of several results is not a name",
        "assign it to a name first: that names its cotangent",
    ),
    "returned-twice": ("{name!r} is returned twice", "return each name once"),
    "returned-input": (
        "the result {name!r} is an input as it stands",
        "return what is computed from the inputs; whoever calls the layer has the input already",
    ),
    "returned-draw": (
        "the result {name!r} is random numbers as they stand",
        "return what is computed from them and a Row, such as where(u >= p, x, 0)",
    ),
    "returned-unassigned": (
        "{name!r} is returned and is not assigned in the function",
        "return names that statements assign",
    ),
    "returned-shared": (
        "the result {name!r} is a {kind}",
        "return a Row or a RowScalar; what is the same for every row cannot be said: compute it outside",
    ),
    "returned-integer": (
        "the result {name!r} is an integer",
        "return what is computed from real numbers; compute outside what is made of integers alone",
    ),
    # names in expressions
    "unknown-name": ("nothing is called {name!r}", ""),
    "used-early": ("{name!r} is used before it is assigned", "move the assignment up"),
    "function-as-value": ("{name!r} is a function and needs arguments", "write {usage}"),
    "kind-as-value": ("{name!r} is a kind", "use it to annotate an input, as in `x: {name}`"),
    # operators
    "operator": ("found the operator {sign}", ""),
    "exponent": (
        "the exponent is a {kind}, and has to be the same for all rows and features",
        f"write {POWER_OF} for a power a**b with a >= 0 and b > 1",
    ),
    "exponent-size": (
        "the exponent is larger than {most} in magnitude",
        "write the power as a product of smaller ones, such as a**64*a",
    ),
    "condition": ("the condition of where is {found}", ""),
    "comparison-parentheses": (
        "{sign} binds closer than a comparison",
        "put each comparison in parentheses: (a > b) & ~(c > d)",
    ),
    "comparison-chain": ("found a chain of comparisons", CHAIN),
    "comparison-operator": ("found `in` or `is`", "compare with < <= > >= == or !="),
    # calls
    "call": ("found a call of {found}", ""),
    "value-called": ("{name!r} is a value and cannot be called", "write a*b for a product"),
    "kind-called": ("{name!r} is a kind and cannot be called", "annotate an input with it, as in `x: {name}`"),
    "unknown-function": ("there is no function {name!r}", ""),
    "starred": ("found a starred argument", "write {usage}"),
    "keyword": ("found a keyword argument", "pass arguments by position: {usage}"),
    "argument-count": ("{name} takes {arity}, and here are {found}", "write {usage}"),
    "larger-of-two": (
        "{name} with 2 arguments: it reduces one row over the feature axis",
        "write {name}imum(a, b) for the {which} of two values; {name}(row) takes no axis, and is over the last one",
    ),
    "pick-place": (
        "the place in pick(row, i) is {found}",
        'write an integer that is the same for all features, such as an input `label: Int["..."]`',
    ),
    "draw-seed": (
        "the seed of {name} is {found}",
        'write uniform(seed) with an input `seed: Int[""]`, which all rows share, or uniform(seed, 1) for other '
        "numbers of the same seed",
    ),
    "draw-stream": (
        "the stream of {name} is {found}",
        "write a whole number from 0 to 2147483647, as in uniform(seed, 1)",
    ),
    "dropout-chance": (
        "the probability of dropout is a {kind}",
        "write a number, a Constant or a Scalar; for a mask of your own write where(uniform(seed) >= p, x, 0)",
    ),
    "reduced-twice": ("{name} of a {kind}, which has no feature axis", ""),
    "reduced-over-rows": (
        "{name} over the rows",
        "return the value of each row, and reduce outside: with y.mean(), each dy is one over the number of rows",
    ),
    # casts
    "cast-type": ("cast to {found}", "write one of the types in quotes, as {usage}; there are {types}"),
    "cast-place": (
        "cast inside an expression",
        'round the whole of an output, as in `q = cast(u, "int8")`; what is rounded cannot be computed with',
    ),
    "cast-read": (
        "{name!r} is rounded to {target}, and cannot be computed with",
        "give the value before the cast a name of its own, and use that",
    ),
    # parts
    "part-call": ("at with other arguments", "write an array and the number of a part, as in `at(x, s=0)`"),
    "part-axis": ("{name!r} is no input of kind Size", "make the number of parts an input, as in `{name}: Size = 2`"),
    "part-size": ("the number of parts {name!r} has no default", "write it, as in `{name}: Size = 2`: it is fixed"),
    "part-axes": (
        "the parts of {name!r} with the axes {axes!a}",
        'write one axis for the number of parts and another for their entries, as in `Array["... (s d)"]`',
    ),
    "part-array": (
        "{name!r} has no parts along {axis!r}",
        'take parts of an input whose axes name them, as in `x: Array["... ({axis} d)"]`',
    ),
    "part-place": ("there is no part {number} of {axis!r}", "count from 0: there are {count}"),
    "part-whole": (
        "{name!r} as a whole, which is read in {count} parts",
        "take a part, as in `at({name}, {axis}=0)`",
    ),
    "join-call": ("join with other arguments", "write the parts of an output in order, as in `y = join(a, b)`"),
    "join-count": (
        "join of {count}, and no array is read in as many parts",
        "join as many as there are parts of an array, or return each by its name",
    ),
    "join-place": ("join inside an expression", "join the whole of an output, as in `y = join(a, b)`"),
    "join-read": ("{name!r} is joined, and cannot be computed with", "compute with its parts"),
    "join-kind": ("the part {name!r} of an output is a {kind}", "join Rows: multiply by a Row, or return it by itself"),
    "join-cast": ("the part {name!r} of an output is rounded", "return each part by its name, or round outside"),
    # numbers
    "number-size": ("{found}", "keep numbers between 1e-300 and 1e300 in magnitude"),
    "number-digits": (
        "this expression of numbers has a value of too many digits",
        "write the value itself, to the digits that matter",
    ),
    "zero-divisor": ("the divisor is zero", _DIVISOR),
    "negative-base": ("the base is negative and the exponent not an integer", "write a base that is not negative"),
    "domain": ("{name}(u) needs {domain}, and here u is {value}", "give {name} an argument with {domain}"),
    # the number of features
    "every-d": (
        "this has to be {need}, and for no D does it stay so",
        "write something that is {need} for every large D",
    ),
    # modules of PyTorch in a docstring
    "module-call": ("this is no call of a class with its module", MODULE),
    "module-class": ("{name} is no class with its module, such as torch.nn.{name}", MODULE),
    "module-attribute": ("an attribute of the module has no name", MODULE),
    "module-attribute-twice": ("the attribute {name} is named twice", MODULE),
    "module-name": ("{name} is {value}, and no parameter, Constant, Size, axis or output has that name", MODULE),
    "module-name-twice": ("{value} stands for two attributes", MODULE),
    "module-value": ("{name} is neither a name of the definition nor a small number, True, False or None", MODULE),
    "module-input": ("{name} has no default, and is no attribute of the module", MODULE),
}
"""Message and remedy of each refusal."""

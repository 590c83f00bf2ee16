"""Claims of a layer that the tests of functions ask for; all of them share its references."""

from __future__ import annotations

from functools import cache

from lngen.checks.callables.checking import SECOND, VALUES, CallableRequest, Subject, check_callable
from lngen.language.parsing import load, parse
from lngen.pipeline.stages import planned
from tests.shipped import ROOT

FLOATS = CallableRequest(dtypes=("float64", "float32"))
_references = {}


@cache
def plan_of(name):
    return planned(load(ROOT / "derive" / f"{name}.py") if name.isidentifier() else parse(name), proved=False)


def checked(function, asked=FLOATS, name="rms_norm", **options):
    plan = plan_of(name)
    subject = Subject.of(plan.derivation.definition, function, **options)
    return check_callable(plan, subject, asked, references=_references.setdefault(name, {}))


def claims(report):
    return {each.kind if each.kind in (VALUES, SECOND) else each.what.partition(": ")[0] for each in report.failures}

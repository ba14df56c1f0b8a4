"""From variants to results: certificates of what was compiled, reasons for what was not."""

from __future__ import annotations

from collections.abc import Sequence

from mutate.errors import KmutateError
from mutate.model import Certificate, Outcome, Reason, Verdict, worst
from mutate.mutations.base import Refused
from mutate.mutations.build import VariantText
from mutate.pipeline.prove import Candidate, Prover, Work
from mutate.pipeline.targets import needs_instance
from mutate.pipeline.variants import Built, Variant
from mutate.results import KernelResult, Target, VariantResult


def unproven(targets: Sequence[Target], built: dict[int, Built]) -> list[KernelResult]:
    """Results without compiling anything. ``built`` by the identity of the kernel."""
    return [KernelResult(t, tuple(_unproven(b) for b in built[id(t.kernel)].variants)) for t in targets]


def _unproven(built: Variant) -> VariantResult:
    if isinstance(built.text, Refused):
        return VariantResult(built.name, Outcome.REFUSED, refusal=built.text)
    reasons = (Reason("not-verified", "written with --no-verify: neither compiled nor compared"),
               *(Reason(n.slug, n.text, Verdict.VALID) for n in built.text.notes))
    return VariantResult(built.name, Outcome.OK, built.text, certificate=Certificate(worst(reasons), reasons))


def prove(prover: Prover, targets: Sequence[Target], built: dict[int, Built]) -> list[KernelResult]:
    """Results with certificates. ``built`` by the identity of the kernel."""
    works: list[Work] = []
    for t in targets:
        mine = built[id(t.kernel)]
        if needs_instance(t):
            works.append(Work(t, t.name, b"", [], error=KmutateError(
                "template-needs-instance", f"{t.kernel.qualified} is a template: nobody says with which arguments",
                file=prover.request.path.name, hint=f"add a launch declaration, or give --instance "
                                                    f"'{t.kernel.qualified}<...>'")))
            continue
        works.append(Work(t, t.name, mine.source, [Candidate(v.mutations, v.text, v.source) for v in mine.variants
                                                   if isinstance(v.text, VariantText)]))
    ready = [w for w in works if w.error is None]
    prover.compile_all(ready)
    certificates = prover.certify_all()
    if prover.request.dynamic:
        from mutate.pipeline.dynamic import add_dynamic

        certificates = add_dynamic(prover, certificates)
    index = {id(w): i for i, w in enumerate(ready)}
    results: list[KernelResult] = []
    for w in works:
        done = certificates.get(index.get(id(w), -1), {})
        by_name = {c.name: c for c in w.candidates}
        variants: list[VariantResult] = []
        for v in built[id(w.target.kernel)].variants:
            if isinstance(v.text, Refused):
                variants.append(VariantResult(v.name, Outcome.REFUSED, refusal=v.text))
                continue
            c = by_name.get(v.name)
            if c is None or w.error is not None:
                continue
            if c.compiled is None:
                variants.append(VariantResult(v.name, Outcome.COMPILE_FAILED, c.text,
                                              log=(c.failure.last or c.failure.log) if c.failure is not None else ""))
            else:
                variants.append(VariantResult(v.name, Outcome.OK, c.text, certificate=done.get(v.name)))
        results.append(KernelResult(w.target, tuple(variants), w.error))
    return results

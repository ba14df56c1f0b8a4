"""The JSON documents: ``kmutate.variants/1`` for ``--json`` and the manifest in the output folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutate import __version__
from mutate.errors import KmutateError
from mutate.model import Certificate, DynamicCounts, OccupancyPlan, Resources, StaticCounts
from mutate.results import KernelResult, Report, VariantResult
from mutate.source import Lines

SCHEMA = "kmutate.variants/1"


def _pair(original: Resources, variant: Resources, field: str) -> dict[str, int]:
    return {"original": getattr(original, field), "variant": getattr(variant, field)}


def _static(static: StaticCounts) -> dict[str, Any]:
    out: dict[str, Any] = {"original": dict(static.original), "variant": dict(static.variant),
                           "guarded": dict(static.guarded), "loops": static.loops}
    if static.compiled_original is not None and static.compiled_variant is not None:
        out["compiled"] = {"original": dict(static.compiled_original), "variant": dict(static.compiled_variant)}
    return out


def _occupancy(plan: OccupancyPlan) -> dict[str, Any]:
    return {
        "blocks_per_sm": {"original": plan.original, "variant": plan.variant, "padded": plan.padded},
        "dynamic_smem_pad": plan.dynamic_smem_pad, "dynamic_smem": plan.dynamic_smem, "carveout": plan.carveout_kb,
        "carveout_percent": plan.carveout_percent, "threads_per_block": plan.threads_per_block,
        "block_assumed": plan.block_is_assumed, "limiter": plan.limiter, "register_cap": plan.register_cap,
    }


def _dynamic(dynamic: DynamicCounts) -> dict[str, Any]:
    if dynamic.why_not:
        return {"done": False, "why": dynamic.why_not}
    return {"done": True, "blocks": dynamic.blocks, "grid_blocks": dynamic.grid_blocks,
            "original": dict(dynamic.original), "variant": dict(dynamic.variant),
            "memory": {name: {"original": p.original, "variant": p.variant, "same": p.same,
                              "same_bytes": p.same_bytes}
                       for name, p in dynamic.memory.items()}}


def certificate_document(certificate: Certificate) -> dict[str, Any]:
    out: dict[str, Any] = {
        "verdict": str(certificate.verdict),
        "reasons": [{"slug": r.slug, "text": r.text, "severity": str(r.severity),
                     **({"line": r.line} if r.line is not None else {})} for r in certificate.reasons],
    }
    if certificate.static is not None:
        out["static"] = _static(certificate.static)
    if certificate.original is not None and certificate.variant is not None:
        a, b = certificate.original, certificate.variant
        out["registers"] = _pair(a, b, "registers")
        out["spills"] = {side: {"stores": r.spill_stores, "loads": r.spill_loads}
                         for side, r in (("original", a), ("variant", b))}
        out["local_memory"] = _pair(a, b, "local_bytes")
        out["static_smem"] = _pair(a, b, "static_smem")
    if certificate.occupancy is not None:
        out["occupancy"] = _occupancy(certificate.occupancy)
    if certificate.dynamic is not None:
        out["dynamic"] = _dynamic(certificate.dynamic)
    return out


def error_document(error: KmutateError) -> dict[str, Any]:
    return {"slug": error.slug, "message": error.what, **({"where": error.where} if error.where else {}),
            **({"hint": error.hint} if error.hint else {})}


def _variant(v: VariantResult, lines: Lines) -> dict[str, Any]:
    refusals: list[dict[str, Any]] = []
    if v.refusal is not None:
        refusals.append({"slug": v.refusal.slug, "text": v.refusal.why,
                         **({"line": lines.place(v.refusal.span.start)[1]} if v.refusal.span is not None else {}),
                         **({"hint": v.refusal.hint} if v.refusal.hint else {})})
    out: dict[str, Any] = {"mutation": v.mutation, "outcome": str(v.outcome),
                           "path": str(v.path) if v.path is not None else None,
                           "diff": str(v.diff) if v.diff is not None else None, "refusals": refusals}
    if v.log:
        out["log"] = v.log
    out["certificate"] = certificate_document(v.certificate) if v.certificate is not None else None
    return out


def _kernel(result: KernelResult) -> dict[str, Any]:
    target = result.target
    lines = Lines(target.kernel.file.expansion.source)
    out: dict[str, Any] = {
        "name": target.kernel.qualified, "instance": target.instance,
        "line": lines.place(target.kernel.file.expansion.to_source(target.kernel.node.span).start)[1],
        "launches": [{"grid": list(la.grid), "block": list(la.block), "dynamic_smem": la.smem, "seed": la.seed}
                     for la in target.launches],
        "variants": [_variant(v, lines) for v in result.variants],
    }
    if result.error is not None:
        out["error"] = error_document(result.error)
    return out


def failure_document(file: str, arch: str, error: KmutateError) -> dict[str, Any]:
    """What ``--json`` prints when nothing could be done."""
    return {"schema": SCHEMA, "kmutate": __version__, "file": file, "arch": arch, "kernels": [],
            "error": error_document(error)}


def variants_document(report: Report) -> dict[str, Any]:
    """The one document that ``--json`` prints; ``mutate/report/schemas/variants-1.json`` describes it."""
    return {"schema": SCHEMA, "kmutate": __version__, "file": str(report.request.path), "arch": report.request.arch,
            "kernels": [_kernel(k) for k in report.kernels], "warnings": list(report.warnings),
            "output": str(report.request.output), "seconds": {k: round(v, 4) for k, v in report.seconds.items()}}


def manifest_document(report: Report) -> dict[str, Any]:
    """What lies in the output folder and how it was made: options, files, edits with their byte spans."""
    request = report.request
    files: list[dict[str, Any]] = []
    for k in report.kernels:
        for v in k.variants:
            if v.path is None or v.text is None:
                continue
            single = "+" not in v.mutation
            files.append({
                "kernel": k.target.kernel.qualified, "instance": k.target.instance, "mutation": v.mutation,
                "path": v.path.name, "diff": v.diff.name if v.diff is not None else None, "outcome": str(v.outcome),
                "verdict": str(v.certificate.verdict) if v.certificate is not None else None,
                "edits": [{"start": e.start, "end": e.end, "note": e.note} for e in v.text.edits] if single else None,
            })
    options: Mapping[str, Any] = {
        "arch": request.arch, "defines": list(request.defines), "include_dirs": list(request.include_dirs),
        "std": request.std, "maxrregcount": request.maxrregcount, "use_fast_math": request.use_fast_math,
        "pad": request.pad, "verified": request.verify, "set": dict(request.settings),
    }
    return {"schema": "kmutate.manifest/1", "kmutate": __version__, "file": str(request.path), "options": options,
            "files": files, "others": [p.name for p in report.written if p.suffix not in (".diff",)
                                       and p.name not in {f["path"] for f in files}]}

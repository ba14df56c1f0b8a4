"""Writes what a run has made, inside the output folder and nowhere else."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from pathlib import Path

from mutate.errors import KmutateError
from mutate.frontend.units import Unit
from mutate.frontend.view import device_text, host_spans
from mutate.launch.model import Launch
from mutate.model import Outcome, Verdict
from mutate.report.bench import Bench, BenchCase, BenchVariant, render_bench, write_data_files, written_arrays
from mutate.report.document import manifest_document
from mutate.results import DEFAULT_OUTPUT, KernelResult, Report, Target, VariantResult
from mutate.source import apply_edits, unified_diff


def _write(path: Path, data: bytes) -> None:
    """Replaces a file as a whole: a reader never sees half of it. What is a link is replaced, never followed."""
    part = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        with part.open("xb") as file:  # x: nothing that is there already is opened
            file.write(data)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise KmutateError("output-not-writable", f"cannot write {path}: {error.strerror}",
                           hint="choose another folder with -o DIR") from None


def write_outputs(report: Report, unit: Unit) -> Report:
    """Variants, diffs, manifest and bench. Returns the report with the paths filled in.

    ``KmutateError`` ``output-not-writable`` when the folder cannot be made or written.
    """
    folder = report.request.output
    if folder == DEFAULT_OUTPUT and folder.is_symlink():
        # Nobody has named it: in a folder that comes from somebody else, it leads where that one wants.
        raise KmutateError("output-not-writable", f"the output folder {folder} is a link to {folder.resolve()}",
                           hint="name the folder to write to with -o DIR")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KmutateError("output-not-writable", f"cannot make the output folder {folder}: {error.strerror}",
                           hint="choose another folder with -o DIR") from None
    written: list[Path] = []
    kernels = tuple(_write_kernel(k, unit, folder, written) for k in report.kernels)
    report = replace(report, kernels=kernels)
    bench = make_bench(report, unit)
    if bench is not None:
        path = folder / bench.name
        _write(path, render_bench(bench).encode(errors="surrogateescape"))
        try:
            written += [path, *write_data_files(bench)]
        except OSError as error:
            raise KmutateError("output-not-writable", f"cannot write data files to {folder}: {error.strerror}",
                               hint="choose another folder with -o DIR") from None
    manifest = folder / "manifest.json"
    report = replace(report, written=(*written, manifest))
    text = json.dumps(manifest_document(report), indent=1, ensure_ascii=False) + "\n"
    _write(manifest, text.encode(errors="backslashreplace"))  # a name that is not UTF-8: as JSON escapes it
    return report


def _write_kernel(result: KernelResult, unit: Unit, folder: Path, written: list[Path]) -> KernelResult:
    variants: list[VariantResult] = []
    for v in result.variants:
        if v.text is None:
            variants.append(v)
            continue
        path = folder / f"{result.target.stem}.{v.mutation}.cu"
        diff = path.with_suffix(".diff")
        name = Path(unit.main.name).name
        _write(path, v.text.text)
        text = unified_diff(unit.source, v.text.text, name, path.name)
        _write(diff, text.encode(errors="surrogateescape"))
        written += [path, diff]
        variants.append(replace(v, path=path, diff=diff))
    return replace(result, variants=tuple(variants))


def _usable(v: VariantResult) -> bool:
    return (v.outcome is Outcome.OK and v.text is not None
            and (v.certificate is None or v.certificate.verdict is not Verdict.INVALID))


def make_bench(report: Report, unit: Unit) -> Bench | None:
    """The harness for all kernels that have a launch declaration; ``None`` when none has."""
    cases = [_case(result, launch, unit) for result in report.kernels if result.error is None
             for launch in result.target.launches]
    if not cases:
        return None
    flags = ["-O3", f"-arch={report.request.arch}"]
    if report.request.dialect:
        flags.append(f"-std={report.request.dialect}")
    if report.request.use_fast_math:
        flags.append("-use_fast_math")
    if report.request.maxrregcount:
        flags.append(f"-maxrregcount={report.request.maxrregcount}")
    flags += [f"-D{d}" for d in report.request.defines] + [f"-I{i}" for i in report.request.include_dirs]
    flags += [f"-include {i}" for i in report.request.pre_includes]
    return Bench(Path(unit.main.name), report.request.output, tuple(cases), tuple(flags))


def _case(result: KernelResult, launch: Launch, unit: Unit) -> BenchCase:
    target = result.target
    spans = host_spans(unit, target.kernel, lambda path: True)
    blanked = device_text(unit.source, spans)
    plans = [v.certificate.occupancy for v in result.variants if v.certificate is not None
             and v.certificate.occupancy is not None]
    carveout = next((p.carveout_percent for p in plans if p.carveout_percent is not None), None)
    variants = [BenchVariant("original", blanked.decode(errors="replace"), target.name, launch.smem, carveout)]
    for v in result.variants:
        if not _usable(v) or v.text is None:
            continue
        source = _variant_source(v, unit, target, blanked)
        plan = v.certificate.occupancy if v.certificate is not None else None
        pad = plan.dynamic_smem_pad if plan is not None and report_pads_at_launch(v) else 0
        variants.append(BenchVariant(v.mutation, source.decode(errors="replace"), target.name, launch.smem + pad,
                                     plan.carveout_percent if plan is not None else None))
    params = [(p.type_text, p.name) for p in target.kernel.params]
    return BenchCase(launch, tuple(variants), written_arrays(launch, params))


def report_pads_at_launch(v: VariantResult) -> bool:
    """False when the padding is in the text already (``--pad static``)."""
    return v.text is not None and not any(e.note.startswith("static padding") for e in v.text.edits)


def _variant_source(v: VariantResult, unit: Unit, target: Target, blanked: bytes) -> bytes:
    text = v.text
    if text is None:
        return blanked
    if text.unit is None or text.unit is unit:
        return apply_edits(blanked, text.edits)
    kernel = next(k for k in text.unit.kernels if k.qualified == target.kernel.qualified)
    return apply_edits(device_text(text.unit.source, host_spans(text.unit, kernel, lambda path: True)), text.edits)

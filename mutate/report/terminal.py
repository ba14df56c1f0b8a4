"""What people read: a table that fits 80 columns, the reasons below it, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mutate.model import Outcome, Verdict
from mutate.mutations.base import ARITHMETIC, GLOBAL_LOADS, GLOBAL_STORES, GLOBAL_UPDATES, SHARED, Mutation
from mutate.report.console import new_console
from mutate.results import KernelResult, Report, VariantResult

_Columns = tuple[tuple[str, tuple[str, ...]], ...]
_STYLES = {Verdict.VALID: "green", Verdict.DEGRADED: "yellow", Verdict.INVALID: "red"}
_MEMORY = (("ld", GLOBAL_LOADS), ("st", (*GLOBAL_STORES, *GLOBAL_UPDATES)), ("smem", SHARED), ("bar", ("barrier",)))
_FLOATS: _Columns = (*_MEMORY, ("fp", ARITHMETIC))
# Of a kernel without floating point: its own arithmetic, and that of addresses with it.
_INTEGERS: _Columns = (*_MEMORY, ("int", ("integer",)))


def _columns(result: KernelResult) -> _Columns:
    static = next((v.certificate.static for v in result.variants if v.certificate is not None
                   and v.certificate.static is not None), None)
    return _INTEGERS if static is not None and _total(static.original, ARITHMETIC) == "." else _FLOATS


def _total(counts: Mapping[str, int], patterns: Sequence[str]) -> str:
    n = sum(v for c, v in counts.items() if any(fnmatch(c, p) for p in patterns))
    return str(n) if n else "."


def _row(v: VariantResult, columns: _Columns) -> list[str | Text]:
    if v.outcome is not Outcome.OK or v.certificate is None:
        return [v.mutation, Text(str(v.outcome), style="dim" if v.outcome is Outcome.REFUSED else "red"), *[""] * 8]
    c = v.certificate
    verdict = Text(str(c.verdict), style=_STYLES[c.verdict])
    registers = str(c.variant.registers) if c.variant is not None else ""
    blocks, pad = "", ""
    if c.occupancy is not None:
        o = c.occupancy
        blocks = str(o.padded) if o.variant == o.padded else f"{o.variant}>{o.padded}"
        pad = str(o.dynamic_smem_pad) if o.dynamic_smem_pad else "."
    counts = [_total(c.static.variant, p) if c.static is not None else "" for _, p in columns]
    name = f"{v.mutation} (r)" if c.static is not None and c.static.loops == "rolled" else v.mutation
    return [name, verdict, registers, blocks, pad, *counts]


def _kernel_table(result: KernelResult) -> Table:
    columns = _columns(result)
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_edge=False)
    table.add_column("variant", min_width=18, overflow="fold")
    table.add_column("verdict", min_width=8)
    for name in ("regs", "blk/SM", "pad B", *(n for n, _ in columns)):
        table.add_column(name, justify="right")
    first = next((v.certificate for v in result.variants if v.certificate is not None
                  and v.certificate.static is not None), None)
    if first is not None and first.static is not None and first.original is not None:
        base = first.static.compiled_original or first.static.original
        table.add_row("(original)", "", str(first.original.registers),
                      str(first.occupancy.original) if first.occupancy is not None else "", ".",
                      *[_total(base, p) for _, p in columns], style="dim")
    rolled = next((v.certificate.static for v in result.variants if v.certificate is not None
                   and v.certificate.static is not None and v.certificate.static.loops == "rolled"), None)
    if rolled is not None:
        table.add_row("(original) (r)", "", "", "", "", *[_total(rolled.original, p) for _, p in columns], style="dim")
    for v in result.variants:
        table.add_row(*_row(v, columns))
    return table


def print_variants(report: Report) -> None:
    """The whole answer of ``kmutate variants`` on the terminal."""
    console = new_console()
    request = report.request
    for warning in report.warnings:
        console.print(Text(f"warning: {warning}", style="yellow"))
    for result in report.kernels:
        if result.error is not None:
            continue
        target = result.target
        launch = target.launches[0] if target.launches else None
        where = f"grid {dims(launch.grid)} block {dims(launch.block)}" if launch is not None else \
            f"no launch declaration, {target.threads} threads a block assumed"
        console.print(Text.assemble((target.name, "bold"), f"  {request.arch}  {where}"))
        console.print(_kernel_table(result))
        _print_reasons(console, result)
        _print_run(console, result)
        console.print()
    if any(v.certificate is not None and v.certificate.static is not None for k in report.kernels for v in k.variants):
        integers = ", int: of integers, addresses too" if any(_columns(k) is _INTEGERS for k in report.kernels) else ""
        console.print(Text("SASS instructions of each variant: global loads, stores and atomics, shared accesses, "
                           f"barriers, floating point{integers}; guarded ones (never executed) not counted. (r): both "
                           "compared with loops rolled. blk/SM: resident blocks, before > after padding.", style="dim"))
    files = len([p for p in report.written if p.suffix == ".cu" and p.name != "bench.cu"])
    console.print(f"{files} variants in {request.output}{'/' if str(request.output) != '/' else ''}")
    bench = next((p for p in report.written if p.name == "bench.cu"), None)
    if bench is not None and files:
        console.print(f"next: time them with  nvcc -O3 -arch={request.arch} -o bench {bench} && ./bench",
                      soft_wrap=True)
    elif report.kernels and bench is None:
        console.print("next: add a /* kmutate launch ... */ comment to get a harness that times them; "
                      f"kmutate launch {request.path} proposes one", soft_wrap=True, highlight=False)


def dims(d: tuple[int, int, int]) -> str:
    kept = list(d)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "x".join(map(str, kept))


def _print_run(console: Console, result: KernelResult) -> None:
    """What the dynamic part of the certificates rests on."""
    done = next((v.certificate.dynamic for v in result.variants if v.certificate is not None
                 and v.certificate.dynamic is not None and not v.certificate.dynamic.why_not), None)
    if done is None:
        return
    instructions = sum(done.original.values())
    console.print(Text(f"simulated: {done.blocks} of {done.grid_blocks} blocks of each "
                       f"(original: {instructions:,} warp instructions)", style="dim"))


def _print_reasons(console: Console, result: KernelResult) -> None:
    seen: dict[tuple[str, str, str], list[str]] = {}
    for v in result.variants:
        if v.refusal is not None:
            hint = f" ({v.refusal.hint})" if v.refusal.hint else ""
            seen.setdefault(("refused", v.refusal.slug, v.refusal.why + hint), []).append(v.mutation)
        elif v.outcome is Outcome.COMPILE_FAILED:
            first = next((line for line in v.log.splitlines() if "error" in line), v.log.strip()[:200])
            seen.setdefault(("compile-failed", "compile-failed", first), []).append(v.mutation)
        elif v.certificate is not None:
            for r in v.certificate.reasons:
                if r.slug == "unrolled-differently":
                    continue  # the table's (r) says so
                line = f" (line {r.line})" if r.line is not None else ""
                seen.setdefault((str(r.severity), r.slug, r.text + line), []).append(v.mutation)
    for (severity, slug, text), names in seen.items():
        quiet = severity == Verdict.VALID
        head = Text(f"  {', '.join(names)}: ", style="dim" if quiet else "")
        console.print(head.append(text).append(f" [{slug}]", style="dim"))


def print_pairs(rows: Sequence[tuple[str, str]]) -> None:
    console = new_console()
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for a, b in rows:
        table.add_row(Text(a, style="bold"), Text(b))
    console.print(table)


def print_mutation(mutation: Mutation) -> None:
    """``kmutate explain``: generated from the mutation's declaration and examples."""
    console = new_console()
    console.print(Text(mutation.id, style="bold"), Text(f"- {mutation.summary}"))
    for title, text in (("keeps", mutation.keeps), ("removes", mutation.removes), ("how", mutation.how),
                        ("source", mutation.seed)):
        if text:
            console.print(Text(f"{title}: ", style="bold") + Text(text))
    example = next((e for e in mutation.examples if e.kind != "rejects"), None)
    if example is not None:
        console.print()
        console.print(Text("for example, in", style="dim"))
        console.print(Text(example.before.rstrip()))
        if example.after:
            console.print(Text("the variant has", style="dim"))
            for line in example.after:
                console.print(Text(f"    {line}"))
    refusals = [e for e in mutation.examples if e.kind == "rejects"]
    for e in refusals:
        console.print(Text(f"refused with [{e.slug}]:", style="dim"))
        console.print(Text(e.before.rstrip()))

"""How much of real projects' machine code the simulator's tables have.

    python tests/corpus/sass_coverage.py [--arch sm_90] [--instances 2] [--forms 40] FOLDER...

Each folder is a CUDA project. Every kernel of its .cu and .cuh files is compiled as ``kmutate variants`` does it,
templates as instances that the project launches, disassembled and decoded. Results are cached by the toolchain, so a
run that was stopped goes on where it was. A kernel is supported when all its instances are; those that use tensor
cores, wgmma or TMA are counted apart.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from projects import AS_IT_STANDS, Way, note, other_way, read_project

from mutate.errors import KmutateError
from mutate.frontend.headers import Headers
from mutate.frontend.units import Function, Unit
from mutate.frontend.view import device_text, host_spans
from mutate.sass.disasm import Listing, disassemble
from mutate.sim import layout as lay
from mutate.sim.decode import Unsupported, decode
from mutate.sim.image import read_image
from mutate.toolchain.elf import BadCubinError, Cubin
from mutate.toolchain.nvrtc import Compiled, CompileFailed, Compiler, Job, Result
from mutate.toolchain.options import CompileOptions

# Kernels a run of nvdisasm; large cubins make its output large.
_BATCH = 100
_TENSOR = re.compile(r"(?:[HIDBQO]MMA|[HIQB]GMMA|UTC\w+|UTMA\w+|UBLK\w+|LDTM|STTM)\b")


class Everything(dict[int, bytes]):
    """Constant banks of a launch that never was: every word is known."""

    def get(self, key: int, default: object = None) -> bytes:
        del key, default
        return bytes(1 << 16)


@dataclass
class Kernel:
    """One kernel and what became of its instances."""

    file: str
    unit: Unit
    folders: tuple[str, ...]
    function: Function
    instances: Sequence[str | None]
    results: dict[str | None, Result] = field(default_factory=dict)
    listings: list[Listing] = field(default_factory=list)
    unsupported: list[Unsupported] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    tensor: bool = False
    broken: str = ""

    @property
    def compiled(self) -> bool:
        return bool(self.listings)

    @property
    def supported(self) -> bool:
        return not self.unsupported and not self.needs

    @property
    def name(self) -> str:
        return f"{Path(self.file).name}:{self.function.qualified}"


def compile_all(root: Path, kernels: Sequence[Kernel], arch: str, limit: float) -> None:
    """Compiles all instances; what fails is tried with names of host libraries declared, and as C++14."""
    compiler = Compiler(limit=limit)

    headers: dict[int, Headers] = {}

    def submit(kernel: Kernel, instance: str | None, way: Way) -> None:
        entry = kernel.function.qualified
        if instance is not None or kernel.function.is_template:
            entry = f"{entry}<{instance or ''}>"
        options = CompileOptions(arch=arch, include_dirs=(*kernel.folders, *way.include_dirs), std=way.std,
                                 pre_includes=way.pre_includes)

        def keep(result: Result) -> None:
            failed = isinstance(result, CompileFailed)
            if way is AS_IT_STANDS or not failed:
                kernel.results[instance] = result
            if failed and way is AS_IT_STANDS:
                submit(kernel, instance, other_way(result.log))

        source = device_text(kernel.unit.source, host_spans(kernel.unit, kernel.function, lambda _: True))
        texts = headers.setdefault(id(kernel.unit), Headers(kernel.unit, kernel.folders)).texts(entry)
        compiler.submit(Job(source, kernel.file, entry, options, texts), keep)

    for kernel in kernels:
        for instance in kernel.instances:
            submit(kernel, instance, AS_IT_STANDS)
        note(f"{root.name}: {compiler.submitted} compiles, {compiler.compiled} of them new")
    compiler.run(lambda done, of: note(f"{root.name}: compiled {done}/{of}"))


def disassemble_all(root: Path, kernels: Sequence[Kernel], arch: str) -> None:
    todo = [(k, r) for k in kernels for r in k.results.values() if isinstance(r, Compiled)]
    for start in range(0, len(todo), _BATCH):
        note(f"{root.name}: disassembling {start}/{len(todo)}")
        part = todo[start : start + _BATCH]
        try:
            listings: Sequence[Listing | None] = disassemble([(r.cubin, r.entry) for _, r in part], arch)
        except (KmutateError, BadCubinError):
            listings = [_one(r, arch, k) for k, r in part]
        for (kernel, _), listing in zip(part, listings, strict=True):
            if listing is not None:
                kernel.listings.append(listing)


def _one(result: Compiled, arch: str, kernel: Kernel) -> Listing | None:
    try:
        return disassemble([(result.cubin, result.entry)], arch)[0]
    except (KmutateError, BadCubinError) as error:
        kernel.broken = str(error)
        return None


def reachable(listing: Listing) -> Listing:
    """Without the padding behind the last function."""
    end = len(listing)
    while end and listing[end - 1].name in ("NOP", "BRA"):
        end -= 1
    return listing[: min(len(listing), end + 1)]


def decode_all(kernels: Sequence[Kernel]) -> None:
    banks = Everything()
    for kernel in kernels:
        for result in kernel.results.values():
            if isinstance(result, Compiled):
                kernel.needs += outside(result)
        for listing in kernel.listings:
            kernel.tensor |= any(_TENSOR.match(i.opcode) for i in listing)
            kernel.unsupported += decode(listing, banks).unsupported


def outside(result: Compiled) -> list[str]:
    """What a kernel needs beyond its instructions that the simulator does not have: functions of the driver, other

    code sections.
    """
    image = read_image(result.cubin, result.entry)
    known = {v.name for v in image.variables} | set(lay.SYSTEM_FUNCTIONS[: lay.SYSTEM_ASSERT + 1])
    undefined = {s.name for s in Cubin(result.cubin).symbols if s.section == 0 and s.name}
    calls = sorted({f"a call of {s}" for _, s, _ in image.addresses if s in undefined and s not in known})
    return calls + [f"code in {c}" for c in Cubin(result.cubin).kernel(result.entry).callees]


def table(name: str, kernels: Sequence[Kernel]) -> str:
    compiled = [k for k in kernels if k.compiled]
    plain = [k for k in compiled if not k.tensor]
    full = sum(k.supported for k in compiled)
    good = sum(k.supported for k in plain)
    share = f"{100 * good / len(plain):6.2f} %" if plain else "     -  "
    return (
        f"{name:<16}{len(kernels):>8}{len(compiled):>10}{full:>11}{len(compiled) - len(plain):>14}{len(plain):>8}"
        f"{good:>11}  {share}"
    )


def forms(kernels: Sequence[Kernel], most: int) -> Iterator[str]:
    """Unsupported forms: how many kernels have them, how many instructions, and one example."""
    blocked: Counter[str] = Counter()
    number: Counter[str] = Counter()
    example: dict[str, str] = {}
    for kernel in kernels:
        for form in {f"{u.instruction.opcode}: {u.why}" for u in kernel.unsupported}:
            blocked[form] += 1
        for need in set(kernel.needs):
            blocked[need] += 1
            number[need] += 1
            example.setdefault(need, f"[{kernel.name}]")
        for u in kernel.unsupported:
            form = f"{u.instruction.opcode}: {u.why}"
            number[form] += 1
            example.setdefault(form, f"{u.instruction}  [{kernel.name}]")
    for form, count in blocked.most_common(most):
        yield f"{count:>5} kernels {number[form]:>6} x  {form:<60} {example[form]}"


def _reading(name: str, done: int, of: int) -> None:
    note(f"{name}: reading {done + 1}/{of}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--instances", type=int, default=2, help="instances of a template kernel, at most")
    parser.add_argument("--forms", type=int, default=40, help="unsupported forms to print")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a compile may take")
    parser.add_argument("--failures", action="store_true", help="print why kernels do not compile")
    options = parser.parse_args()
    problems: list[str] = []
    everything: list[Kernel] = []
    rows: list[str] = []
    try:
        for root in options.folders:
            if not root.is_dir():
                problems.append(f"{root}: no such folder")
                continue
            kernels = [Kernel(str(f.path), f.unit, f.folders, f.function, f.instances)
                       for f in read_project(root.absolute(), options.arch, options.instances, problems,
                                             progress=partial(_reading, root.name))]
            compile_all(root, kernels, options.arch, options.limit)
            disassemble_all(root, kernels, options.arch)
            decode_all(kernels)
            everything += kernels
            rows.append(table(root.name, kernels))
    except KmutateError as error:
        note("")
        print(f"sass_coverage: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        note("stopped; what is compiled stays in the cache\n")
        return 130
    note("")
    print(
        f"{options.arch:<16}{'kernels':>8}{'compiled':>10}{'supported':>11}{'tensor or TMA':>14}{'others':>8}"
        f"{'supported':>11}"
    )
    print("\n".join(rows))
    if len(rows) > 1:
        print(table("all", everything))
    for title, chosen in (
        ("kernels without tensor cores", [k for k in everything if not k.tensor]),
        ("kernels with tensor cores or TMA", [k for k in everything if k.tensor]),
    ):
        lines = list(forms(chosen, options.forms))
        if lines:
            print(f"\nNot supported in {title}:")
            print("\n".join(lines))
    if options.failures:
        print("\nNot compiled:")
        for kernel in everything:
            failed = next((r for r in kernel.results.values() if isinstance(r, CompileFailed)), None)
            if not kernel.compiled and failed is not None:
                print(f"  {kernel.name}<{kernel.instances[0]}>: {failed.error.message}")
    for problem in problems:
        print(f"not read: {problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

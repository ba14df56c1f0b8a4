"""Prints the table of ARCHITECTURE.md: what the compiler makes of kernels whose barriers were replaced.

    python tests/docs/barriers.py [ARCH ...]
"""

from __future__ import annotations

import sys

from mutate.frontend.load import load_unit
from mutate.frontend.view import device_text, host_spans
from mutate.resources import samples_dir
from mutate.sass.classes import count_classes
from mutate.sass.disasm import disassemble
from mutate.toolchain.nvrtc import Compiled, Job, compile_many
from mutate.toolchain.options import CompileOptions

KERNELS = (("fd3d.cu", "fd3d"), ("matmul.cu", "matmul_tiled"), ("nbody.cu", "nbody"))
IN_PLACE = ("__syncthreads();", "__syncwarp();", ";", 'asm volatile("" ::: "memory");',
            "if (km_flag) __syncthreads();")


def main() -> int:
    print("| kernel | arch | in place of the barrier | instructions | shared loads | shared stores | barriers |")
    print("|---|---|---|---|---|---|---|")
    for arch in sys.argv[1:] or ["sm_90"]:
        for file, kernel in KERNELS:
            unit = load_unit((samples_dir() / file).read_bytes(), file)
            function = next(k for k in unit.kernels if k.name == kernel)
            text = device_text(unit.source, host_spans(unit, function, lambda _: True)).decode()
            jobs = [Job(f"__constant__ int km_flag; {text.replace(IN_PLACE[0], new)}".encode(), file, kernel,
                        CompileOptions(arch=arch)) for new in IN_PLACE]
            done = [r for r in compile_many(jobs) if isinstance(r, Compiled)]
            listings = disassemble([(r.cubin, r.entry) for r in done], arch)
            before = len(listings[0])
            for new, listing in zip(IN_PLACE, listings, strict=True):
                counts = count_classes(listing)
                loads, stores = (sum(n for c, n in counts.items() if c.startswith(s))
                                 for s in ("shared_load", "shared_store"))
                print(f"| {kernel} | {arch} | `{new}` | {before}{len(listing) - before:+d} | {loads} | {stores} | "
                      f"{counts.get('barrier', 0)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

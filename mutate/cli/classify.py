"""``kmutate classify``: the verdict from times that you have measured yourself."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from mutate.errors import KmutateError

_EPILOG = """\b
Examples:
  kmutate classify --full 35.39 --memory 33.27 --math 16.25
  kmutate classify --full 858us --memory 656us --math 373us --no-sync 751us --noise 1
  kmutate classify --full 35.39 --memory 33.27 --math 16.25 --bytes 2.19e9 --peak-bandwidth 114

Exit codes: 0 a verdict, 2 could not run, 3 inconclusive.
"""
_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?"
_SCALES = {"s": 1e3, "ms": 1.0, "us": 1e-3, "µs": 1e-3, "ns": 1e-6}
_BYTES = {"": 1.0, "B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 2.0**10, "MiB": 2.0**20,
          "GiB": 2.0**30}


class _Quantity(click.ParamType[float]):
    """A positive number with an optional unit."""

    def __init__(self, name: str, units: dict[str, float], plain: str) -> None:
        self.name = name
        self.units = units
        self.plain = plain

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match = re.fullmatch(rf"\s*({_NUMBER})\s*([A-Za-zµ]*)\s*", str(value))
        scale = self.units.get((match[2] or self.plain) if match else "?")
        if match is None or scale is None:
            known = ", ".join(u for u in self.units if u)
            self.fail(f"'{value}' is not a number with one of the units {known}", param, ctx)
        number = float(match[1]) * scale
        if not 0 < number < float("inf"):
            self.fail(f"'{value}' is not a positive number", param, ctx)
        return number


_TIME = _Quantity("TIME", _SCALES, "ms")
_SIZE = _Quantity("BYTES", _BYTES, "")
_POSITIVE = _Quantity("NUMBER", {"": 1.0}, "")


@click.command("classify", epilog=_EPILOG)
@click.option("--full", type=_TIME, required=True, help="Time of the kernel; milliseconds, or with a unit.")
@click.option("--memory", type=_TIME, required=True, help="Time of its memory-only variant.")
@click.option("--math", type=_TIME, required=True, help="Time of its math-only variant.")
@click.option("--no-sync", type=_TIME, help="... without barriers.")
@click.option("--conflict-free", type=_TIME, help="... without bank conflicts.")
@click.option("--broadcast", type=_TIME, help="... with shared accesses as broadcasts.")
@click.option("--bytes", "requested", type=_SIZE, help="Bytes that the threads ask for.")
@click.option("--hardware-bytes", "moved", type=_SIZE, help="Bytes that the hardware moves.")
@click.option("--instructions", type=_POSITIVE, help="Warp instructions executed.")
@click.option("--peak-bandwidth", type=_POSITIVE, metavar="GB/s", help="Theoretical bandwidth of the memory.")
@click.option("--copy-bandwidth", type=_POSITIVE, metavar="GB/s", help="What a copy reaches on the GPU.")
@click.option("--balance", type=_POSITIVE, metavar="RATIO", help="The GPU's instructions:bytes ratio.")
@click.option("--machine", metavar="NAME|FILE", help="Takes peak bandwidth and balance from a machine file.")
@click.option("--overhead", type=_TIME, help="Time of an empty kernel.")
@click.option("--noise", type=click.FloatRange(0, 50), default=0.0, metavar="PERCENT",
              help="Each time may be off by so much (95 % interval).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (schema kmutate.analysis/1).")
def classify_command(full: float, memory: float, math: float, no_sync: float | None, conflict_free: float | None,
                     broadcast: float | None, requested: float | None, moved: float | None,
                     instructions: float | None, peak_bandwidth: float | None, copy_bandwidth: float | None,
                     balance: float | None, machine: str | None, overhead: float | None, noise: float, as_json: bool
                     ) -> int:
    """Name what limits a kernel from the times of its variants."""
    from mutate.limiter.given import Given, evidence_from
    from mutate.limiter.model import Limiter
    from mutate.limiter.verdict import judge

    if machine is not None:
        from mutate.machines import load_machine

        found = load_machine(machine)
        if peak_bandwidth is None and found.get("dram.peak_bandwidth") is not None:
            peak_bandwidth = found.number("dram.peak_bandwidth")
        if balance is None and all(found.get(k) for k in ("issue.fp32", "sm.count", "clock.boost",
                                                          "dram.peak_bandwidth")):
            balance = found.balance()
    if overhead is not None and overhead > full:
        raise KmutateError("bad-times", "--overhead is more than --full: an empty kernel takes less than this one",
                           hint="check the units: plain numbers are milliseconds")
    evidence = evidence_from(Given(full, memory, math, no_sync, conflict_free, broadcast, requested, moved,
                                   instructions, peak_bandwidth, copy_bandwidth, balance, overhead, noise / 100))
    finding = judge(evidence)
    if as_json:
        from mutate.report.analysis_document import finding_document

        click.echo(json.dumps(finding_document(finding, evidence.facts), indent=1, ensure_ascii=False,
                              allow_nan=False))
    else:
        from mutate.report.analysis import print_finding

        print_finding(finding, evidence.facts)
    return 3 if finding.limiter is Limiter.INCONCLUSIVE else 0

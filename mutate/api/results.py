"""What the Python functions return: the data of a run, and its ways to be shown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mutate.errors import KmutateError

if TYPE_CHECKING:
    from mutate.analyzed import Analysis, LaunchAnalysis
    from mutate.results import KernelResult, Request
    from mutate.simulated import SimulateReport


def _frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError:
        raise KmutateError("no-pandas", "to_dataframe() needs pandas, which is not installed",
                           hint="pip install 'kmutate[frames]', or take .rows()") from None
    return pandas.DataFrame(list(rows))


class AnalysisResult:
    """An analysis. ``analysis`` has all of it as data; Jupyter shows the HTML report."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def __repr__(self) -> str:
        """The verdict, one line for each launch."""
        return "\n".join(self._lines()) or "nothing was analyzed"

    def _lines(self) -> Iterator[str]:
        for kernel in self.analysis.kernels:
            if kernel.error is not None:
                yield f"{kernel.target.name}: {kernel.error.what} [{kernel.error.slug}]"
            for launch in kernel.launches:
                yield f"{kernel.target.name}: {self._verdict(launch)}"

    def _verdict(self, launch: LaunchAnalysis) -> str:
        from mutate.limiter.model import Limiter
        from mutate.report.figures import HEADINGS, number, source_of_times
        from mutate.timing import ORIGINAL

        finding = launch.finding
        if finding.limiter is Limiter.UNKNOWN:
            return f"limiter unknown: {launch.untimed}" if launch.untimed else "limiter unknown"
        simulated = "simulated, " if source_of_times(self.analysis, launch) == "simulated" else ""
        words = f"{HEADINGS[finding.limiter]} ({simulated}{finding.confidence} confidence)"
        original = launch.session.run(ORIGINAL) if launch.session is not None else None
        if launch.session is None or original is None or not original.times_ms:
            return words
        return f"{words}, {number(statistics.median(original.times_ms))} ms measured on {launch.session.gpu.name}"

    def _repr_html_(self) -> str:
        """The report in a frame of its own, so that its styles stay in it."""
        from mutate.report.html import notebook_html

        return notebook_html(self.analysis)

    def to_html(self) -> str:
        """The single-file HTML report."""
        from mutate.report.html import render_html

        return render_html(self.analysis)

    def to_markdown(self) -> str:
        from mutate.report.markdown import render_markdown

        return render_markdown(self.analysis)

    def to_dict(self) -> dict[str, Any]:
        """The document ``kmutate.analysis/1``."""
        from mutate.report.analysis_document import analysis_document

        return analysis_document(self.analysis)

    def to_json(self) -> str:
        """``to_dict`` as text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each variant of each launch: verdicts, times in ms with 95 % intervals, gains.

        A gain is T(original)/T(variant). ``times`` says where they come from: ``measured``, ``simulated``, or ``None``.
        """
        from mutate.report.figures import source_of_times

        out = []
        for kernel in self.analysis.kernels:
            for number, launch in enumerate(kernel.launches):
                for v in launch.variants:
                    time = v.time.time if v.time is not None else None
                    gain = v.time.gain if v.time is not None else None
                    out.append({
                        "kernel": kernel.target.name, "launch": number, "limiter": str(launch.finding.limiter),
                        "variant": v.name, "outcome": str(v.result.outcome),
                        "verdict": str(v.certificate.verdict) if v.certificate is not None else None,
                        "times": source_of_times(self.analysis, launch) or None,
                        "ms": time.value if time is not None else None,
                        "ms_low": time.low if time is not None else None,
                        "ms_high": time.high if time is not None else None,
                        "gain": gain.value if gain is not None else None,
                        "gain_low": gain.low if gain is not None else None,
                        "gain_high": gain.high if gain is not None else None})
        return out

    def to_dataframe(self) -> Any:
        """``rows`` as a pandas data frame. ``KmutateError`` ``no-pandas`` without pandas."""
        return _frame(self.rows())


class SimulationResult:
    """Counters of a run on the simulator. ``report`` has all of it as data."""

    def __init__(self, report: SimulateReport) -> None:
        self.report = report

    def __repr__(self) -> str:
        lines = []
        for kernel in self.report.kernels:
            if kernel.error is not None:
                lines.append(f"{kernel.target.name}: {kernel.error.what} [{kernel.error.slug}]")
            for launch in kernel.launches:
                found = sum(1 for _ in launch.problems) + launch.more_problems
                lines.append(f"{kernel.target.name}: simulated {len(launch.blocks):,} of {launch.grid_blocks:,} blocks"
                             + (f", {found} problem{'s' * (found != 1)}" if found else ""))
        return "\n".join(lines) or "nothing was simulated"

    def to_dict(self) -> dict[str, Any]:
        """The document ``kmutate.counters/1``."""
        from mutate.report.counts_document import counters_document

        return counters_document(self.report)

    def to_json(self) -> str:
        """``to_dict`` as text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def counters(self, kernel: str | None = None) -> dict[str, float]:
        """Counters by name, of the sample of blocks that ran: of the first launch, or that of the kernel named."""
        from mutate.sim.counters import evaluate

        for found in self.report.kernels:
            if kernel in (None, found.target.name, found.target.kernel.qualified) and found.launches:
                return {n: v for n, v in evaluate(found.launches[0].totals).items() if v is not None}
        raise KmutateError("unknown-kernel", f"no launch of {kernel} was simulated", hint="see .report.kernels")

    def rows(self) -> list[dict[str, Any]]:
        """One row for each counter of each launch: of the sample, and for the whole grid as the sample has it."""
        from mutate.sim.counters import evaluate, scaled

        out = []
        for kernel in self.report.kernels:
            for number, launch in enumerate(kernel.launches):
                sample = evaluate(launch.totals)
                grid = scaled(sample, launch.factor)
                out += [{"kernel": kernel.target.name, "launch": number, "counter": name, "sample": value,
                         "grid": grid.get(name)} for name, value in sample.items()]
        return out

    def to_dataframe(self) -> Any:
        """``rows`` as a pandas data frame. ``KmutateError`` ``no-pandas`` without pandas."""
        return _frame(self.rows())


class VariantsResult:
    """Variants with their certificates. ``kernels`` has all of it as data; nothing was written."""

    def __init__(self, request: Request, kernels: tuple[KernelResult, ...], warnings: tuple[str, ...]) -> None:
        self.request = request
        self.kernels = kernels
        self.warnings = warnings

    def __repr__(self) -> str:
        lines = []
        for kernel in self.kernels:
            said = [f"{v.mutation} {v.certificate.verdict if v.certificate is not None else v.outcome}"
                    for v in kernel.variants]
            lines.append(f"{kernel.target.name}: " + (kernel.error.what if kernel.error is not None
                                                      else ", ".join(said)))
        return "\n".join(lines) or "no variants"

    def source(self, mutation: str, kernel: str | None = None) -> str:
        """The whole file with one variant in the place of its kernel. ``KmutateError`` where there is none."""
        for found in self.kernels:
            if kernel not in (None, found.target.name, found.target.kernel.qualified):
                continue
            for v in found.variants:
                if v.mutation == mutation:
                    if v.text is None:
                        why = v.refusal.why if v.refusal is not None else v.log
                        raise KmutateError("no-variant", f"there is no {mutation} of {found.target.name}: {why}",
                                           hint="take another variant")
                    return v.text.text.decode(errors="replace")
        raise KmutateError("no-variant", f"there is no variant {mutation}", hint="see .rows() for those there are")

    def rows(self) -> list[dict[str, Any]]:
        """One row for each variant: verdict and the reasons for it."""
        return [{"kernel": k.target.name, "variant": v.mutation, "outcome": str(v.outcome),
                 "verdict": str(v.certificate.verdict) if v.certificate is not None else None,
                 "reasons": [r.slug for r in v.certificate.reasons] if v.certificate is not None else [],
                 "registers": v.certificate.variant.registers
                 if v.certificate is not None and v.certificate.variant is not None else None}
                for k in self.kernels for v in k.variants]

    def to_dict(self) -> dict[str, Any]:
        """The document ``kmutate.variants/1``."""
        from mutate.report.document import variants_document
        from mutate.results import Report

        return variants_document(Report(self.request, self.kernels, {}, self.warnings))

    def to_json(self) -> str:
        """``to_dict`` as text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def to_dataframe(self) -> Any:
        """``rows`` as a pandas data frame. ``KmutateError`` ``no-pandas`` without pandas."""
        return _frame(self.rows())

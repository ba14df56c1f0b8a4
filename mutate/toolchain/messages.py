"""Reads the compiler's log: the first error with its place, warnings, and ptxas' report on resources."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ERROR = re.compile(r"^(?:(?P<file>.+?)\((?P<line>\d+)\): )?(?P<what>catastrophic error|error|internal error)"
                    r"(?: #\d+(?:-D)?)?\s*: (?P<message>.*)$", re.MULTILINE)
_TOOL_ERROR = re.compile(r"^(?:ptxas|nvrtc:|nvvm|libnvvm)[^\n:]*?\b(?:error|fatal)\s*: (?P<message>.*)$", re.MULTILINE)
# NVRTC looks a kernel's name up in a source of its own.
_NAME_MAP = "__nv_name_map"
_INFO_LINE = re.compile(r"^ptxas (?:info\s*:|\s+\.\s).*\n?", re.MULTILINE)
_NO_FILE = re.compile(r'(?:cannot open source file|could not open source file) "([^"]+)"')


@dataclass(frozen=True)
class Diagnostic:
    """One error. ``file`` as the compiler names it; ``line`` and ``column`` from 1, ``None`` where it gives none."""

    file: str | None
    line: int | None
    column: int | None
    message: str


@dataclass(frozen=True)
class Resources:
    """ptxas' report on one kernel: registers per thread; bytes for the rest. Spills include called functions'."""

    registers: int
    stack_frame: int
    spill_stores: int
    spill_loads: int
    static_smem: int
    barriers: int


def first_error(log: str) -> Diagnostic | None:
    """The first error of a log, or ``None`` when it has none."""
    match = _ERROR.search(log)
    tool = _TOOL_ERROR.search(log)
    if match and (tool is None or match.start() <= tool.start()):
        if match.group("file") == _NAME_MAP:
            return Diagnostic(None, None, None, match.group("message"))
        line = match.group("line")
        after = log[match.end() + 1 :].split("\n", 2)
        return Diagnostic(match.group("file"), int(line) if line else None, _column(after), match.group("message"))
    if tool:
        return Diagnostic(None, None, None, tool.group("message"))
    return None


def _column(after: list[str]) -> int | None:
    """Column of the caret in the two lines after a message: the source line, indented by two spaces, and the caret."""
    if len(after) < 2 or after[1].strip() != "^" or not after[0].startswith("  "):
        return None
    return after[1].index("^") - 1


def missing_header(log: str) -> str | None:
    """Name of the header that could not be opened, if that is what stopped the compiler."""
    match = _NO_FILE.search(log)
    return match.group(1) if match else None


def without_report(log: str) -> str:
    """The log without ptxas' report: warnings and errors only."""
    return _INFO_LINE.sub("", log).strip()


def resources(log: str, entry: str) -> Resources | None:
    """ptxas' report on the kernel with this symbol name; ``None`` when the log has none (an old or silent NVRTC)."""
    start = log.find(f"Compiling entry function '{entry}'")
    if start < 0:
        return None
    end = log.find("Compiling entry function", start + 1)
    part = log[start : end if end >= 0 else len(log)]
    used = re.search(r"Used (\d+) registers?(.*)", part)
    if not used:
        return None
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
    smem = re.search(r"(\d+) bytes smem", used.group(2))
    barriers = re.search(r"used (\d+) barriers", used.group(2))
    # "cumulative stack size" counts called functions too, where there are any.
    stack = re.search(r"(\d+) bytes cumulative stack size", used.group(2))
    return Resources(
        registers=int(used.group(1)),
        stack_frame=int(stack.group(1)) if stack else max((int(f[0]) for f in frames), default=0),
        spill_stores=sum(int(f[1]) for f in frames),
        spill_loads=sum(int(f[2]) for f in frames),
        static_smem=int(smem.group(1)) if smem else 0,
        barriers=int(barriers.group(1)) if barriers else 0,
    )

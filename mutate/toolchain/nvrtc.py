"""Compiles CUDA device code to a cubin, without a GPU and without nvcc.

A source that nvcc takes is not always one that NVRTC takes, which knows no host code and no host headers. So a prelude
gives what nvcc's implicit headers give, absent host headers are empty, and a failed compile is tried again the way its
message asks for: another absent header taken as empty (and said so), functions without annotation taken as device
functions, cooperative groups with all their dependencies, no prelude. What is reported of a failure is the first
attempt's message, at the user's line.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace

from mutate.errors import KmutateError
from mutate.toolchain import worker, workers
from mutate.toolchain.cache import Cache, default_cache, digest
from mutate.toolchain.elf import BadCubinError, Cubin
from mutate.toolchain.includes import HOST_HEADERS, Includes, scan_includes
from mutate.toolchain.locate import INSTALL_HINT, Toolchain, find_toolchain, identity, stub_dir
from mutate.toolchain.messages import Diagnostic, first_error, missing_header, resources, without_report
from mutate.toolchain.options import CompileOptions, Tolerance, check_arch, nvrtc_arguments

DEFAULT_LIMIT = 120.0
# Raise with every change of what a cached result holds.
_FORMAT = "1"
_KIND = "compiled"
# More attempts than this means that a remedy does not help.
_MOST_ATTEMPTS = 12
_HOST_FUNCTION = "host functions are not allowed in JIT mode"
_CLASH = re.compile(r"redeclaration|redefinition|already|ambiguous|more than one|incompatible|kmutate_")


@dataclass(frozen=True)
class Job:
    """One kernel to compile. ``name`` is the path that messages show and whose folder quoted includes start from;

    ``entry`` is a C++ name expression: ``fd3d``, ``ns::kernel``, ``reduce6<512>``.
    """

    source: bytes
    name: str
    entry: str
    options: CompileOptions = field(default_factory=CompileOptions)


@dataclass(frozen=True)
class Compiled:
    """``entry`` is the symbol in the cubin. Bytes per thread for spills and local memory, per block for shared memory;

    spills count the instructions' bytes as ptxas reports them, of the kernel and of the device functions it calls.
    ``constant_banks`` is (bank, bytes). ``log`` has warnings and notes. ``seconds`` is what the compiler took (when it
    ran, not when ``cached``).
    """

    cubin: bytes
    entry: str
    registers: int
    spill_stores: int
    spill_loads: int
    local_bytes: int
    static_smem: int
    barriers: int
    constant_banks: tuple[tuple[int, int], ...]
    log: str
    seconds: float
    cached: bool = False


@dataclass(frozen=True)
class CompileFailed:
    """``log`` is all the compiler said, ``error`` its first error, with file and line as the compiler names them."""

    log: str
    error: Diagnostic
    seconds: float
    cached: bool = False


Result = Compiled | CompileFailed


@dataclass
class _Attempt:
    """The state of one job between attempts."""

    job: Job
    includes: Includes
    tolerance: Tolerance
    key: str
    report: bool = True
    assumed: tuple[str, ...] = ()
    first_log: str | None = None
    seconds: float = 0.0


def compile_program(source: bytes, name: str, entry: str, options: CompileOptions | None = None) -> Result:
    """Compile one kernel. Raises ``KmutateError`` as :func:`compile_many` does."""
    return compile_many([Job(source, name, entry, options or CompileOptions())])[0]


def prestart(count: int | None = None) -> None:
    """Start the compiler processes now, so that they load NVRTC while the caller parses; does nothing without NVRTC."""
    tools = find_toolchain()
    if tools.nvrtc is not None:
        workers.shared_pool(tools.nvrtc).prestart(count)


def compile_many(jobs: Sequence[Job], *, limit: float = DEFAULT_LIMIT, cache: Cache | None = None,
                 progress: Callable[[int], None] | None = None) -> list[Result]:
    """Compile kernels in parallel; one result per job, in order, each independent of the others.

    ``limit`` is in seconds per compile; a job beyond it, or one that crashes the compiler, is a ``CompileFailed``.
    ``progress`` hears the index of each job as it ends, from another thread. Raises ``KmutateError``: ``no-nvrtc``
    without the compiler, ``bad-arch`` and ``unsupported-arch`` for the architecture.
    """
    tools = find_toolchain()
    store = cache or default_cache()
    for arch in {job.options.arch for job in jobs}:
        check_arch(arch)
    results: dict[int, Result] = {}
    open_attempts: dict[int, _Attempt] = {}
    for index, job in enumerate(jobs):
        attempt = _prepare(job, tools)
        known = _decode(store.get(_KIND, attempt.key)) if attempt.key else None
        if known is not None:
            results[index] = known
            if progress:
                progress(index)
        else:
            open_attempts[index] = attempt
    if not open_attempts:
        return [results[i] for i in range(len(jobs))]
    pool = workers.shared_pool(tools.need_nvrtc())
    for _ in range(_MOST_ATTEMPTS):
        indices = list(open_attempts)
        replies = pool.run([_request(open_attempts[i], tools) for i in indices], limit)
        for index, reply in zip(indices, replies, strict=True):
            attempt = open_attempts[index]
            result = _judge(attempt, reply)
            if result is None:
                continue
            del open_attempts[index]
            results[index] = result
            if attempt.key and reply[0] not in (workers.TIMED_OUT, workers.CRASHED, worker.NOT_LOADED):
                store.put(_KIND, attempt.key, _encode(result))
            if progress:
                progress(index)
        if not open_attempts:
            break
    for index, attempt in open_attempts.items():
        results[index] = _failure(attempt.first_log or "", attempt.seconds)
    return [results[i] for i in range(len(jobs))]


def _prepare(job: Job, tools: Toolchain) -> _Attempt:
    """The first attempt, and its cache key: empty when not all that the result depends on can be known."""
    includes = scan_includes(job.source, job.name, job.options.include_dirs, (*tools.include_dirs, stub_dir()))
    tolerance = Tolerance(cccl=includes.cccl, limit_groups=includes.groups,
                          empty_headers=tuple(h for h in includes.missing if h in HOST_HEADERS))
    key = ""
    if not includes.computed:
        arguments = nvrtc_arguments(job.options, tools, tolerance)
        key = digest(_FORMAT, job.source, job.name, job.entry, *arguments, "|", *tolerance.empty_headers,
                     "|", *includes.missing, "|", *(part for file in includes.files for part in file),
                     "|", identity(tools.nvrtc or ""), *map(identity, tools.include_dirs), identity(_prelude()))
    return _Attempt(job, includes, tolerance, key)


def _prelude() -> str:
    return os.path.join(stub_dir(), "kmutate_prelude.h")  # noqa: PTH118 - a plain string is wanted


def _request(attempt: _Attempt, tools: Toolchain) -> worker.Request:
    arguments = nvrtc_arguments(attempt.job.options, tools, attempt.tolerance)
    if not attempt.report:
        arguments = tuple(a for a in arguments if a != "--ptxas-options=-v")
    empty = (*attempt.tolerance.empty_headers, *attempt.assumed)
    return os.getcwd(), attempt.job.source, attempt.job.name, attempt.job.entry, arguments, empty  # noqa: PTH109


def _judge(attempt: _Attempt, reply: worker.Reply) -> Result | None:
    """The job's result, or ``None`` when ``attempt`` was changed for another try."""
    status, log, cubin, entry, archs, seconds = reply
    attempt.seconds += seconds
    if status == worker.NOT_LOADED:
        raise KmutateError("no-nvrtc", f"the CUDA run-time compiler (NVRTC) does not load: {log}", hint=INSTALL_HINT)
    if status == worker.UNSUPPORTED_ARCH:
        known = ", ".join(f"sm_{a}" for a in archs)
        raise KmutateError("unsupported-arch", f"this NVRTC does not compile for {attempt.job.options.arch}",
                           hint=f"it knows {known}")
    if status in (workers.TIMED_OUT, workers.CRASHED):
        return _failure(log, attempt.seconds)
    if status == worker.CANCELLED:
        return _failure("the compiler was stopped after its time limit", attempt.seconds)
    if status == worker.SUCCESS:
        return _success(attempt, log, cubin, entry)
    if attempt.first_log is None or not attempt.report:
        attempt.first_log = log
    if _remedy(attempt, log):
        return None
    return _failure(attempt.first_log, attempt.seconds)


def _remedy(attempt: _Attempt, log: str) -> bool:
    """Change what the next attempt tolerates, as the message asks for; ``False`` when there is nothing left to try."""
    tolerance, problem = attempt.tolerance, first_error(log)
    header = missing_header(log)
    if header is not None and header not in attempt.assumed:
        attempt.assumed += (header,)
        if header in HOST_HEADERS:
            # One of the toolkit's own headers wanted it; what comes after it is the news.
            attempt.first_log = None
        return True
    if _HOST_FUNCTION in log and not tolerance.unannotated_is_device:
        attempt.tolerance = replace(tolerance, unannotated_is_device=True)
        return True
    if attempt.includes.groups and tolerance.limit_groups:
        attempt.tolerance = replace(tolerance, limit_groups=False, cccl=True)
        return True
    if tolerance.prelude and _CLASH.search(log):
        attempt.tolerance = replace(tolerance, prelude=False)
        return True
    if problem is None and attempt.report:
        # With ptxas' report asked for, NVRTC withholds ptxas' errors.
        attempt.report = False
        return True
    return False


def _success(attempt: _Attempt, log: str, image: bytes, entry: str) -> Result:
    try:
        cubin = Cubin(image)
        kernel = cubin.kernel(entry)
    except BadCubinError as error:
        return _failure(f"the compiler returned no usable machine code: {error}", attempt.seconds)
    report = resources(log, entry)
    notes = [f"note: header {name} was not found and was taken as empty"
             for name in attempt.assumed if name not in HOST_HEADERS]
    return Compiled(
        cubin=image,
        entry=entry,
        registers=report.registers if report else kernel.registers,
        # Without a report all local memory counts as spilled once: more cannot be known.
        spill_stores=report.spill_stores if report else kernel.local_bytes,
        spill_loads=report.spill_loads if report else kernel.local_bytes,
        local_bytes=kernel.local_bytes,
        static_smem=report.static_smem if report else kernel.static_smem,
        barriers=report.barriers if report else 0,
        constant_banks=kernel.constant_banks,
        log="\n".join([*notes, without_report(log)]).strip(),
        seconds=attempt.seconds,
    )


def _failure(log: str, seconds: float) -> CompileFailed:
    text = without_report(log)
    error = first_error(text) or Diagnostic(None, None, None, text.splitlines()[0] if text else
                                            "the compiler failed without a message")
    return CompileFailed(text, error, seconds)


def _encode(result: Result) -> bytes:
    fields = asdict(result)
    image: bytes = fields.pop("cubin", b"")
    return json.dumps(fields).encode() + b"\0" + image


def _decode(data: bytes | None) -> Result | None:
    if data is None:
        return None
    head, _, image = data.partition(b"\0")
    try:
        fields = json.loads(head)
        fields["cached"] = True
        if "error" in fields:
            return CompileFailed(**{**fields, "error": Diagnostic(**fields["error"])})
        fields["constant_banks"] = tuple((int(bank), int(size)) for bank, size in fields["constant_banks"])
        return Compiled(cubin=image, **fields)
    except (ValueError, TypeError, KeyError):
        return None

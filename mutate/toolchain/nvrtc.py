"""Compiles CUDA device code to a cubin, without a GPU and without nvcc.

A source that nvcc takes is not always one that NVRTC takes, which knows no host code and no host headers. So a
prelude gives what nvcc's implicit headers give, absent host headers are empty, and a failed compile is tried again
the way its message asks for: another absent header taken as empty (and said so), functions without annotation taken
as device functions, C++14 where `register` is used, cooperative groups with all their dependencies, no prelude, the
project's headers as they are on disk. What is reported of a failure is the first attempt's message, at the user's line.
"""

from __future__ import annotations

import json
import os
import queue
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from mutate.errors import KmutateError
from mutate.source import without_compound_literals, without_lambda_spaces
from mutate.toolchain import worker, workers
from mutate.toolchain.cache import Cache, default_cache, digest
from mutate.toolchain.constants import as_constant_expressions
from mutate.toolchain.elf import BadCubinError, Cubin
from mutate.toolchain.includes import HOST_HEADERS, Includes, scan_includes
from mutate.toolchain.locate import INSTALL_HINT, Toolchain, find_toolchain, first_stub_dir, identity, stub_dir
from mutate.toolchain.messages import Diagnostic, first_error, missing_header, resources, without_report
from mutate.toolchain.names import line_name, needs_line_name
from mutate.toolchain.options import CompileOptions, Tolerance, check_arch, nvrtc_arguments

DEFAULT_LIMIT = 120.0
# Raise with every change of what a cached result holds.
_FORMAT = "2"
_KIND = "compiled"
# Raise with every remedy that is added: a failure that is known was met with fewer.
_REMEDIES = 5
# After a job that ran into its limit the others get this part of it.
_LESS_PATIENT = 10
# More attempts than this means that a remedy does not help.
_MOST_ATTEMPTS = 12
_NOT_CONSTANT = "dynamic initialization is not supported for a __device__ variable"
# Input and output of complex numbers, which needs the host's library.
_FOR_THE_HOST = "thrust/detail/complex/stream.h"
_HOST_FUNCTION = "host functions are not allowed in JIT mode"
# Of what NVRTC does not declare with --minimal, what kernels use; the rest is found out by failing.
_NOT_MINIMAL = re.compile(rb"\b(?:cuda(?:Texture|Surface)\w*|(?:tex|surf)(?:[123C]\w*|ture\w*|ace\w*|ref\w*))\b")
# No C++17, and nothing that would be worth an error: older sources are full of it, and nvcc lets it pass.
_OLD_KEYWORD = 'use of the "register" storage class specifier is not allowed'
_MARK = b"\xef\xbb\xbf"
# What is well-formed stays; each byte above ASCII that is not stands alone.
_NOT_UTF8 = re.compile(rb"((?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
                       rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
                       rb"|\xf4[\x80-\x8f][\x80-\xbf]{2})+)|[\x80-\xff]")
_CLASH = re.compile(r"redeclaration|redefinition|already|ambiguous|more than one|incompatible|kmutate_")


@dataclass(frozen=True)
class Job:
    """One kernel to compile. ``name`` is the path that messages show and whose folder quoted includes start from;

    ``entry`` is a C++ name expression: ``fd3d``, ``ns::kernel``, ``reduce6<512>``. ``headers`` are (name in an
    ``#include``, text) of headers that are taken in place of what is on disk.
    """

    source: bytes
    name: str
    entry: str
    options: CompileOptions = field(default_factory=CompileOptions)
    headers: tuple[tuple[str, bytes], ...] = ()


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
    """``log`` is all the compiler said, ``error`` its first error, with file and line as the compiler names them.

    ``last``: what it said when it was tried for the last time, where that is something else.
    """

    log: str
    error: Diagnostic
    seconds: float
    cached: bool = False
    last: str = ""


Result = Compiled | CompileFailed


@dataclass
class _Attempt:
    """The state of one job between attempts."""

    job: Job
    includes: Includes
    tolerance: Tolerance
    key: str
    report: bool = True
    in_memory: bool = True
    constants: bool = False
    """Whether constants that are computed are made ``constexpr``."""
    assumed: tuple[str, ...] = ()
    first_log: str | None = None
    blanked_log: str | None = None
    """What was wrong at last with host code of headers blanked."""
    seconds: float = 0.0
    count: int = 0

    def forget(self) -> bool:
        """What the next attempt says is the news; not where it reads host code again, which was no news before."""
        if self.in_memory:
            self.first_log = None
        return True


def compile_program(source: bytes, name: str, entry: str, options: CompileOptions | None = None) -> Result:
    """Compile one kernel. Raises ``KmutateError`` as :func:`compile_many` does."""
    return compile_many([Job(source, name, entry, options or CompileOptions())])[0]


class Compiler:
    """Compiles kernels in other processes while the caller goes on; equal jobs are compiled once.

    ``limit`` is in seconds per compile; a job beyond it, or one that crashes the compiler, is a ``CompileFailed``.
    """

    def __init__(self, *, limit: float = DEFAULT_LIMIT, cache: Cache | None = None) -> None:
        self.limit = limit
        self.submitted = 0
        self.finished = 0
        self.compiled = 0
        """How many results did not come from the cache."""
        self._tools = find_toolchain()
        self._store = cache or default_cache()
        self._pool: workers.Pool | None = None
        self._seconds_before = 0.0
        self._results: dict[Job, Result] = {}
        self._waiting: dict[Job, list[Callable[[Result], None]]] = {}
        self._ended: queue.SimpleQueue[tuple[Job, Result | Exception]] = queue.SimpleQueue()

    def submit(self, job: Job, then: Callable[[Result], None] | None = None) -> None:
        """Compile a job; ``run`` gives its result to ``then``. Never waits.

        Raises ``KmutateError``: ``no-nvrtc`` without the compiler, ``bad-arch`` for what names no architecture.
        """
        wanted = [then] if then else []
        if job in self._waiting:
            self._waiting[job] += wanted
            return
        self._waiting[job] = wanted
        self.submitted += 1
        if job in self._results:
            self._ended.put((job, self._results[job]))
            return
        check_arch(job.options.arch)
        attempt = _prepare(job, self._tools)
        known = _decode(self._store.get(_KIND, attempt.key)) if attempt.key else None
        if known is not None:
            self._ended.put((job, known))
            return
        if self._pool is None:
            self._pool = workers.shared_pool(self._tools.need_nvrtc())
            self._pool.patience = float("inf")
            self._seconds_before = self._pool.seconds
        self.compiled += 1
        self._pool.submit(_request(attempt, self._tools), self.limit, lambda reply: self._hear(attempt, reply))

    def _hear(self, attempt: _Attempt, reply: worker.Reply) -> worker.Request | None:
        """In a thread of the pool: the request for another attempt, or ``None`` when the job has its result."""
        if reply[0] == workers.TIMED_OUT and self._pool is not None:
            # The other jobs are most often variants of the same text.
            self._pool.patience = self.limit / _LESS_PATIENT
        try:
            result = _judge(attempt, reply)
            attempt.count += 1
            if result is None and attempt.count < _MOST_ATTEMPTS:
                return _request(attempt, self._tools)
            result = result or _failure(attempt.first_log or "", attempt.seconds)
            if attempt.key and reply[0] not in (workers.TIMED_OUT, workers.CRASHED, worker.NOT_LOADED):
                self._store.put(_KIND, attempt.key, _encode(result))
            self._ended.put((attempt.job, result))
        except Exception as error:
            # For the thread that waits: without an answer it would wait for ever.
            self._ended.put((attempt.job, error))
        return None

    def run(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Hands results to those who wait for them, as they come, until none is open; these may submit more.

        ``progress`` hears how many jobs are done, and of how many. Raises ``KmutateError`` ``no-nvrtc`` when NVRTC
        does not load and ``unsupported-arch`` when it does not know the architecture.
        """
        try:
            while self._waiting:
                job, result = self._ended.get()
                if isinstance(result, Exception):
                    raise result
                self.finished += 1
                self._results[job] = result
                if progress:
                    progress(self.finished, self.submitted)
                for then in self._waiting.pop(job):
                    then(result)
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Forget what is open and kill what runs (also after Ctrl-C)."""
        if self._waiting and self._pool is not None:
            self._pool.close()
        self._waiting.clear()

    @property
    def seconds(self) -> float:
        """Wall time during which at least one compile was under way."""
        return self._pool.seconds - self._seconds_before if self._pool else 0.0


def compile_many(jobs: Sequence[Job], *, limit: float = DEFAULT_LIMIT, cache: Cache | None = None) -> list[Result]:
    """Compile kernels in parallel; one result per job, in order, each independent of the others.

    Limit and errors as for :class:`Compiler`.
    """
    compiler = Compiler(limit=limit, cache=cache)
    results: dict[int, Result] = {}
    for index, job in enumerate(jobs):
        compiler.submit(job, partial(results.__setitem__, index))
    compiler.run()
    return [results[i] for i in range(len(jobs))]


def _prepare(job: Job, tools: Toolchain) -> _Attempt:
    """The first attempt, and its cache key: empty when not all that the result depends on can be known."""
    first = "".join(f'#include "{path}"\n' for path in job.options.pre_includes).encode(errors="surrogateescape")
    includes = scan_includes(first + job.source, job.name, job.options.include_dirs,
                             (first_stub_dir(), *tools.include_dirs, stub_dir()))
    tolerance = Tolerance(cccl=includes.cccl, limit_groups=includes.groups,
                          minimal=includes.plain and not _NOT_MINIMAL.search(job.source),
                          empty_headers=(*(h for h in includes.missing if h in HOST_HEADERS),
                                         *([_FOR_THE_HOST] if includes.cccl else [])))
    key = ""
    if not includes.computed:
        arguments = nvrtc_arguments(job.options, tools, tolerance)
        key = digest(_FORMAT, _named_line(job) + job.source, job.name, job.entry, *arguments,
                     "|", *tolerance.empty_headers, "|", *(part for header in job.headers for part in header),
                     "|", *includes.missing, "|", *(part for file in includes.files for part in file),
                     "|", identity(tools.nvrtc or ""), *map(identity, tools.include_dirs), identity(_prelude()))
    return _Attempt(job, includes, tolerance, key)


def _prelude() -> str:
    return os.path.join(stub_dir(), "kmutate_prelude.h")  # noqa: PTH118 - a plain string is wanted


def _request(attempt: _Attempt, tools: Toolchain) -> worker.Request:
    arguments = nvrtc_arguments(attempt.job.options, tools, attempt.tolerance)
    if not attempt.report:
        arguments = tuple(a for a in arguments if a != "--ptxas-options=-v")
    headers = dict.fromkeys((*attempt.tolerance.empty_headers, *attempt.assumed), b"\n")
    if attempt.in_memory:
        headers.update((name, _readable(text)) for name, text in attempt.job.headers)
    job = attempt.job
    source = _named_line(job) + _readable(job.source)
    if attempt.constants:
        source, *texts = as_constant_expressions([source, *headers.values()])
        headers = dict(zip(headers, texts, strict=True))
    return os.getcwd(), source, job.name, job.entry, arguments, tuple(headers.items())  # noqa: PTH109


def _named_line(job: Job) -> bytes:
    """What gives the text another name where the line table is asked for and cannot have its own."""
    if "-lineinfo" not in job.options.extra or not needs_line_name(job.name):
        return b""
    return f'#line 1 "{line_name(job.name)}"\n'.encode()


def _users_names(log: str, job: Job) -> str:
    """The log with files called what the user calls them."""
    for name in (job.name, *(h for h, _ in job.headers)):
        if needs_line_name(name):
            log = log.replace(line_name(name), name)
    return log


def _readable(source: bytes) -> bytes:
    """The source as NVRTC takes it, byte for byte as long: no byte-order mark, nothing but UTF-8, nothing of nvcc's.

    NVRTC takes the mark for a token, and of a text that is not UTF-8 it does not find the entry again.
    """
    source = without_compound_literals(without_lambda_spaces(source))
    if source.startswith(_MARK):
        source = b" " * len(_MARK) + source[len(_MARK) :]
    try:
        source.decode()
    except UnicodeDecodeError:
        return _NOT_UTF8.sub(lambda m: m.group(1) or b"?" * len(m.group()), source)
    return source


def _judge(attempt: _Attempt, reply: worker.Reply) -> Result | None:
    """The job's result, or ``None`` when ``attempt`` was changed for another try."""
    status, log, cubin, entry, archs, seconds = reply
    log = _users_names(log, attempt.job)
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
    if attempt.first_log is None or (not attempt.report and attempt.in_memory):
        attempt.first_log = log
    if _remedy(attempt, log):
        return None
    return _failure(attempt.first_log, attempt.seconds, attempt.blanked_log or log)


def _remedy(attempt: _Attempt, log: str) -> bool:
    """Change what the next attempt tolerates, as the message asks for; ``False`` when there is nothing left to try."""
    tolerance, problem = attempt.tolerance, first_error(log)
    if tolerance.minimal:
        # What is wrong is what is wrong with all declarations.
        attempt.tolerance = replace(tolerance, minimal=False)
        return attempt.forget()
    header = missing_header(log)
    if header is not None and header not in attempt.assumed:
        attempt.assumed += (header,)
        if header in HOST_HEADERS:
            # One of the toolkit's own headers wanted it; what comes after it is the news.
            attempt.forget()
        return True
    if _HOST_FUNCTION in log and not tolerance.unannotated_is_device:
        # It is met by that: what comes after it is the news.
        attempt.tolerance = replace(tolerance, unannotated_is_device=True)
        return attempt.forget()
    if _NOT_CONSTANT in log and not attempt.constants:
        attempt.constants = True
        return attempt.forget()
    if _OLD_KEYWORD in log and attempt.job.options.std is None and not tolerance.old_dialect:
        attempt.tolerance = replace(tolerance, old_dialect=True)
        return attempt.forget()
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
    if attempt.job.headers and attempt.in_memory:
        # What looked like the host's may be needed: where a macro that nobody knows makes a declaration, for example.
        attempt.in_memory, attempt.report, attempt.blanked_log = False, True, log
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


def _failure(log: str, seconds: float, last: str = "") -> CompileFailed:
    text = without_report(log)
    error = first_error(text) or Diagnostic(None, None, None, text.splitlines()[0] if text else
                                            "the compiler failed without a message")
    return CompileFailed(text, error, seconds, last=without_report(last) if last != log else "")


def _encode(result: Result) -> bytes:
    fields = asdict(result)
    image: bytes = fields.pop("cubin", b"")
    if isinstance(result, CompileFailed):
        fields["remedies"] = _REMEDIES
    return json.dumps(fields).encode() + b"\0" + image


def _decode(data: bytes | None) -> Result | None:
    if data is None:
        return None
    head, _, image = data.partition(b"\0")
    try:
        fields = json.loads(head)
        fields["cached"] = True
        if "error" in fields:
            if fields.pop("remedies", 0) != _REMEDIES:
                return None
            return CompileFailed(**{**fields, "error": Diagnostic(**fields["error"])})
        fields["constant_banks"] = tuple((int(bank), int(size)) for bank, size in fields["constant_banks"])
        return Compiled(cubin=image, **fields)
    except (ValueError, TypeError, KeyError):
        return None

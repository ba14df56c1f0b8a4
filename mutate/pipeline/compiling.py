"""The first thing a run does: compilers start, and compile the originals while everything else is still being loaded.

So this imports little, and nothing of the mutations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from mutate.errors import KmutateError
from mutate.frontend.headers import Headers
from mutate.frontend.preprocess import blank_comments
from mutate.frontend.units import Function, Unit
from mutate.frontend.view import device_text, host_spans
from mutate.results import Request
from mutate.source import Lines, Span
from mutate.toolchain.includes import BUILT_IN, HOST_HEADERS
from mutate.toolchain.locate import find_toolchain
from mutate.toolchain.messages import first_error
from mutate.toolchain.nvrtc import CompileFailed, Compiler, Job, Result
from mutate.toolchain.options import CompileOptions

_WORD = re.compile(r"\w+")


class Compiling:
    """The compiler of one run, with the request's options. ``file`` is the name that messages show.

    ``headers`` are taken in place of those on disk.
    """

    def __init__(self, request: Request, headers: Headers) -> None:
        self.file = str(request.path)
        self.options = CompileOptions(arch=request.arch, defines=request.defines, include_dirs=request.include_dirs,
                                      std=request.dialect, maxrregcount=request.maxrregcount,
                                      use_fast_math=request.use_fast_math, pre_includes=request.pre_includes)
        self.compiler = Compiler()
        self.headers = headers

    def submit(self, source: bytes, entry: str, then: Callable[[Result], None] | None = None) -> None:
        """Compile what NVRTC gets of a kernel; without ``then`` to have it done when it is asked for."""
        options, headers = self.options, self.headers.texts(entry)
        if headers:
            options = replace(options, extra=(*options.extra, *(f"-I{folder}" for folder in self.headers.folders)))
        self.compiler.submit(Job(source, self.file, entry, options, headers), then)

    def early(self, kernel: Function, source: bytes) -> None:
        """Compile a kernel, or a variant of it, before anything is known of its launches.

        Those say with which arguments a template is instantiated, so templates wait.
        """
        if not kernel.is_template:
            self.submit(source, kernel.qualified)


def project_headers(request: Request, unit: Unit) -> Headers:
    """The unit's own headers with their host code blanked."""
    return Headers(unit, request.include_dirs, request.pre_includes)


def device_source(unit: Unit, kernel: Function) -> bytes:
    """The unit's text with its host code blanked: what NVRTC gets of an original."""
    return device_text(unit.source, host_spans(unit, kernel, _any_header))


def _any_header(path: str) -> bool:
    """The toolchain gives NVRTC an empty header for a host header it lacks, so all may stay."""
    del path
    return True


def original_error(kernel: str, result: CompileFailed, arch: str, file: str, source: bytes,
                   missing: Sequence[str] = ()) -> KmutateError:
    """What the user is told of a kernel that does not compile, at the compiler's place in ``source``.

    ``missing``: project's headers that were not found.
    """
    error = result.error
    lines = Lines(source)
    span: Span | None = None
    in_source = error.line if error.line is not None and error.file in (None, "", file) else 0
    if 0 < in_source <= len(lines) and error.line is not None:
        start = lines.start_of(error.line)
        text = lines.text(error.line)
        indent = len(text) - len(text.lstrip())
        if error.column is not None and error.column <= len(text):
            word = _WORD.match(text, error.column - 1)
            at = len(text[: error.column - 1].encode())
            span = Span(start + at, start + at + (len(word.group().encode()) if word else 1))
        else:
            span = Span(start + indent, start + max(indent + 1, len(text.rstrip().encode())))
    return KmutateError("original-does-not-compile", f"kernel {kernel} does not compile for {arch}: {error.message}",
                        file=file, source=source if span is not None else None, span=span,
                        where=None if span is not None or error.file is None else f"{error.file}:{error.line}",
                        hint="".join((_hint(error.message, arch, source, in_source), _after_all(result),
                                      _not_found(error.message, missing))))


def _not_found(message: str, missing: Sequence[str]) -> str:
    """Headers without which something may be undefined; one that the message names is said already."""
    folders = find_toolchain().include_dirs
    names = [m for m in missing if f'"{m}"' not in message and m not in HOST_HEADERS and m not in BUILT_IN
             and not any((Path(folder) / m).exists() for folder in folders)]
    if not names:
        return ""
    shown = ", ".join(names[:_MOST_SHOWN]) + (f" and {len(names) - _MOST_SHOWN} more" if names[_MOST_SHOWN:] else "")
    return f"; not found, and taken as empty: {shown} (-I names the folder; is it generated, or a git submodule?)"


_MOST_SHOWN = 4
_ENDED = re.compile(r'identifier "(__(?:shfl(?:_up|_down|_xor)?|any|all|ballot))" is undefined')
_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined')
_TOOLKIT = re.compile(r'cannot open source file "((?:curand|cublas|cufft|cusparse|cusolver|npp|nvml|cudnn)\w*\.h)"')


def _after_all(result: CompileFailed) -> str:
    """What is wrong even with an empty file in place of a header that nobody has."""
    then = first_error(result.last) if "cannot open source file" in result.error.message else None
    if then is None or then.message == result.error.message:
        return ""
    where = f"{then.file}:{then.line}: " if then.file and then.line else ""
    return f" (taken as empty, what is left is: {where}{then.message})"


_EXTERN = re.compile(r"Unresolved extern (?:function|variable)")
_WITHOUT_SYNC = re.compile(r"Instruction '(\w+)' without '\.sync' is not supported")
_CONDITION = re.compile(rb"[ \t]*#[ \t]*(if(?:n?def)?|elif|else|endif)\b[^\n]*")


def _left_out(name: str, source: bytes, before: int) -> tuple[int, str, int] | None:
    """Where something undefined stands under a condition ``before`` a line: its line, the ``#if``, that one's line."""
    word = re.compile(rb"\b" + name.encode() + rb"\s*[(\[={;]")
    around: list[tuple[str, int]] = []
    for number, line in enumerate(blank_comments(source).split(b"\n")[: max(before - 1, 0)], 1):
        directive = _CONDITION.match(line)
        if directive is None:
            if word.search(line) is not None:
                return (number, *around[-1]) if around else None
        elif directive[1].startswith(b"if"):
            around.append((directive[0].decode(errors="replace").strip(), number))
        elif around:
            around.pop()
            if directive[1] != b"endif":
                around.append((directive[0].decode(errors="replace").strip(), number))
    return None


def _hint(message: str, arch: str, source: bytes, line: int) -> str:
    """What to do next. ``line``: of the message, where it is in ``source``, else 0.

    Older sources use what current compilers no longer have.
    """
    if (found := _ENDED.search(message)) is not None:
        return (f"nvcc has no {found[1]} for {arch} either; {found[1]}_sync takes its place, and "
                f"-D '{found[1]}(...)={found[1]}_sync(0xffffffffu, __VA_ARGS__)' compiles the file as it is")
    if (found := _UNDEFINED.search(message)) is not None and re.search(
            rb"\btexture\s*<[^<>;]*>\s*" + found[1].encode() + rb"\b", source):
        return (f"{found[1]} is a texture reference, which CUDA 12 no longer has: a texture object "
                "(cudaTextureObject_t) takes its place")
    if "texture is not a template" in message:
        return ("texture references are what CUDA 12 no longer has: texture objects (cudaTextureObject_t) take their "
                "place, or a -D of the project leaves them out")
    if (found := _WITHOUT_SYNC.search(message)) is not None:
        return (f"nvcc does not take {found[1]} in inline PTX for {arch} either: {found[1]}.sync with a mask of lanes "
                "takes its place")
    if (found := _UNDEFINED.search(message)) is not None and (
            left := _left_out(found[1], source, line)) is not None:
        return (f"{found[1]} stands in line {left[0]}, which `{left[1]}` (line {left[2]}) leaves out: set -D "
                "as your build does")
    if _EXTERN.search(message) is not None:
        return ("it is defined in another file, which nvcc -rdc=true links; one file is compiled here: give one that "
                "includes both, such as  #include \"that.cu\"  before  #include \"this.cu\"")
    if (found := _TOOLKIT.search(message)) is not None:
        return f"{found[1]} comes with the CUDA toolkit: CUDA_HOME names one that has it, or -I its include folder"
    return ("set -I, -D, -std or -arch as your build does; kmutate variants --no-verify writes variants unproven")

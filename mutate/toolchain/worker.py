"""A thin ctypes binding of NVRTC, and the loop of a compiler process that serves it over stdin and stdout.

Run as a script by ``workers.Pool`` (isolated, without site-packages: it may import the standard library only), so that
a crash or a hang of the compiler costs one result and not the whole run. ctypes releases the GIL during each call.

A request is a marshalled tuple ``(cwd, source, name, entry, argv, headers)``, the last being (name in an ``#include``,
text) of headers that are in memory; the reply a marshalled tuple
``(status, log, cubin, lowered_entry, supported_archs, seconds)`` with NVRTC's result code as status.
"""

from __future__ import annotations

import contextlib
import ctypes
import marshal
import os
import signal
import sys
import threading
import time

SUCCESS = 0
CANCELLED = 16
# Codes of ours, beside NVRTC's: the library does not load; the architecture is not one it knows.
NOT_LOADED = -1
UNSUPPORTED_ARCH = -2

MEMORY = 16 << 30
"""Bytes of address space that a compiler may take."""
_PARENT_CHECK_SECONDS = 2.0

Request = tuple[str, bytes, str, str, tuple[str, ...], tuple[tuple[str, bytes], ...]]
Reply = tuple[int, str, bytes, str, tuple[int, ...], float]

_FlowCallback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def _load_builtins(path: str) -> None:
    """Loads the library of device functions that lies beside NVRTC.

    NVRTC opens it by its bare name. Some wheels (13.0, which PyTorch brings along) do not tell the loader where that
    is; what is loaded already is found by its name.
    """
    folder = os.path.dirname(path)  # noqa: PTH120 - pathlib takes longer to import than all the rest of this
    try:
        names = [n for n in os.listdir(folder) if n.startswith("libnvrtc-builtins.so")] if folder else []  # noqa: PTH208
        for name in names:
            ctypes.CDLL(os.path.join(folder, name))  # noqa: PTH118
    except OSError:
        return  # NVRTC says it better, if it matters


def _bytes(text: str) -> bytes:
    """As the system has it: names of files need not be UTF-8."""
    return text.encode(errors="surrogateescape")


class Nvrtc:
    """One loaded NVRTC. ``compile`` may be called from several threads at once."""

    def __init__(self, path: str) -> None:
        _load_builtins(path)
        self._lib = ctypes.CDLL(path)
        # All handles are opaque pointers; without this a 64-bit handle passed back by value would be cut to an int.
        for name in ("nvrtcCompileProgram", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "nvrtcGetCUBINSize",
                     "nvrtcGetCUBIN", "nvrtcAddNameExpression", "nvrtcGetLoweredName"):
            getattr(self._lib, name).restype = ctypes.c_int
        self._lib.nvrtcGetErrorString.restype = ctypes.c_char_p
        self.archs = self._supported_archs()

    def _supported_archs(self) -> tuple[int, ...]:
        count = ctypes.c_int()
        if self._lib.nvrtcGetNumSupportedArchs(ctypes.byref(count)) != SUCCESS:
            return ()
        archs = (ctypes.c_int * count.value)()
        self._lib.nvrtcGetSupportedArchs(archs)
        return tuple(archs)

    def compile(self, request: Request, limit: float | None = None) -> Reply:
        """Compile one program. ``limit`` in seconds cancels it between compiler phases, where NVRTC is new enough."""
        _, source, name, entry, argv, headers = request
        start = time.perf_counter()
        wanted = next((a.partition("=sm_")[2] for a in argv if a.startswith("--gpu-architecture=sm_")), "")
        if self.archs and int("".join(c for c in wanted if c.isdigit()) or 0) not in self.archs:
            return UNSUPPORTED_ARCH, "", b"", "", self.archs, 0.0
        lib, program = self._lib, ctypes.c_void_p()
        names = (ctypes.c_char_p * len(headers))(*[_bytes(h) for h, _ in headers])
        bodies = (ctypes.c_char_p * len(headers))(*[text for _, text in headers])
        status = lib.nvrtcCreateProgram(ctypes.byref(program), source, _bytes(name), len(headers), bodies, names)
        if status != SUCCESS:
            return status, self._error(status), b"", "", self.archs, 0.0
        try:
            status = lib.nvrtcAddNameExpression(program, _bytes(entry)) if entry else SUCCESS
            deadline = None if limit is None else start + limit
            callback = _FlowCallback(lambda *_: int(deadline is not None and time.perf_counter() > deadline))
            if deadline is not None and hasattr(lib, "nvrtcSetFlowCallback"):
                lib.nvrtcSetFlowCallback(program, callback, None)
            options = (ctypes.c_char_p * len(argv))(*[_bytes(a) for a in argv])
            if status == SUCCESS:
                status = lib.nvrtcCompileProgram(program, len(argv), options)
            log = self._text(program, "ProgramLog").decode(errors="replace")
            cubin, lowered = b"", ctypes.c_char_p(b"")
            if status == SUCCESS and entry:
                status = lib.nvrtcGetLoweredName(program, _bytes(entry), ctypes.byref(lowered))
            if status == SUCCESS:
                cubin = self._text(program, "CUBIN")
            else:
                log = log or self._error(status)
            return status, log, cubin, (lowered.value or b"").decode(), self.archs, time.perf_counter() - start
        finally:
            lib.nvrtcDestroyProgram(ctypes.byref(program))

    def _error(self, status: int) -> str:
        return str((self._lib.nvrtcGetErrorString(status) or b"").decode())

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        if getattr(self._lib, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) != SUCCESS or size.value == 0:
            return b""
        buffer = ctypes.create_string_buffer(size.value)
        if getattr(self._lib, f"nvrtcGet{what}")(program, buffer) != SUCCESS:
            return b""
        return buffer.raw if what == "CUBIN" else buffer.value


def _follow_parent(parent: int) -> None:
    """End with the parent, also in the middle of a long compile, when it was killed without a word."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)


def _limit_memory() -> None:
    """A text that makes the compiler take all memory ends this process, and nothing else on the machine."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # POSIX only

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY if most < 0 else min(MEMORY, most), most))


def serve(path: str) -> None:
    """Answer requests until stdin ends. The library is loaded at once, so that a worker started early is ready."""
    _limit_memory()
    threading.Thread(target=_follow_parent, args=(os.getppid(),), daemon=True).start()
    # Ctrl-C goes to the whole process group; the parent decides what happens to its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints must not end up between replies
    try:
        nvrtc, problem = Nvrtc(path), ""
    except (OSError, AttributeError) as error:
        nvrtc, problem = None, str(error)
    while True:
        try:
            request = marshal.load(requests)
        except EOFError:
            return
        if nvrtc is None:
            reply: Reply = (NOT_LOADED, problem, b"", "", (), 0.0)
        else:
            with contextlib.suppress(OSError):
                os.chdir(request[0])
            reply = nvrtc.compile(request)
        marshal.dump(reply, replies)
        replies.flush()


if __name__ == "__main__":
    serve(sys.argv[1])

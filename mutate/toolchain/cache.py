"""A content-addressed store of bytes on disk, for compile results, disassembly and whatever else is slow to make.

A key is a digest of everything that a result depends on, so entries never go stale, only old. An entry is written
to a temporary file and renamed, carries a digest of its payload, and is ignored when that does not match. Nothing
here ever fails a command: a cache that cannot be written is a cache that is always empty.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from functools import cache as _once
from pathlib import Path

ENVIRONMENT = "KMUTATE_CACHE"
LIMIT_BYTES = 512 * 2**20
# Looking at every entry costs a directory walk, so it is done at most this often (seconds), or after this much growth.
_PRUNE_EVERY = 3600.0
_PRUNE_AFTER_BYTES = 64 * 2**20
_MAGIC = b"kmutate1"
_STAMP = ".pruned"
_TEXT = "text"


def digest(*parts: bytes | str | int | None) -> str:
    """SHA-256 of a sequence of parts as 64 hex digits; ("ab", "c") and ("a", "bc") differ, so do 1, "1" and b"1"."""
    import hashlib

    state = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else repr(part).encode(errors="surrogateescape")
        state.update(b"%s%d:" % (b"b" if isinstance(part, bytes) else b"r", len(raw)))
        state.update(raw)
    return state.hexdigest()


class Cache:
    """Entries below one folder, or none at all when ``folder`` is ``None``. Safe for many threads and processes."""

    def __init__(self, folder: Path | None, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._written = 0
        self._lock = threading.Lock()

    def _path(self, kind: str, key: str) -> Path | None:
        return None if self.folder is None else self.folder / kind / key[:2] / key[2:]

    def get(self, kind: str, key: str) -> bytes | None:
        """What was put under a key of :func:`digest`, or ``None`` when it is absent or damaged."""
        path = self._path(kind, key)
        if path is None:
            return None
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        start = len(_MAGIC) + 32
        if raw[: len(_MAGIC)] != _MAGIC or raw[len(_MAGIC) : start] != _checksum(raw[start:]):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        # The prune removes what was not used for longest.
        with contextlib.suppress(OSError):
            os.utime(path)
        return raw[start:]

    def put(self, kind: str, key: str, data: bytes) -> None:
        """Store bytes under a key of :func:`digest`; a failure to write is silent."""
        path = self._path(kind, key)
        if path is None or self.folder is None:
            return
        import tempfile

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MAGIC + _checksum(data) + data)
                Path(temporary).replace(path)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
                raise
        except OSError:
            return
        with self._lock:
            self._written += len(data)
            due = self._written >= min(_PRUNE_AFTER_BYTES, self.limit_bytes)
            if due:
                self._written = 0
        if due or self._stamp_is_old():
            self.prune()

    def _stamp_is_old(self) -> bool:
        if self.folder is None:
            return False
        try:
            return time.time() - (self.folder / _STAMP).stat().st_mtime > _PRUNE_EVERY
        except OSError:
            # A new cache: nothing to remove yet, but the clock starts.
            with contextlib.suppress(OSError):
                (self.folder / _STAMP).touch()
            return False

    def prune(self) -> None:
        """Remove the entries that were not used for longest until the rest is below the limit."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            (self.folder / _STAMP).touch()
        entries: list[tuple[float, int, str]] = []
        for root, _, names in os.walk(self.folder):
            for name in names:
                if name == _STAMP:
                    continue
                path = os.path.join(root, name)  # noqa: PTH118 - thousands of entries: Path objects are slow
                with contextlib.suppress(OSError):
                    info = os.stat(path)  # noqa: PTH116
                    entries.append((info.st_mtime, info.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit_bytes:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)  # noqa: PTH108
                total -= size


def _checksum(data: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(data).digest()


@_once
def _cache_at(setting: str | None) -> Cache:
    if setting is not None:
        return Cache(None if setting.lower() in ("", "off", "0", "no", "none") else Path(setting).absolute())
    import platformdirs

    return Cache(Path(platformdirs.user_cache_dir("kmutate")))


def default_cache() -> Cache:
    """The user's cache, the folder that ``KMUTATE_CACHE`` names, or none when it says ``off``."""
    return _cache_at(os.environ.get(ENVIRONMENT))


@_once
def _program() -> str:
    """Changes with every change of this package: names, sizes and times of its files."""
    found, todo = [], [str(Path(__file__).parent.parent)]
    while todo:
        for entry in os.scandir(todo.pop()):
            if entry.name.endswith(".py"):
                info = entry.stat()
                found.append((entry.path, info.st_size, info.st_mtime_ns))
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                todo.append(entry.path)
    return digest(repr(sorted(found)))


def cached_text(inputs: tuple[object, ...], make: Callable[[], str]) -> str:
    """A text from the cache, or made and put there.

    ``inputs`` is all that it depends on beside the code of this package, told apart by ``repr``.
    """
    store = default_cache()
    key = digest(_program(), *map(repr, inputs))
    known = store.get(_TEXT, key)
    if known is not None:
        return known.decode(errors="surrogateescape")
    text = make()
    store.put(_TEXT, key, text.encode(errors="surrogateescape"))
    return text

"""Reads what a user names as a file. What is none (a named pipe, a device, a folder) is an error, never waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 8 << 20
"""Of a source, a declaration or a machine file. Nobody writes that much by hand."""
_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


class NotAFileError(OSError):
    """It is there, and neither file nor folder. ``strerror`` says which of them: "it is a named pipe and no file"."""


def require_file(path: str | Path) -> None:
    """Raises ``OSError``: ``NotAFileError``, ``IsADirectoryError``, ``FileNotFoundError`` and what the system says."""
    kind = stat.S_IFMT(os.stat(path).st_mode)  # noqa: PTH116 - takes strings, too
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, "it is a folder and no file", str(path))
    if kind != stat.S_IFREG:
        raise NotAFileError(errno.EINVAL, f"it is {_KINDS.get(kind, 'something else')} and no file", str(path))


def read_file(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file.

    Raises ``OSError`` as ``require_file``, and with ``errno.EFBIG`` for more than ``most`` bytes.
    """
    try:
        require_file(path)
        # Some files of /proc wait for news, and what is looked at may be another one when it is opened.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)),
                       "rb") as file:
            data = file.read(most + 1) or b""
    except ValueError as error:  # a path with a NUL byte
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
    return data

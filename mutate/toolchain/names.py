"""Names of files that a compiler can write into a line table.

NVRTC puts a name into PTX as it is, so a quote in it ends the string and ptxas gives up; what is not plain ASCII, and a
backslash, comes back as escapes of which some are taken for separators.
"""

from __future__ import annotations

import re
from pathlib import Path

_UNSAFE = re.compile(r'[^ !#$&-\[\]-~]')
"""All but printable ASCII, with what begins an escape: the percent sign, too, so that no two names become one."""


def line_name(name: str) -> str:
    """The whole name as line tables have it: itself, or with what they cannot have as ``%`` and two digits a byte."""
    whole = Path(name).absolute().as_posix()
    if not needs_line_name(whole):
        return whole
    return _UNSAFE.sub(lambda m: "".join(f"%{b:02X}" for b in m.group().encode(errors="surrogateescape")), whole)


def needs_line_name(name: str) -> bool:
    """Whether line tables cannot have the whole name."""
    return any(c != "%" for c in _UNSAFE.findall(Path(name).absolute().as_posix()))

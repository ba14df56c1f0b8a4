"""Constants of host and device whose values NVRTC does not compute by itself, as nvcc does.

``const double cutoff2 = cutoff * cutoff;`` at file level is a constant to nvcc; NVRTC wants it to be ``constexpr``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_DEFINED = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_DECLARED = re.compile(rb"^([ \t]*(?:static[ \t]+|inline[ \t]+)*)const((?:[ \t]+(?:unsigned|signed|long|short))*[ \t]+"
                       rb"\w+[ \t]+)(\w+[ \t]*=[^=;{}\"'\[\]][^;{}\"'\[\]]*);", re.MULTILINE)
_NAME = re.compile(rb"(?<![\w.])[A-Za-z_]\w*")
# In a constant expression, besides names of constants: casts.
_TYPES = frozenset({b"float", b"double", b"int", b"unsigned", b"long", b"char", b"short", b"sizeof", b"size_t"})


def as_constant_expressions(texts: Iterable[bytes]) -> list[bytes]:
    """Texts that are compiled together, with ``constexpr`` for ``const`` where a value is made of nothing but numbers,

    macros and other such constants. Lines stay.
    """
    given = list(texts)
    known = set(_TYPES).union(*({*_DEFINED.findall(t)} for t in given))
    wanted = {m[3]: None for t in given for m in _DECLARED.finditer(t)}
    made: set[bytes] = set()
    while fresh := [text for text in wanted if text not in made and _names(text, True) <= known]:
        made.update(fresh)
        known.update(name for text in fresh for name in _names(text, False))
    return [_DECLARED.sub(lambda m: b"%bconstexpr%b%b;" % (m[1], m[2], m[3]) if m[3] in made else m[0], t)
            for t in given]


def _names(declarators: bytes, used: bool) -> set[bytes]:
    """Names that ``a = 1, b = 2 * a`` uses and does not declare before, or those that it declares."""
    declared: set[bytes] = set()
    found: set[bytes] = set()
    for part in _split(declarators):
        name, _, value = part.partition(b"=")
        found |= {n for n in _NAME.findall(value) if n not in declared}
        declared.add(name.strip())
    return found if used else declared


def _split(text: bytes) -> list[bytes]:
    parts, depth = [b""], 0
    for c in text:
        depth += (c == ord("(")) - (c == ord(")"))
        if c == ord(",") and depth == 0:
            parts.append(b"")
        else:
            parts[-1] += bytes([c])
    return parts

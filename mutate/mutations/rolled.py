"""The text of a variant with every loop kept rolled, for comparing instruction counts only.

The compiler decides on unrolling by what is in a loop, so a variant's loops may be unrolled otherwise than the
original's, and the counts differ though each iteration does the same. Rolled, both can be compared one to one.
A pragma with a number decides for both alike and is left alone. One without asks for all iterations, but where their
number is not known the compiler again decides by what is in the loop. So there are two ways: with those loops left
alone, and with all rolled. A pair of binaries that agrees in either shows that an iteration does the same.
"""

from __future__ import annotations

import re

from mutate.frontend.load import SourceOptions, load_unit
from mutate.frontend.pragmas import pragma_before
from mutate.source import Edit, apply_edits
from mutate.toolchain.cache import cached_text
from mutate.toolchain.includes import scan_includes
from mutate.toolchain.locate import identity

LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})
_PRAGMA = '_Pragma("unroll 1") '
_ALL_ITERATIONS = re.compile(rb'\s*#\s*pragma\s+unroll\s*|_Pragma\s*\(\s*"unroll"\s*\)')


def rolled_text(text: bytes, name: str, options: SourceOptions | None = None, *, all_loops: bool = False) -> bytes:
    """``text`` with ``#pragma unroll 1`` before every loop of device code that has no pragma of its own.

    With ``all_loops`` that takes the place of ``#pragma unroll`` without a number, too.
    """
    import tree_sitter_cuda

    options = options or SourceOptions()
    includes = scan_includes(text, name, options.include_dirs, ())
    if includes.computed:
        return _rolled_text(text, name, options, all_loops)
    inputs = ("rolled", identity(tree_sitter_cuda.__file__), text, options, includes.files, all_loops)
    return cached_text(inputs, lambda: _rolled_text(text, name, options, all_loops).decode(errors="surrogateescape")
                       ).encode(errors="surrogateescape")


def _rolled_text(text: bytes, name: str, options: SourceOptions, all_loops: bool) -> bytes:
    unit = load_unit(text, name, options)
    edits = []
    for function in unit.main.functions:
        if not (function.is_kernel or function.is_device) or function.name.startswith("km_"):
            continue
        for node in function.body.walk():
            if node.type not in LOOPS:
                continue
            pragma = pragma_before(node.text_source, node.start)
            if pragma is None:
                edits.append(Edit(node.start, node.start, _PRAGMA))
            elif all_loops and _ALL_ITERATIONS.fullmatch(node.text_source, pragma.start, pragma.end):
                edits.append(Edit(pragma.start, pragma.end, _PRAGMA))
    unique = {e.start: e for e in edits}
    return apply_edits(text, unit.main.expansion.lower_edits(unique.values()))

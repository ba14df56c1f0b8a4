"""Which atomics of shared memory are loops in machine code: compare-and-swap until nobody has come between.

How often such a loop runs depends on which threads meet at an address. Of sm_75 to sm_120, all by NVRTC 13.5: 32-bit
integers have an instruction for each operation, 64-bit ones for exchange and compare-and-swap only, floating-point
numbers for exchange only, 16-bit compare-and-swap has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutate.analysis.calls import arguments
from mutate.analysis.constants import split_arguments
from mutate.analysis.program import FunctionInfo, Program
from mutate.analysis.sites import Access
from mutate.analysis.symbols import Type

_FLOATING = frozenset({"float", "double", "half", "__half", "half2", "__half2", "nv_bfloat16", "__nv_bfloat16",
                       "nv_bfloat162", "__nv_bfloat162"})
_WIDE = frozenset({"long", "longlong", "ulong", "ulonglong", "size_t", "uint64_t", "int64_t", "uintptr_t"})
_NARROW = frozenset({"short", "ushort", "uint16_t"})


def looped_type(program: Program, info: FunctionInfo, access: Access) -> str:
    """The type, in words, of which an atomic is surely a loop where its address is in shared memory; "" of others.

    Types that are not known here are among the others.
    """
    operation = access.builtin.removeprefix("atomic").removesuffix("_block").removesuffix("_system")
    args = arguments(access.node)
    if access.kind != "atomic" or operation == "Exch" or not args:
        return ""
    loops = _NARROW if operation == "CAS" else _FLOATING | _WIDE
    names = _types(program, info, access, info.values.value(args[0]).decay().type)
    name = next((n for n in names if n in loops), "")
    return "64-bit integers" if name in _WIDE else "16-bit integers" if name in _NARROW else name


def _types(program: Program, info: FunctionInfo, access: Access, pointer: Type) -> Iterator[str]:
    """Names of the types that an atomic may be of: where it is of a template, those of the known instances."""
    name = pointer.elem.name if pointer.elem is not None else ""
    if info is not program.kernel and name in info.function.template_params:
        yield from (n for r in access.roots for n in _instances(program, r.type.innermost().name))
    else:
        yield from _instances(program, name)


def _instances(program: Program, name: str) -> Iterator[str]:
    parameters = program.kernel.function.template_params
    if name not in parameters:
        yield name
        return
    index = parameters.index(name)
    for given in program.instances:
        parts = split_arguments(given)
        if len(parts) > index:
            yield parts[index].split()[-1]

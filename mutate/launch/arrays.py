"""Array declarations of a launch: how many elements an array has and what fills it."""

from __future__ import annotations

from pathlib import Path

from mutate.errors import nearest
from mutate.launch.arith import FaultError
from mutate.launch.expressions import Evaluator, flatten
from mutate.launch.initialisers import FILE_USAGE, INITIALISERS, Target, from_file
from mutate.launch.lex import encode_utf8
from mutate.launch.model import ArrayDecl, Init, Value, has_pointer
from mutate.launch.parse import Node
from mutate.launch.types import Array, CType

# No GPU has more; beyond it a size is a slip.
_MAX_BYTES = 1 << 40


def array_declaration(evaluator: Evaluator, node: Node, folder: Path, *, stream: int, seed: int, symbol: bool
                      ) -> ArrayDecl:
    """The array that ``node`` declares, or a symbol (``extern``) that may be no array. Fills nothing yet.

    ``folder`` is where ``file("...")`` is looked for; ``stream`` and ``seed`` choose its random numbers.
    Raises ``KmutateError`` for a wrong size, element type or initialiser.
    """
    dims: list[int | None] = []
    at = node.type
    while type(at).__name__ == "ArrayDecl":
        dims.append(None if at.dim is None and not dims else _size(evaluator, at, node))
        at = at.type
    elem = evaluator.types.declared(at, node)
    if has_pointer(elem):
        raise evaluator.error("launch-unsupported", "an array of pointers cannot be declared", node,
                              "pass the pointers as arguments or in a struct passed by value")
    inner = 1
    for dim in dims[1:]:
        inner *= dim or 1
    if inner * elem.size > _MAX_BYTES:
        raise evaluator.error("launch-size", f"{node.name} would be larger than any GPU's memory", node)
    first = dims[0] if dims else 1
    count = None if first is None else first * inner
    with evaluator.at(node.init if node.init is not None else node, call_arguments(node.init)):
        init, count = _initialiser(evaluator, node, Target(elem, count, folder), inner)
    if count < 1 or count % inner:
        raise evaluator.error("launch-size", f"{node.name} would have {count} elements", node)
    if count * elem.size > _MAX_BYTES:
        raise evaluator.error("launch-size", f"{node.name} would have {count * elem.size / 1e9:,.0f} GB, more than "
                              "any GPU", node)
    shape = (count // inner, *(d or 1 for d in dims[1:])) if dims else ()
    return ArrayDecl(node.name, elem, shape, init, stream, seed, symbol, evaluator.tree.span(node))


def _size(evaluator: Evaluator, node: Node, owner: Node) -> int:
    if node.dim is None:
        raise evaluator.error("launch-size", "only the first dimension may be left out", owner)
    size = evaluator.integer(node.dim, "an array size")
    if size < 1:
        raise evaluator.error("launch-size", f"an array cannot have {size} elements", node.dim)
    return size


def call_arguments(init: Node) -> list[Node]:
    """The arguments of a call; none for any other node."""
    if type(init).__name__ == "FuncCall" and init.args is not None:
        return list(init.args.exprs)
    return []


def _initialiser(evaluator: Evaluator, node: Node, target: Target, inner: int) -> tuple[Init, int]:
    """How a declared array is filled and how many elements it has. Raises ``FaultError`` too."""
    init = node.init
    if init is None:
        return Init("zeros"), target.sized()
    called = getattr(init.name, "name", None) if type(init).__name__ == "FuncCall" else None
    name = called if isinstance(called, str) else None
    arguments = call_arguments(init)
    if name == "file":
        evaluator.check_arity(init, name, FILE_USAGE, len(arguments), (1, 1))
        text = arguments[0].value if type(arguments[0]).__name__ == "Constant" else ""
        if text[-1:] != '"':
            raise FaultError("launch-bad-initialiser", "file() takes a string", f"write: {FILE_USAGE}", argument=0)
        return from_file(target, encode_utf8(text[text.index('"') + 1 : -1]).replace("\\\\", "\\"))
    if name is not None and name in INITIALISERS:
        row = INITIALISERS[name]
        evaluator.check_arity(init, name, row.usage, len(arguments), row.arity)
        return row.make(target, evaluator.numbers(arguments)), target.sized()
    if type(init).__name__ == "InitList" or (not node.type or type(node.type).__name__ != "ArrayDecl"):
        return _listed(evaluator, node, target, inner)
    known = [*INITIALISERS, "file"]
    close = nearest(name, known) if name else None
    raise FaultError("launch-unknown-initialiser",
                     f"{name}() fills no array" if name else "an array is filled by an initialiser or a list in braces",
                     f"did you mean {close}?" if close else f"known: {', '.join(known)}")


def _listed(evaluator: Evaluator, node: Node, target: Target, inner: int) -> tuple[Init, int]:
    """A list in braces, or the single value of a symbol that is no array."""
    cells: dict[int, Value] = {}
    if type(node.type).__name__ != "ArrayDecl":
        cells = dict(flatten(evaluator.initial(node.init, target.elem, node)))
        count = 1
    else:
        kind: CType = target.elem
        at, dims = node.type.type, []
        while type(at).__name__ == "ArrayDecl":
            dims.append(evaluator.integer(at.dim, "an array size"))
            at = at.type
        for dim in reversed(dims):
            kind = Array(kind, dim)
        outer = _MAX_BYTES if target.elements is None else target.elements // inner
        evaluator.fill(Array(kind, outer), 0, list(node.init.exprs or ()), cells, node.init)
        used = max((offset // kind.size + 1 for offset in cells), default=0)
        count = used * inner if target.elements is None else target.elements
    end = max((offset + v.type.size for offset, v in cells.items()), default=0)
    if end > 1 << 28:
        raise FaultError("launch-size", "the list reaches too far", "use an initialiser or a file")
    data = bytearray(end)
    for offset, value in cells.items():
        data[offset : offset + value.type.size] = value.pack({})
    return Init("list", data=bytes(data)), count

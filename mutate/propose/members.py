"""What the host code puts into the members of a structure that a kernel is given by value."""

from __future__ import annotations

from mutate.frontend.tree import Node
from mutate.launch.types import Struct
from mutate.propose.hostcode import Context, Declared, HostCode, bare
from mutate.propose.writes import writes_before


def variable(host: HostCode, node: Node, context: Context) -> tuple[Declared, Node, Context] | None:
    """The variable that an argument is, in the function that fills it: out of functions that only pass it on.

    With the place where it is used there. ``None`` for anything but a variable of a structure.
    """
    while True:
        inner = bare(node)
        if inner.type == "pointer_expression" and inner.kids:
            inner = bare(inner.kids[-1])  # `*p` of a function that is given `&p`
        declared = host.declaration(inner.text, inner) if inner.type == "identifier" else None
        if declared is None or declared.dims:
            return None
        if declared.kind != "parameter":
            return None if declared.pointers else (declared, inner, context)
        argument = host.argument(context, declared.index)
        if argument is None or context.caller is None:
            return None
        node, context = argument, context.caller


def given(host: HostCode, declared: Declared, at: Node, kind: Struct) -> dict[str, Node]:
    """The expressions that members have at a place: from a list in braces, or the last assignment to each."""
    found: dict[str, Node] = {}
    for write in writes_before(host, declared, at, lambda _: None):
        if write.value is None or write.op != "=" or write.lost:
            continue
        if write.member:
            found[write.member] = write.value
        elif write.value.type == "initializer_list":
            found = _listed(write.value, tuple(f.name for f in kind.fields))
    return found


def _listed(node: Node, fields: tuple[str, ...]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for name, kid in zip(fields, node.kids, strict=False):
        designator, value = kid.get("designator"), kid.get("value")
        if kid.type == "initializer_pair" and designator is not None and value is not None:
            found[designator.text.lstrip(".")] = value
        else:
            found[name] = kid
    return found

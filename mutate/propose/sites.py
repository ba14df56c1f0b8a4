"""Finds kernel launches in host code: ``k<<<...>>>(...)`` and ``cudaLaunchKernel(k, ...)``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from mutate.frontend.tree import Node
from mutate.frontend.units import Function
from mutate.propose.hostcode import HostCode, UnknownError, arguments_of, bare, declared_name, plain_type

# Runtime calls that launch: kernel, grid, block, arguments, shared memory, stream.
_RUNTIME = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")


@dataclass(frozen=True, eq=False)
class HostLaunch:
    """One launch. ``args`` are the kernel's arguments; ``explicit`` the template arguments as written.

    ``grid`` and ``block`` are ``None`` where no launch was found: ``node`` is the kernel then. ``chosen``: where a
    kernel that is launched by a pointer was put into it; ``row``: what the members of the table's row are that a loop
    over a table of kernels stands at.
    """

    kernel: Function
    node: Node
    grid: Node | None = None
    block: Node | None = None
    smem: Node | None = None
    args: tuple[Node, ...] = ()
    explicit: tuple[Node, ...] = ()
    chosen: Node | None = None
    row: Mapping[str, Node] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Unread:
    """A launch that is not understood."""

    node: Node
    why: str


def find_launches(host: HostCode) -> Iterator[HostLaunch | Unread]:
    """All launches in the unit's host code, in the order of the files."""
    for node in host.nodes("call_expression"):
        config = node.find("kernel_call_syntax")
        if config is not None:
            function = host.function_of(node)
            if function is not None and (function.is_kernel or function.is_device):
                continue  # a launch from the device
            yield from _read(host, node, node.get("function"), config.kids, tuple(arguments_of(node)))
            continue
        called = node.get("function")
        if called is not None and called.text in _RUNTIME:
            try:
                yield from _runtime(host, node)
            except UnknownError as unknown:
                yield Unread(node, str(unknown))


def _runtime(host: HostCode, node: Node) -> Iterator[HostLaunch | Unread]:
    arguments = arguments_of(node)
    if len(arguments) < 4:
        raise UnknownError("it has too few arguments")
    kernel = bare(arguments[0])
    if kernel.type == "pointer_expression" and kernel.text.startswith("&"):
        kernel = kernel.kids[-1]
    packed = bare(arguments[3])
    declared = host.declaration(packed.text, packed) if packed.type == "identifier" else None
    values = declared.init if declared is not None else None
    if values is None or values.type != "initializer_list":
        raise UnknownError(f"the arguments in {packed.text} are not listed where it is declared")
    args = []
    for value in values.kids:
        inner = bare(value)
        if inner.type != "pointer_expression" or not inner.text.startswith("&"):
            raise UnknownError(f"{value.text} is no address of an argument")
        args.append(inner.kids[-1])
    yield from _read(host, node, kernel, [arguments[1], arguments[2], *arguments[4:5]], tuple(args))


def _read(host: HostCode, node: Node, function: Node | None, config: list[Node], args: tuple[Node, ...]
          ) -> Iterator[HostLaunch | Unread]:
    if len(config) < 2 or function is None:
        yield Unread(node, "the grid and the block are missing")
        return
    made = HostLaunch(host.unit.kernels[0], node, config[0], config[1], config[2] if len(config) > 2 else None, args) \
        if host.unit.kernels else None
    if made is None:
        return
    name, explicit = _name(function)
    found = _kernels(host, name, function, len(args))
    if found is not None:
        yield replace(made, kernel=found, explicit=explicit)
        return
    some = False
    for kernel, chosen, given, row in _pointed(host, node, bare(function), len(args)):
        some = True
        yield replace(made, kernel=kernel, explicit=given, chosen=chosen, row=row)
    if not some:
        unknown = "is not known until the program runs" if host.declaration(name.text, node) is not None \
            or name.type != "identifier" else "is not defined in this file"
        yield Unread(node, f"the kernel {declared_name(function) or function.text} {unknown}")


def _name(function: Node) -> tuple[Node, tuple[Node, ...]]:
    """The plain name and the template arguments of ``ns::kernel<512>``."""
    explicit: tuple[Node, ...] = ()
    name = function
    while name.type in ("qualified_identifier", "template_function", "dependent_name"):
        if name.type == "template_function" and (given := name.get("arguments")) is not None:
            explicit = tuple(given.kids)
        inner = name.get("name") or (name.kids[-1] if name.kids else None)
        if inner is None:
            break
        name = inner
    return name, explicit


def template_arguments(call: Node) -> list[str]:
    """Explicit template arguments of a call."""
    function = call.get("function")
    return [" ".join(k.text.split()) for k in _name(function)[1]] if function is not None else []


def _kernels(host: HostCode, name: Node, function: Node, least: int) -> Function | None:
    """The kernel of a name: the overload that takes the arguments."""
    found = [k for k in host.unit.kernels if k.name == name.text and len(k.params) >= least]
    declared = host.declaration(name.text, name)
    if not found or (declared is not None and declared.kind != "file"):
        return None
    exact = [k for k in found if len(k.params) == least] or found
    qualified = [k for k in exact if function.text.split("<")[0].endswith(k.qualified)]
    return (qualified or exact)[0]


_Choice = tuple[Function, Node, tuple[Node, ...], Mapping[str, Node]]


def _as_kernel(host: HostCode, value: Node, least: int) -> tuple[Function, tuple[Node, ...]] | None:
    """``kernel``, ``&kernel``, ``kernel<512>`` as a value."""
    inner = bare(value)
    if inner.type == "pointer_expression" and inner.text.startswith("&") and inner.kids:
        inner = inner.kids[-1]
    if inner.type not in ("identifier", "qualified_identifier", "template_function"):
        return None
    name, explicit = _name(inner)
    found = _kernels(host, name, inner, least)
    return (found, explicit) if found is not None else None


def _pointed(host: HostCode, node: Node, callee: Node, least: int) -> Iterator[_Choice]:
    """The kernels that a function pointer may hold: assigned to it, passed for it, listed in a table it walks."""
    if callee.type == "field_expression":
        yield from _of_table(host, callee, least)
        return
    declared = host.declaration(callee.text, node) if callee.type == "identifier" else None
    values: list[Node] = []
    if declared is not None and declared.kind == "parameter":
        function = host.function_of(node)
        for call in host.call_sites(function) if function is not None else ():
            arguments = arguments_of(call)
            values += arguments[declared.index : declared.index + 1]
    elif declared is not None and declared.init is not None:
        values.append(declared.init)
    for assigned in host.nodes("assignment_expression"):
        left, right = assigned.get("left"), assigned.get("right")
        if left is not None and right is not None and left.text == callee.text \
                and left.text_source is node.text_source and host.function_of(left) is host.function_of(node):
            values.append(right)
    for value in values:
        found = _as_kernel(host, value, least)
        if found is not None:
            yield found[0], value, found[1], {}


def _of_table(host: HostCode, callee: Node, least: int) -> Iterator[_Choice]:
    """``for (auto &row : table) row.kernel<<<row.grid, ...>>>``: one launch for each row."""
    argument, member = callee.get("argument"), callee.get("field")
    if argument is None or member is None or argument.type != "identifier":
        return
    loop = next((up for up in callee.ancestors() if up.type == "for_range_loop"
                 and (d := up.get("declarator")) is not None and declared_name(d) == argument.text), None)
    table = loop.get("right") if loop is not None else None
    declared = host.declaration(table.text, table) if table is not None and table.type == "identifier" else None
    if declared is None or declared.init is None or declared.init.type != "initializer_list":
        return
    struct = host.unit.struct(plain_type(declared.type))
    body = struct.get("body") if struct is not None else None
    members = [n.text for kid in (body.kids if body is not None else ()) if kid.type == "field_declaration"
               for n in kid.walk() if n.type == "field_identifier"]
    if member.text not in members:
        return
    for row in declared.init.kids:
        cells = dict(zip((f"{argument.text}.{m}" for m in members), row.kids, strict=False))
        value = cells.get(f"{argument.text}.{member.text}")
        found = _as_kernel(host, value, least) if value is not None else None
        if found is not None and value is not None:
            yield found[0], value, found[1], cells

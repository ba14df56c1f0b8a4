"""Where the memory behind a kernel's pointer argument comes from, and how much of it there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mutate.frontend.tree import Node
from mutate.propose.expressions import vector_size
from mutate.propose.hostcode import (
    Context,
    Declared,
    HostCode,
    UnknownError,
    arguments_of,
    bare,
    call_name,
    root_name,
)

# Calls that give memory: the pointer first, the bytes second. Wrappers of projects are called alike.
_ALLOCATES = re.compile(r"alloc", re.IGNORECASE)
_NO_BYTES = re.compile(r"3D|Array|FromPool", re.IGNORECASE)
_RETURNS = {"malloc": 0, "aligned_alloc": 1, "sycl_malloc": 0}
_MOST_STEPS = 12


@dataclass(frozen=True, eq=False)
class Block:
    """Memory of ``size`` (an expression in ``context``): bytes, or elements of ``element`` where that is not ``""``.

    ``key`` tells one block of memory from another. ``pitch`` is the variable that cudaMallocPitch sets; rows are then
    ``size`` bytes wide and ``rows`` many. ``name`` is the pointer's.
    """

    key: object
    name: str
    size: Node | None
    context: Context
    element: str = ""
    counts: bool = False
    rows: Node | None = None
    pitch: Node | None = None
    declared: Declared | None = None


@dataclass(frozen=True)
class Pointer:
    """A pointer into a block: ``offset`` (an expression, of elements) and its context; ``null`` for no memory."""

    block: Block | None
    offset: Node | None = None
    context: Context | None = None
    null: bool = False


@dataclass(frozen=True, eq=False)
class _Allocation:
    target: Node
    call: Node
    size: Node
    context: Context | None = None
    rows: Node | None = None
    pitch: Node | None = None
    counts: bool = False


class Memory:
    """Finds the allocations of a unit and follows pointers to them."""

    def __init__(self, host: HostCode) -> None:
        self.host = host

    @cached_property
    def _allocations(self) -> dict[str, list[_Allocation]]:
        """By the last name of the pointer: ``d_a`` of ``&plan->d_a``."""
        found: dict[str, list[_Allocation]] = {}
        for call in self.host.nodes("call_expression"):
            name, arguments = call_name(call), arguments_of(call)
            if not name or not _ALLOCATES.search(name) or call.find("kernel_call_syntax") is not None:
                continue
            for made in self._of_call(call, name, arguments):
                found.setdefault(_last(made.target), []).append(made)
        return found

    def _of_call(self, call: Node, name: str, arguments: list[Node]) -> Iterator[_Allocation]:
        if len(arguments) < 2 or _NO_BYTES.search(name):
            return
        target = _pointed(arguments[0])
        if target is None:
            return
        if "Pitch" in name and len(arguments) == 4:
            yield from self._wrapped(_Allocation(target, call, arguments[2], None, arguments[3],
                                                 _pointed(arguments[1])))
        elif self._is_wrapper(name):
            return  # the call inside of it is found by itself
        else:
            yield from self._wrapped(_Allocation(target, call, arguments[1]))

    def _is_wrapper(self, name: str) -> bool:
        return any(_ALLOCATES.search(call_name(n)) for f in self.host.functions(name) for n in f.body.walk()
                   if n.type == "call_expression")

    def _wrapped(self, made: _Allocation, depth: int = 0) -> Iterator[_Allocation]:
        """An allocation; where its pointer is a parameter of the function around it, one for each call of that."""
        yield made
        root = made.target
        if root.type != "identifier" or depth > 2:
            return
        function = self.host.function_of(made.call)
        declared = self.host.declaration(root.text, made.call)
        if function is None or declared is None or declared.kind != "parameter":
            return
        for site in self.host.call_sites(function):
            arguments = arguments_of(site)
            if declared.index < len(arguments):
                target = _pointed(arguments[declared.index])
                if target is not None:
                    outer = self.host.context(self.host.function_of(site))
                    inner = Context(function, site, outer)
                    yield from self._wrapped(_Allocation(target, site, made.size, made.context or inner, made.rows,
                                                         made.pitch), depth + 1)

    # --- following ---

    def pointer(self, node: Node, context: Context, steps: int = 0) -> Pointer:
        """What memory a pointer expression points to. Raises ``UnknownError``."""
        if steps > _MOST_STEPS:
            raise UnknownError("a long way")
        node = bare(node)
        if node.type in ("null", "nullptr") or node.text in ("NULL", "0", "nullptr"):
            return Pointer(None, null=True)
        if node.type == "call_expression":
            return self._of_object(node, context, steps)
        if node.type == "pointer_expression" and node.text.startswith("&"):
            inner = bare(node.kids[-1])
            if inner.type == "subscript_expression":
                base, index = inner.get("argument"), inner.get("indices")
                if base is not None and index is not None and len(index.kids) == 1:
                    found = self.pointer(base, context, steps + 1)
                    return self._moved(found, index.kids[0], context)
        if node.type == "binary_expression" and (left := node.get("left")) is not None \
                and (right := node.get("right")) is not None and node.text[left.end - node.start :].lstrip()[:1] == "+":
            try:
                return self._moved(self.pointer(left, context, steps + 1), right, context)
            except UnknownError:
                return self._moved(self.pointer(right, context, steps + 1), left, context)
        if node.type in ("identifier", "field_expression", "subscript_expression", "qualified_identifier"):
            return self._of_path(node, context, steps)
        if node.type == "pointer_expression" and node.kids:
            return self._of_path(bare(node.kids[-1]), context, steps)
        raise UnknownError(" ".join(node.text.split())[:40])

    @staticmethod
    def _moved(found: Pointer, offset: Node, context: Context) -> Pointer:
        if found.offset is not None:
            raise UnknownError("an offset of an offset")
        return found if offset.text == "0" else Pointer(found.block, offset, context, found.null)

    def _of_object(self, node: Node, context: Context, steps: int) -> Pointer:
        """``v.data()``, ``thrust::raw_pointer_cast(&v[0])``, ``thrust::raw_pointer_cast(v.data())``, ``p.get()``."""
        name, arguments, function = call_name(node), arguments_of(node), node.get("function")
        if name in ("raw_pointer_cast", "addressof", "move", "unwrap") and len(arguments) == 1:
            return self.pointer(arguments[0], context, steps + 1)
        receiver = function.get("argument") if function is not None and function.type == "field_expression" else None
        if name in ("data", "get", "begin", "data_ptr", "ptr", "device_ptr") and receiver is not None:
            return self.pointer(receiver, context, steps + 1)
        raise UnknownError(" ".join(node.text.split())[:40])

    def _of_path(self, node: Node, context: Context, steps: int) -> Pointer:
        root = root_name(node)
        declared = self.host.declaration(root.text, root) if root is not None else None
        if node.type == "identifier" and declared is not None:
            if declared.kind == "parameter":
                argument = self.host.argument(context, declared.index)
                if argument is not None and context.caller is not None:
                    try:
                        return self.pointer(argument, context.caller, steps + 1)
                    except UnknownError:
                        pass
            found = self._allocated(node, declared, context)
            if found is not None:
                return Pointer(found)
            size = vector_size(self.host, node)
            if size is not None and not declared.pointers:
                return Pointer(Block((id(declared.node), declared.name), declared.name, size,
                                     self.host.context_at(size, context), counts=True, declared=declared))
            alias = self._alias(node, declared)
            if alias is not None:
                return self._from_value(alias, declared, context, steps)
        else:
            found = self._allocated(node, declared, context)
            if found is not None:
                return Pointer(found)
        if declared is None and node.type == "identifier":
            for value in self._assigned_elsewhere(node.text):
                return self._from_value(value, None, self.host.context_at(value, context), steps)
        raise UnknownError(f"the allocation of {' '.join(node.text.split())[:40]}")

    def _from_value(self, value: Node, declared: Declared | None, context: Context, steps: int) -> Pointer:
        """A pointer from what was assigned to it: ``new``, a function that returns memory, another pointer."""
        inner = bare(value)
        name = declared.name if declared is not None else "data"
        if inner.type == "new_expression":
            declarator = inner.get("declarator")
            length = declarator.get("length") if declarator is not None else None
            if length is not None:
                return Pointer(Block(id(inner), name, length, context, counts=True, declared=declared))
        if inner.type == "call_expression" and (called := call_name(inner)) and called not in (
                "data", "get", "raw_pointer_cast"):
            arguments = arguments_of(inner)
            if called == "calloc" and len(arguments) == 2:
                return Pointer(Block(id(inner), name, arguments[0], context, rows=arguments[1], declared=declared))
            if called in _RETURNS and len(arguments) > _RETURNS[called]:
                return Pointer(Block(id(inner), name, arguments[_RETURNS[called]], context, declared=declared))
            if _ALLOCATES.search(called) and len(arguments) == 1:
                return Pointer(Block(id(inner), name, arguments[0], context, declared=declared))
        return self.pointer(value, context, steps + 1)

    def _alias(self, node: Node, declared: Declared) -> Node | None:
        """The last thing assigned to a pointer variable before a place, else what it was initialised with."""
        last = declared.init if declared.kind != "parameter" else None
        if last is not None and last.text in ("NULL", "nullptr", "0"):
            last = None
        for assigned in self.host.nodes("assignment_expression"):
            left, right = assigned.get("left"), assigned.get("right")
            if left is not None and right is not None and left.type == "identifier" and left.text == declared.name \
                    and left.text_source is node.text_source and assigned.start < node.start \
                    and self.host.declaration(left.text, left) is declared:
                last = right
        for call in self.host.calls("cudaHostGetDevicePointer"):
            arguments = arguments_of(call)
            target = _pointed(arguments[0]) if len(arguments) >= 2 else None
            if target is not None and target.text == declared.name and call.text_source is node.text_source:
                last = arguments[1]
        return last

    def _assigned_elsewhere(self, name: str) -> Iterator[Node]:
        for node in self.host.nodes("assignment_expression"):
            left, right = node.get("left"), node.get("right")
            if left is not None and right is not None and left.type == "identifier" and left.text == name:
                yield right

    def of_member(self, declared: Declared, member: str, context: Context) -> Block | None:
        """The allocation of a member of a structure, by way of this variable or of what points to one like it."""
        path = f"{declared.name}.{member}"
        made = [a for a in self._allocations.get(member, []) if bare(a.target).type == "field_expression"]
        own = [a for a in made if _path(a.target) == path and (root := root_name(a.target)) is not None
               and self.host.declaration(root.text, a.call) is declared]
        if not own and not made:
            return None
        return self._block((own or made)[0], (id(declared.node), declared.name, path), member, declared, context)

    def _block(self, made: _Allocation, key: object, name: str, declared: Declared | None, context: Context) -> Block:
        inner = made.context or self.host.context_at(made.call, context)
        return Block(key, name, made.size, inner, rows=made.rows, pitch=made.pitch, declared=declared)

    def _allocated(self, node: Node, declared: Declared | None, context: Context) -> Block | None:
        """The allocation of ``a``, ``p->a`` or ``a[i]``: of the same variable, else of the same spelling."""
        path = _path(node)
        candidates = self._allocations.get(_last(node), [])
        chosen: _Allocation | None = None
        for made in candidates:
            root = root_name(made.target)
            other = self.host.declaration(root.text, made.call) if root is not None else None
            if declared is not None and other is declared:
                if _path(made.target) == path:
                    chosen = made
                    break
                chosen = chosen or made
        if chosen is None:
            # A member: the struct is another variable where it was allocated.
            members = [m for m in candidates if node.type != "identifier" or declared is None
                       or (m.target.type == "identifier" and declared.kind == "file")]
            chosen = members[0] if members else None
        if chosen is None:
            return None
        key: object = (id(declared.node), declared.name, path) if declared is not None else (id(chosen.call), path)
        return self._block(chosen, key, _last(node), declared, context)


def _pointed(node: Node) -> Node | None:
    """``p`` of ``&p`` and ``(void **)&p``; of ``p`` where ``p`` is a pointer's address already."""
    node = bare(node)
    if node.type == "pointer_expression" and node.text.startswith("&") and node.kids:
        return bare(node.kids[-1])
    return node if node.type in ("identifier", "field_expression", "subscript_expression") else None


def _last(node: Node) -> str:
    """The last name of a path."""
    node = bare(node)
    if node.type == "field_expression" and (member := node.get("field")) is not None:
        return member.text
    if node.type in ("subscript_expression", "pointer_expression") and (inner := node.get("argument")) is not None:
        return _last(inner)
    return node.text


def _path(node: Node) -> str:
    """A path in one spelling: ``p->a`` and ``p.a`` and ``(*p).a`` are alike, indices do not count."""
    return re.sub(r"\[[^\]]*\]|[\s()*]", "", bare(node).text.replace("->", "."))

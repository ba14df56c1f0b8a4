"""Evaluates C expressions and type names of a declaration over pycparser's nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from mutate.errors import KmutateError, nearest
from mutate.launch import arith, rng
from mutate.launch.arith import FaultError, Number, scalar_of
from mutate.launch.constants import character, number
from mutate.launch.initialisers import INITIALISERS, csr_shape
from mutate.launch.model import Address, ArrayDecl, Value
from mutate.launch.parse import Node, Tree
from mutate.launch.scope import Scope
from mutate.launch.textures import CONSTANTS, MAKERS, make_object
from mutate.launch.type_names import TypeReader
from mutate.launch.types import BOOL, DIM3, INT, SIZE_T, UINT, Array, CType, Pointer, Scalar, Struct, known_types

NULL = Value(Pointer(None), Address(None))
_CONSTANTS = {"true": Value(BOOL, 1), "false": Value(BOOL, 0), "NULL": NULL, "nullptr": NULL,
              **{name: Value(INT, value) for name, value in CONSTANTS.items()}}


class Evaluator:
    def __init__(self, tree: Tree, scope: Scope) -> None:
        self.tree = tree
        self.scope = scope
        self.types = TypeReader(self)
        self._rules: dict[str, Callable[[Node], Value]] = {
            "Constant": self._constant, "ID": self._name, "UnaryOp": self._unary, "BinaryOp": self._binary,
            "TernaryOp": self._ternary, "Cast": self._cast, "FuncCall": self._call, "StructRef": self._member,
            "ArrayRef": self._element, "CompoundLiteral": self._literal,
        }

    def error(self, slug: str, what: str, node: Node, hint: str | None = None) -> KmutateError:
        return self.tree.declaration.error(slug, what, self.tree.span(node), hint)

    @contextmanager
    def at(self, node: Node, arguments: Sequence[Node] = ()) -> Iterator[None]:
        """Give a ``FaultError`` the place of a node, or of the argument that it names."""
        try:
            yield
        except FaultError as fault:
            place = node
            if fault.argument is not None and fault.argument < len(arguments):
                place = arguments[fault.argument]
            raise self.error(fault.slug, fault.what, place, fault.hint) from None

    # --- values ---

    def value(self, node: Node) -> Value:
        rule = self._rules.get(type(node).__name__)
        if rule is None:
            kinds = {"InitList": "a list in braces", "ExprList": "a comma expression", "Assignment": "an assignment"}
            what = kinds.get(type(node).__name__, type(node).__name__)
            raise self.error("launch-unsupported", f"{what} is not understood here", node)
        return rule(node)

    def integer(self, node: Node, what: str) -> int:
        value = self.value(node)
        if not isinstance(value.type, Scalar) or not value.type.is_integer or not isinstance(value.data, int):
            raise self.error("launch-type", f"{what} must be an integer, not {value.type.name}", node)
        return value.data

    def _constant(self, node: Node) -> Value:
        with self.at(node):
            if node.value[-1:] == "'":
                return character(node.value)
            if node.value[-1:] == '"':
                raise FaultError("launch-type", "a string stands only in file(\"...\")")
            return number(node.value)

    def _name(self, node: Node) -> Value:
        name = node.name
        if name in self.scope.arrays:
            array = self.scope.arrays[name]
            return Value(Pointer(array.elem), Address(name))
        if name in self.scope.variables:
            value = self.scope.variables[name]
            if value is None:
                raise self.error("launch-no-value", f"{name} has no value yet", node,
                                 f"give it one, or --set {name}=...")
            return value
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        close = nearest(name, [*self.scope.names(), *CONSTANTS])
        raise self.error("launch-unknown-name", f"{name} is not declared", node,
                         f"did you mean {close}?" if close else "declare it above, or #define it in the file")

    def _unary(self, node: Node) -> Value:
        op = node.op
        if op == "sizeof":
            return Value(SIZE_T, self._type_of(node.expr).size)
        if op == "&":
            return self._address_of(node.expr)
        if op in ("-", "+", "~", "!"):
            operand = self.value(node.expr)
            with self.at(node):
                return arith.unary(op, operand)
        raise self.error("launch-unsupported", f"the operator {op.replace('p', '')} is not understood here", node)

    def _binary(self, node: Node) -> Value:
        left = self.value(node.left)
        if node.op in ("&&", "||"):
            with self.at(node):
                decided = bool(scalar_of(left)[1]) == (node.op == "||")
            if decided:
                return Value(INT, int(node.op == "||"))
        right = self.value(node.right)
        if isinstance(left.data, Address) or isinstance(right.data, Address):
            return self._pointer_arithmetic(node, left, right)
        with self.at(node):
            return arith.binary(node.op, left, right)

    def _pointer_arithmetic(self, node: Node, left: Value, right: Value) -> Value:
        pointer, offset = (left, right) if isinstance(left.data, Address) else (right, left)
        forward = node.op == "+"
        if not (forward or (node.op == "-" and pointer is left)) or isinstance(offset.data, Address):
            raise self.error("launch-type", f"a pointer takes no {node.op} here", node)
        with self.at(node):
            kind, count = scalar_of(offset)
            if not kind.is_integer:
                raise FaultError("launch-type", f"a pointer moves by an integer, not by {kind.name}")
        assert isinstance(pointer.type, Pointer)
        step = pointer.type.to.size if pointer.type.to is not None else 1
        return self._moved(node, pointer, int(count) * step * (1 if forward else -1))

    def _moved(self, node: Node, pointer: Value, by: int) -> Value:
        assert isinstance(pointer.data, Address)
        name, at = pointer.data.array, pointer.data.offset + by
        if name is not None and not 0 <= at <= self.scope.arrays[name].nbytes:
            side = "before" if at < 0 else "into"
            raise self.error("launch-out-of-bounds", f"the pointer lies {abs(at)} bytes {side} {name}, which has "
                             f"{self.scope.arrays[name].nbytes}", node)
        return Value(pointer.type, Address(name, at))

    def _ternary(self, node: Node) -> Value:
        condition = self.value(node.cond)
        with self.at(node):
            chosen = bool(scalar_of(condition)[1])
        taken, other = (node.iftrue, node.iffalse) if chosen else (node.iffalse, node.iftrue)
        value = self.value(taken)
        if not isinstance(value.type, Scalar):
            return value
        # The type is the common one of both sides, but only the chosen side may be computed.
        other_type = self._quiet_type(other)
        if not isinstance(other_type, Scalar):
            return value
        with self.at(node):
            return arith.convert(value, arith.common(value.type, other_type))

    def _quiet_type(self, node: Node) -> CType | None:
        try:
            return self._type_of(node)
        except KmutateError:
            return None

    def _cast(self, node: Node) -> Value:
        kind = self.types.named(node.to_type)
        value = self.value(node.expr)
        if isinstance(kind, Pointer):
            if isinstance(value.data, Address):
                return Value(kind, value.data)
            if value.data == 0:
                return Value(kind, Address(None))
            raise self.error("launch-type", "only a declared array has an address", node.expr)
        if kind == value.type:
            return value
        if not isinstance(kind, Scalar):
            raise self.error("launch-type", f"nothing can be cast to {kind.name}", node)
        with self.at(node):
            return arith.convert(value, kind)

    def _call(self, node: Node) -> Value:
        arguments = list(node.args.exprs) if node.args is not None else []
        name = getattr(node.name, "name", None)
        if not isinstance(name, str):
            raise self.error("launch-unsupported", "only a function's name can be called", node)
        if name == "csr_nnz":
            self.check_arity(node, name, "csr_nnz(rows, lo, hi)", len(arguments), (3, 3))
            numbers = self.numbers(arguments)
            with self.at(node, arguments):
                entries = rng.csr_nnz(*csr_shape(numbers))
                return arith.make_int(INT if entries <= INT.range[1] else SIZE_T, entries)
        if name in arith.FUNCTIONS:
            arity, function = arith.FUNCTIONS[name]
            self.check_arity(node, name, f"{name}()", len(arguments), (arity, arity))
            values = [self.value(a) for a in arguments]
            with self.at(node):
                return function(values)
        if name in MAKERS:
            return make_object(self, node, name, arguments)
        vector = known_types().get(name.removeprefix("make_")) if name.startswith("make_") else None
        if isinstance(vector, Struct):
            lanes = len(vector.fields)
            self.check_arity(node, name, f"{name}()", len(arguments), (lanes, lanes))
            return self.initial(arguments, vector, node)
        if name in INITIALISERS or name == "file":
            raise self.error("launch-bad-initialiser", f"{name}() fills an array; it has no value", node)
        known = [*arith.FUNCTIONS, "csr_nnz"]
        close = nearest(name, [*known, *MAKERS])
        raise self.error("launch-unknown-name", f"there is no function {name}", node,
                         f"did you mean {close}?" if close else f"known: {', '.join(known)}")

    def check_arity(self, node: Node, name: str, usage: str, given: int, arity: tuple[int, int]) -> None:
        least, most = arity
        if not least <= given <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise self.error("launch-argument-count", f"{name} takes {wanted} argument{'s' * (wanted != '1')}, "
                             f"not {given}", node, f"write: {usage}")

    def numbers(self, nodes: Sequence[Node]) -> list[Number]:
        out = []
        for node in nodes:
            value = self.value(node)
            with self.at(node):
                out.append(scalar_of(value)[1])
        return out

    def _member(self, node: Node) -> Value:
        whole = self.value(node.name)
        if node.type == "->":
            raise self.error("launch-unsupported", "what a device pointer points to has no value here", node)
        if not isinstance(whole.type, Struct) or not isinstance(whole.data, tuple):
            raise self.error("launch-type", f"{whole.type.name} has no members", node)
        return whole.data[self.member_index(whole.type, node)]

    def member_index(self, struct: Struct, node: Node) -> int:
        """Index of the member that a ``StructRef`` or a designator's ``ID`` names."""
        name = node.field.name if hasattr(node, "field") else node.name
        names = [f.name for f in struct.fields]
        if name in names:
            return names.index(name)
        close = nearest(name, names)
        raise self.error("launch-unknown-name", f"{struct.name} has no member {name}",
                         node.field if hasattr(node, "field") else node,
                         f"did you mean {close}?" if close else f"members: {', '.join(names)}")

    def _element(self, node: Node) -> Value:
        base = self._base_of(node)
        if base is not None:
            array, indices = base
            if len(indices) < len(array.dims):
                return self._address_of(node)
            raise self.error("launch-unsupported", f"elements of {array.name} have no value in a declaration", node,
                             f"for its address write &{array.name}[...]")
        whole = self.value(node.name)
        if not isinstance(whole.data, tuple) or not isinstance(whole.type, Array):
            raise self.error("launch-unsupported", "what a device pointer points to has no value here", node)
        return whole.data[self.index(node.subscript, len(whole.data))]

    def index(self, node: Node, count: int) -> int:
        i = self.integer(node, "an index")
        if not 0 <= i < count:
            raise self.error("launch-out-of-bounds", f"index {i} is outside 0 to {count - 1}", node)
        return i

    def _base_of(self, node: Node) -> tuple[ArrayDecl, list[Node]] | None:
        """The declared array and the subscripts of ``a[i][j]``."""
        subscripts: list[Node] = []
        while type(node).__name__ == "ArrayRef":
            subscripts.insert(0, node.subscript)
            node = node.name
        if type(node).__name__ == "ID" and node.name in self.scope.arrays:
            return self.scope.arrays[node.name], subscripts
        return None

    def _address_of(self, node: Node) -> Value:
        base = self._base_of(node)
        if base is not None:
            array, subscripts = base
            if len(subscripts) > len(array.dims):
                raise self.error("launch-type", f"{array.name} has {len(array.dims)} dimensions", node)
            offset = 0
            stride = array.nbytes
            for dim, subscript in zip(array.dims, subscripts, strict=False):
                stride //= dim
                offset += self.integer(subscript, "an index") * stride
            return self._moved(node, Value(Pointer(array.elem), Address(array.name)), offset)
        if type(node).__name__ == "ArrayRef":
            pointer = self.value(node.name)
            if isinstance(pointer.data, Address) and isinstance(pointer.type, Pointer):
                step = pointer.type.to.size if pointer.type.to is not None else 1
                return self._moved(node, pointer, self.integer(node.subscript, "an index") * step)
        raise self.error("launch-type", "& needs an element of a declared array", node,
                         "a kernel gets a scalar's value; declare an array of one element for a pointer")

    def _literal(self, node: Node) -> Value:
        return self.initial(node.init, self.types.named(node.type), node)

    # --- initialisation ---

    def initial(self, init: Node | list[Node], kind: CType, node: Node) -> Value:
        """The value of an object of a type from its initialiser: an expression, or a list in braces."""
        cells: dict[int, Value] = {}
        if isinstance(init, list):
            self.fill(kind, 0, list(init), cells, node)
        elif type(init).__name__ == "InitList":
            self.fill(kind, 0, list(init.exprs or ()), cells, node)
        else:
            self._store(init, kind, 0, self.value(init), cells)
        return assemble(kind, 0, cells)

    def fill(self, kind: CType, offset: int, items: list[Node], cells: dict[int, Value], node: Node) -> None:
        """Write the leaves of a braced initialiser into ``cells`` (byte offset to value), as C11 6.7.9 has it."""
        if kind == DIM3:
            cells.update({offset + f.offset: Value(f.type, 1) for f in DIM3.fields})
        if not isinstance(kind, Struct | Array):
            if len(items) != 1:
                raise self.error("launch-bad-initialiser", f"{kind.name} takes one value", items[1] if items else node)
            self._subobject(kind, offset, items, cells)
            return
        self._members(kind, offset, items, cells, elided=False)
        if items:
            raise self.error("launch-bad-initialiser", f"more values than {kind.name} has members", items[0])

    def _members(self, kind: Struct | Array, offset: int, items: list[Node], cells: dict[int, Value],
                 elided: bool) -> None:
        count = len(kind.fields) if isinstance(kind, Struct) else kind.count
        i = 0
        while items and (i < count or type(items[0]).__name__ == "NamedInitializer"):
            if type(items[0]).__name__ == "NamedInitializer":
                if elided:
                    return
                named = items[0]
                i, part, at = self._designated(kind, offset, named.name)
                items[0] = named.expr
            else:
                part, at = _part(kind, offset, i)
            self._subobject(part, at, items, cells)
            i += 1

    def _designated(self, kind: Struct | Array, offset: int, path: Sequence[Node]) -> tuple[int, CType, int]:
        """Index of the outer member that a designator names, and type and offset of the innermost."""
        outer = -1
        part: CType = kind
        for step in path:
            if isinstance(part, Struct) and type(step).__name__ == "ID":
                i = self.member_index(part, step)
            elif isinstance(part, Array) and type(step).__name__ != "ID":
                subscript = step.expr if type(step).__name__ == "ArrayDesignator" else step
                i = self.index(subscript, part.count)
            else:
                raise self.error("launch-bad-initialiser", f"{part.name} has no such member", step)
            part, offset = _part(part, offset, i)
            outer = i if outer < 0 else outer
        return outer, part, offset

    def _subobject(self, kind: CType, offset: int, items: list[Node], cells: dict[int, Value]) -> None:
        """Initialise one member from the front of ``items``: as many as it needs when its braces are left out."""
        item = items[0]
        if type(item).__name__ == "InitList":
            items.pop(0)
            self.fill(kind, offset, list(item.exprs or ()), cells, item)
            return
        value = self.value(item)
        if isinstance(kind, Struct | Array) and value.type != kind:
            if kind == DIM3:
                cells.update({offset + f.offset: Value(f.type, 1) for f in DIM3.fields})
            self._members(kind, offset, items, cells, elided=True)
            return
        items.pop(0)
        self._store(item, kind, offset, value, cells)

    def _store(self, node: Node, kind: CType, offset: int, value: Value, cells: dict[int, Value]) -> None:
        converted = self.assignable(node, value, kind)
        if isinstance(converted.data, tuple):
            for at, leaf in flatten(converted, offset):
                cells[at] = leaf
        else:
            cells[offset] = converted

    def assignable(self, node: Node, value: Value, kind: CType) -> Value:
        """A value converted to the type of the object that it is assigned to."""
        if value.type == kind:
            return value
        if isinstance(kind, Scalar) and isinstance(value.type, Scalar):
            with self.at(node):
                return arith.convert(value, kind)
        if isinstance(kind, Pointer):
            if isinstance(value.data, Address):
                return Value(kind, value.data)
            if value.data == 0:
                return Value(kind, Address(None))
        if kind == DIM3:
            return self._dim3(node, value)
        raise self.error("launch-type", f"a value of type {value.type.name} does not fit {kind.name}", node)

    def _dim3(self, node: Node, value: Value) -> Value:
        """CUDA's implicit conversions to ``dim3``: from an integer and from ``uint3``."""
        parts = value.data if isinstance(value.data, tuple) else (value,)
        if len(parts) > 3 or not all(isinstance(p.type, Scalar) and p.type.is_integer for p in parts):
            raise self.error("launch-type", f"a value of type {value.type.name} does not fit dim3", node)
        with self.at(node):
            made = [arith.convert(p, f.type) for p, f in zip(parts, DIM3.fields, strict=False)
                    if isinstance(f.type, Scalar)]
        return Value(DIM3, (*made, *[Value(UINT, 1)] * (3 - len(made))))

    # --- sizeof ---

    def _type_of(self, node: Node) -> CType:
        """The type of a ``sizeof`` operand; arrays do not decay."""
        if type(node).__name__ == "Typename":
            return self.types.named(node)
        if type(node).__name__ == "ID":
            if node.name in self.scope.variables:
                return self.scope.variable_types[node.name]
            if node.name in self.scope.arrays:
                array = self.scope.arrays[node.name]
                return _nested(array.elem, array.dims)
        base = self._base_of(node)
        if base is not None and len(base[1]) <= len(base[0].dims):
            return _nested(base[0].elem, base[0].dims[len(base[1]):])
        return self.value(node).type


def _part(kind: Struct | Array, offset: int, i: int) -> tuple[CType, int]:
    if isinstance(kind, Struct):
        return kind.fields[i].type, offset + kind.fields[i].offset
    return kind.of, offset + i * kind.of.size


def _nested(elem: CType, dims: Sequence[int]) -> CType:
    for dim in reversed(dims):
        elem = Array(elem, dim)
    return elem


def flatten(value: Value, offset: int = 0) -> Iterator[tuple[int, Value]]:
    """Byte offset and value of every leaf."""
    if isinstance(value.data, tuple) and isinstance(value.type, Struct | Array):
        for i, part in enumerate(value.data):
            yield from flatten(part, _part(value.type, offset, i)[1])
    else:
        yield offset, value


def assemble(kind: CType, offset: int, cells: Mapping[int, Value]) -> Value:
    """The value of an object whose set leaves are ``cells``; the others are zero."""
    if isinstance(kind, Struct):
        return Value(kind, tuple(assemble(f.type, offset + f.offset, cells) for f in kind.fields))
    if isinstance(kind, Array):
        return Value(kind, tuple(assemble(kind.of, offset + i * kind.of.size, cells) for i in range(kind.count)))
    zero = Value(kind, Address(None)) if isinstance(kind, Pointer) else Value(kind, 0)
    return cells.get(offset, zero)

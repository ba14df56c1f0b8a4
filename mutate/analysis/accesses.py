"""Finds the sites of a function: every access to memory, every barrier, every call that matters.

One pass over the body in evaluation order. ``Access.node`` is the whole expression that makes the access
(the lvalue, or the call of an intrinsic); what its address depends on are the nodes in ``address``.
"""

from __future__ import annotations

import re

from mutate.analysis.atomic_objects import atomic_member, is_arrow, is_atomic, makes_reference, referred
from mutate.analysis.called import Called, is_type_variable, member_called, object_of
from mutate.analysis.calls import arguments, callee_name
from mutate.analysis.groups import group_scope
from mutate.analysis.indirect import called_value, candidates
from mutate.analysis.intrinsics import (
    ADDRESS_ONLY,
    BUILTINS,
    OUT_POINTERS,
    OUTPUT_CALLS,
    Builtin,
    takes_values_only,
)
from mutate.analysis.objects import member_functions, unknown_base
from mutate.analysis.ptx import read_ptx
from mutate.analysis.sites import Access, Barrier, Call, Sites, asm_kind, asm_text
from mutate.analysis.symbols import Space, Type, Var
from mutate.analysis.value import FLOATS, MEMORY, NONE, is_number
from mutate.analysis.values import NAMED_CASTS, Values
from mutate.frontend.tree import Node
from mutate.frontend.units import Function

_SKIP = frozenset({"sizeof_expression", "decltype", "type_descriptor", "alignof_expression", "noexcept",
                   "template_argument_list", "string_literal", "number_literal", "char_literal", "preproc_call",
                   "primitive_type", "type_identifier", "static_assert_declaration", "kernel_call_syntax",
                   "lambda_capture_specifier", "lambda_declarator", "alias_declaration", "using_declaration",
                   "type_definition"})


_LISTS = frozenset({"argument_list", "initializer_list"})
_OPERATIONS = frozenset({"binary_expression", "unary_expression", "pointer_expression", "update_expression",
                         "assignment_expression", "field_expression"})


class Scanner:
    """Collects the sites of one function."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.sites = Sites()
        self._in_lambda = 0
        self._functions = values.functions
        self._methods = values.methods
        self._foreign = bool(values.function.owner) and bool(unknown_base(values.unit, values.function.owner))
        initialisers = values.function.node.find("field_initializer_list")
        if initialisers is not None:
            self._initialisers(initialisers)
        self._scan(values.function.body, "value")

    def _initialisers(self, node: Node) -> None:
        """What a constructor gives its members; of what a reference is bound to only the place is used."""
        for each in node.kids:
            member = self.values.scopes.members.get(each.kids[0].text) if each.kids else None
            for part in each.kids:
                if part.type in ("argument_list", "initializer_list"):
                    self._scan_all(part.kids, "address" if member is not None and member.is_ref else "value")

    def _record(self, access: Access) -> None:
        access.in_lambda = self._in_lambda > 0
        self.sites.accesses.append(access)
        self.sites.at[access.node] = access

    def _scan_all(self, nodes: list[Node] | tuple[Node, ...], mode: str = "value") -> None:
        for n in nodes:
            self._scan(n, mode)

    def _scan(self, node: Node, mode: str) -> None:
        kind = node.type
        if kind in _SKIP:
            return
        if kind in _OPERATIONS and (op := node.get("operator")) is not None and f"operator{op.text}" in self._methods:
            self._operator(node, f"operator{op.text}")
        if kind == "identifier":
            self._lvalue(node, mode, ())
        elif kind == "parenthesized_expression":
            self._scan_all(node.kids, mode)
        elif kind == "subscript_expression" and (called := member_called(self.values, node)) is not None:
            self._member_call(node, called, mode)
        elif kind == "subscript_expression":
            base, indices = node.get("argument"), node.get("indices")
            parts = [base] if base is not None else []
            index_nodes = list(indices.kids) if indices is not None else []
            if base is not None:
                self._scan(base, "address" if self.values.value(base).type.kind != "pointer" else "value")
            self._scan_all(index_nodes)
            self._lvalue(node, mode, (*parts, *index_nodes))
        elif kind == "pointer_expression":
            op, arg = node.get("operator"), node.get("argument")
            if arg is None:
                return
            if op is not None and op.text == "&":
                self._scan(arg, "address")
            else:
                self._scan(arg, "value" if self.values.value(arg).type.kind != "array" else "address")
                self._lvalue(node, mode, (arg,))
        elif kind == "field_expression":
            arg, op = node.get("argument"), node.get("operator")
            if arg is None:
                return
            arrow = op is not None and op.text == "->"
            self._scan(arg, "value" if arrow else "address")
            self._lvalue(node, mode, () if arg.type == "this" else (arg,))
            if arg.type == "this" and self._foreign and self.values.own_member(node) is None \
                    and node not in self.sites.at:
                # A member of a class that is not known: whatever it is, it may be or point to global memory.
                self._record(Access("load", node, frozenset({Space.UNKNOWN}), frozenset(), Type(), ()))
        elif kind == "conditional_expression":
            for field_name in ("condition", "consequence", "alternative"):
                part = node.get(field_name)
                if part is not None:
                    self._scan(part, "value" if field_name == "condition" else mode)
        elif kind == "assignment_expression":
            self._assignment(node)
        elif kind == "update_expression":
            arg = node.get("argument")
            if arg is not None:
                self._scan(arg, "update")
                self._claim(arg, node, ())
        elif kind == "call_expression":
            self._call(node, mode)
        elif kind == "return_statement" and self.values.function.returns_reference and not self._in_lambda:
            self._scan_all(node.kids, "address")
        elif kind == "gnu_asm_expression":
            self._asm(node)
        elif kind == "lambda_expression":
            self._in_lambda += 1
            body = node.get("body")
            if body is not None:
                self._scan(body, "value")
            self._in_lambda -= 1
        elif kind == "declaration":
            type_node = node.get("type")
            for kid in node.kids:
                if kid is not type_node and kid.type == "init_declarator":
                    value = kid.get("value")
                    if value is not None:
                        var = self._declared_var(kid)
                        if makes_reference(self.values, kid):
                            self._scan_all(value.kids if value.type in _LISTS else [value], "address")
                            continue
                        self._scan(value, "address" if var is not None and var.is_ref else "value")
            self._made(node)
        elif kind == "compound_literal_expression" and makes_reference(self.values, node):
            self._scan_all([k for n in node.kids for k in n.kids if n.type in _LISTS], "address")
        elif kind == "compound_literal_expression" and (type_name := self.values.value(node).type.name):
            self._scan_all(node.kids)
            value = node.get("value")
            self._makes(node, type_name, list(value.kids) if value is not None else [])
        else:
            self._scan_all(node.kids)

    def _made(self, node: Node) -> None:
        """Constructors and destructors of the objects that a declaration makes."""
        for kid in node.kids:
            var = self._declared_var(kid) if kid is not node.get("type") else None
            if var is None or var.is_ref or var.type.is_address:
                continue
            value = kid.get("value") if kid.type == "init_declarator" else None
            if value is None or value.type in ("argument_list", "initializer_list"):
                self._makes(kid, var.type.name, list(value.kids) if value is not None else [])
            if var.node is not None and (ends := self._methods.get(f"~{var.type.name}")) and var.node is not kid:
                self._plain_call(var.node, f"~{var.type.name}", [],
                                 member=Called(f"~{var.type.name}", tuple(ends), var.node))

    def _makes(self, node: Node, name: str, args: list[Node]) -> None:
        found = tuple(f for f in self._methods.get(name, ()) if f.owner == name)
        if found:
            self._plain_call(node, name, args, member=Called(name, found, None))

    def _declared_var(self, declarator: Node) -> Var | None:
        for n in declarator.walk():
            if n.type == "identifier" and n in self.values.scopes.var_of:
                return self.values.scopes.var_of[n]
        return None

    def _assignment(self, node: Node) -> None:
        left, right, op = node.get("left"), node.get("right"), node.get("operator")
        if right is not None:
            self._scan(right, "value")
        if left is not None:
            self._scan(left, "store" if op is None or op.text == "=" else "update")
            self._claim(left, node, (right,) if right is not None else ())

    def _claim(self, lvalue: Node, statement: Node, value: tuple[Node, ...]) -> None:
        while lvalue.type == "parenthesized_expression" and lvalue.kids:
            lvalue = lvalue.kids[0]
        if lvalue.type == "conditional_expression":
            for field_name in ("consequence", "alternative"):
                if (part := lvalue.get(field_name)) is not None:
                    self._claim(part, statement, value)
        access = self.sites.at.get(lvalue)
        if access is not None:
            access.statement = statement
            access.value = value

    def _lvalue(self, node: Node, mode: str, address: tuple[Node, ...]) -> None:
        if mode == "address":
            return
        value = self.values.value(node)
        if is_atomic(self.values, value.type):
            # An operator or a conversion of it, or a function that gets it: what that accesses is not seen.
            found = (value.spaces & MEMORY) | value.targets
            self._refuse(node, value.type.name, found, value.roots | value.target_roots)
            return
        if node.type == "identifier":
            var = self.values.scopes.var_of.get(node)
            if var is None or not (var.is_ref or var.space in MEMORY or var.home):
                return
        if value.type.kind == "array" or not value.spaces & MEMORY:
            return
        kind = {"value": "load", "store": "store", "update": "update"}[mode]
        self._record(Access(kind, node, value.spaces, value.roots, value.type, address))

    def _refuse(self, node: Node, name: str, spaces: frozenset[Space], roots: frozenset[Var]) -> None:
        call = Call(node, name, (), (node,), ((spaces, roots),), in_lambda=self._in_lambda > 0)
        self.sites.calls.append(call)
        self.sites.call_at[node] = call

    # -- calls --------------------------------------------------------------------------------------------

    def _member_call(self, node: Node, called: Called, mode: str) -> None:
        """A call on an object. What it returns a reference to is accessed where the call stands."""
        args = arguments(node)
        if called.receiver is not None:
            self._scan(called.receiver, "value" if called.arrow else "address")
        self._arguments(args, called.functions)
        self._plain_call(node, called.name, args, member=called)
        if any(f.returns_reference for f in called.functions):
            self._lvalue(node, mode, (*([called.receiver] if called.receiver is not None else ()), *args))

    def _operator(self, node: Node, name: str) -> None:
        """An operator that the class of an operand may define: what it does is not seen where it stands."""
        operand = node.get("argument") or node.get("left")
        type_ = self.values.value(operand).type if operand is not None else Type()
        found = member_functions(self.values.unit, self._methods, type_.name, name) if type_.kind == "value" else ()
        if found and operand is not None:
            right = node.get("right")
            # The operands are accessed where they stand, so that what is left is where the class's pointers point.
            call = Call(node, name, found, (right,) if right is not None else (), ((NONE, frozenset()),),
                        True, self._in_lambda > 0, member=Called(name, found, operand, in_registers=True))
            self.sites.calls.append(call)
            self.sites.call_at[node] = call

    def _arguments(self, args: list[Node], functions: tuple[Function, ...]) -> None:
        """What is handed on by reference is accessed by the callee, not here."""
        for i, arg in enumerate(args):
            by_reference = any(i < len(f.params) and "&" in f.params[i].type_text for f in functions)
            self._scan(arg, "address" if by_reference and _is_lvalue(arg) else "value")

    def _call(self, node: Node, mode: str) -> None:
        name, args, function = callee_name(node), arguments(node), node.get("function")
        if function is not None and function.type == "field_expression" and self._cooperative(node, name, function,
                                                                                              args):
            return
        if function is not None and (atomic := atomic_member(self.values, node)) is not None:
            member, receiver, spaces, roots = atomic
            self._scan(receiver, "value" if is_arrow(function) else "address")
            self._scan_all(args)
            data = tuple(args[i] for i in member.values if i < len(args))
            address = (receiver, *(a for a in args if a not in data))
            self._record(Access(member.kind, node, spaces, roots, Type(), address, data, name, node,
                                receiver=receiver))
            return
        called = member_called(self.values, node)
        if called is not None:
            self._member_call(node, called, mode)
            return
        if referred(self.values, name, args) is not None:
            self._scan_all(args, "address")
            return
        if function is not None and (function.type == "primitive_type" or (
                function.type == "template_function" and name in NAMED_CASTS)):
            self._scan_all(args)
            return
        if function is not None and function.type == "qualified_identifier" and args and name in (
                "sync", "barrier_wait", "wait", "wait_prior"):
            scope = group_scope(self.values, args[0])
            if scope is not None:
                self._barrier(node, scope, name)
                return
        callee = called_value(self.values, node)
        if callee is not None:
            found = candidates(self.values.unit, self.values, callee, args)
            if found and all(f.is_method for f in found):
                self._member_call(node, Called("operator()", found, callee), mode)
                return
            self._scan(callee, "value")
            self._scan_all(args)
            self._plain_call(node, name, args, callee=callee, found=found)
            return
        local = self.values.scopes.var_of.get(function) if function is not None else None
        if local is not None:
            params = self.values.lambda_params(local)
            for i, arg in enumerate(args):
                by_reference = i < len(params) and (p := params[i]) is not None and p.is_ref
                self._scan(arg, "address" if by_reference and _is_lvalue(arg) else "value")
            self._plain_call(node, name, args, local=local)
            return
        if name not in self._functions and (made := self.values.class_named(name)):
            self._scan_all(args)
            self._makes(node, made, args)
            return
        builtin = BUILTINS.get(name)
        if name == "memcpy" and (self._copies_to_variable(node, args) or self._copies_from_variable(node, args)):
            return
        if builtin is None:
            known = self._functions.get(name, ())
            static = () if known or function is None else self._static_members(function, name)
            self._arguments(args, (*known, *static))
            self._plain_call(node, name, args, static=static)
            if any(f.returns_reference for f in known):
                self._lvalue(node, mode, tuple(args))
            return
        if builtin.kind == "barrier":
            self._scan_all(args)
            self._barrier(node, "block", name, returns=name in ("__syncthreads_count", "__syncthreads_and",
                                                                "__syncthreads_or", "__barrier_sync_count"))
        elif builtin.kind == "warp":
            self._scan_all(args)
            self._barrier(node, "warp", name)
        elif builtin.kind in ("fence", "wait"):
            self._scan_all(args)
        elif builtin.kind in ("texture", "surface-load", "surface-store"):
            self._scan_all(args)
            kind, data = builtin.kind, tuple(args[i] for i in builtin.values if i < len(args))
            if kind != "surface-store" and args and (to := self.values.value(args[0]).decay()).type.kind == "pointer":
                # ``surf2Dread(&v, ...)`` has no value but fills a variable: as a fragment is loaded.
                if to.targets & MEMORY:
                    self._plain_call(node, name, args)  # a load and a store in one
                    return
                kind, data, args = "fragment-load", (_addressed(args[0]) or args[0],), args[1:]
            self._record(Access(kind, node, frozenset({Space.GLOBAL}), frozenset(), Type(),
                                tuple(a for a in args if a not in data), data, name, node))
        else:
            self._memory_call(node, name, args)

    def _copies_to_variable(self, node: Node, args: list[Node]) -> bool:
        """``memcpy(&v, p, sizeof v)`` and ``memcpy(array, p, n)`` load bytes from memory: as a fragment is loaded."""
        target = (_addressed(args[0]) or self._local_array(args[0])) if len(args) == 3 else None
        if target is None:
            return False
        to, source = self.values.value(target), self.values.value(args[1]).decay()
        if not to.spaces <= {Space.REGISTER, Space.LOCAL} or not source.targets & {Space.GLOBAL, Space.UNKNOWN}:
            return False
        self._scan_all(args)
        self._record(Access("fragment-load", node, source.targets, source.target_roots, source.type.elem or Type(),
                            (args[1], args[2]), (target,), "memcpy", node))
        return True

    def _local_array(self, node: Node) -> Node | None:
        var = self.values.scopes.var_of.get(node)
        return node if var is not None and not var.is_param and not var.is_ref and var.type.kind == "array" else None

    def _copies_from_variable(self, node: Node, args: list[Node]) -> bool:
        """``memcpy(p, &v, sizeof v)`` stores a variable's bytes to memory: as a fragment is stored."""
        source = _addressed(args[1]) if len(args) == 3 else None
        if source is None:
            return False
        held, to = self.values.value(source), self.values.value(args[0]).decay()
        if not held.spaces <= {Space.REGISTER, Space.LOCAL} or not to.targets & {Space.GLOBAL, Space.UNKNOWN}:
            return False
        self._scan_all([args[0], args[2]])
        self._scan(source, "value")
        self._record(Access("fragment-store", node, to.targets, to.target_roots, to.type.elem or Type(),
                            (args[0], args[2]), (source,), "memcpy", node))
        return True

    def _static_members(self, function: Node, name: str) -> tuple[Function, ...]:
        """What ``T::f(...)`` may call: members of that type, or of any where it is a template parameter or an alias."""
        scope = function.get("scope") if function.type == "qualified_identifier" else None
        if scope is None:
            return ()
        owner = scope.text.split("<")[0].strip().split("::")[-1]
        members = tuple(self._methods.get(name, ()))
        own = tuple(f for f in members if owner == f.owner or owner in f.qualified.split("::"))
        return own or (members if is_type_variable(self.values, owner) else ())

    def _memory_call(self, node: Node, name: str, args: list[Node]) -> None:
        builtin = BUILTINS[name]
        self._scan_all(args)
        if name == "memcpy_async" and args and self.values.value(args[0]).decay().type.kind == "pointer":
            builtin = Builtin("async", 0, source=1)  # of one thread: no group comes first
        if builtin.pointer >= len(args):
            return
        pointer = self.values.value(args[builtin.pointer]).decay()
        spaces, roots = pointer.targets or frozenset({Space.UNKNOWN}), pointer.target_roots
        if builtin.kind == "async" and builtin.source < len(args):
            # The global side of a copy into shared memory is its source.
            source = self.values.value(args[builtin.source]).decay()
            spaces = spaces | (source.targets or frozenset({Space.GLOBAL}))
            roots = roots | source.target_roots
        data = tuple(args[i] for i in builtin.values if i < len(args))
        self._record(Access(builtin.kind, node, spaces, roots, pointer.type.elem or Type(),
                            tuple(a for a in args if a not in data), data, name, node))

    def _barrier(self, node: Node, scope: str, spelling: str, returns: bool = False) -> None:
        barrier = Barrier(node, scope, spelling, returns)
        self.sites.barriers.append(barrier)
        self.sites.barrier_at[node] = barrier

    def _cooperative(self, node: Node, name: str, function: Node, args: list[Node]) -> bool:
        obj = function.get("argument")
        if obj is None or name not in ("sync", "barrier_arrive", "barrier_wait", "arrive_and_wait", "arrive", "wait"):
            return False
        scope = group_scope(self.values, obj)
        if scope is None:
            return False
        self._scan_all(args)
        self._barrier(node, scope, f"{obj.text}.{name}")
        return True

    def _plain_call(self, node: Node, name: str, args: list[Node], member: Called | None = None,
                    callee: Node | None = None, static: tuple[Function, ...] = (), local: Var | None = None,
                    found: tuple[Function, ...] = ()) -> None:
        callees: tuple[Function, ...] = ()
        if local is None:
            if name in ADDRESS_ONLY or name in OUTPUT_CALLS or name in OUT_POINTERS:
                return
            callees = found if callee is not None else member.functions if member is not None else \
                static or tuple(self._functions.get(name, ()))
            if not callees and callee is None and member is None and takes_values_only(name):
                return
        targets = []
        for i, a in enumerate(args):
            v = self.values.value(a).decay()
            # An integer may be an address; what is a floating-point number is none, whatever it was handed on from.
            carried = v.targets if v.type.name not in FLOATS or v.type.is_address else frozenset()
            # A structure passed by value or a reference to memory hands its pointers on too.
            if not carried and v.roots and v.type.kind == "value" and self.values.unit.struct(v.type.name) is not None:
                carried = frozenset(s for r in v.roots for s in r.spaces)
            # Only a body that is known can take a memory lvalue by reference; library functions take values.
            by_reference = v.spaces & MEMORY if callees and callee is None and v.type.kind == "value" and any(
                "&" in f.params[i].type_text for f in callees if i < len(f.params)) else frozenset()
            # By value a number is handed on, not the place that it was loaded from.
            place = v.roots if by_reference or carried or not (is_number(v.type) and v.spaces & MEMORY) else frozenset()
            targets.append((carried or by_reference, v.target_roots or place))
        method = member is not None or bool(static)
        if member is not None and member.receiver is not None:
            v = object_of(self.values, member)
            targets.append((v.targets if not v.spaces & MEMORY else v.spaces & MEMORY, v.target_roots | v.roots))
        call = Call(node, name, callees, tuple(args), tuple(targets), method, self._in_lambda > 0, local, callee,
                    member)
        self.sites.calls.append(call)
        self.sites.call_at[node] = call

    def _asm(self, node: Node) -> None:
        inputs, outputs = node.get("input_operands"), node.get("output_operands")
        sources = [o.get("value") for o in (inputs.kids if inputs is not None else ())]
        results = [(o.get("value"), "update" if (c := o.get("constraint")) is not None and "+" in c.text else "store")
                   for o in (outputs.kids if outputs is not None else ())]
        for s in sources:
            if s is not None:
                self._scan(s, "value")
        for r, mode in results:
            if r is not None:
                self._scan(r, mode)
        kind = asm_kind(node)
        if kind == "barrier":
            self._barrier(node, "block", "inline PTX")
        elif kind == "warp":
            self._barrier(node, "warp", "inline PTX")
        elif kind:
            spaces: frozenset[Space] = frozenset()
            roots: frozenset[Var] = frozenset()
            for s in sources:
                v = self.values.value(s).decay()
                spaces |= v.targets
                roots |= v.target_roots
            text = asm_text(node)
            if re.search(r"\.shared\b", text) and "cp.async" not in text:
                spaces = frozenset({Space.SHARED})
            elif not spaces or ".global" in text or kind in ("async", "tma"):
                spaces = spaces | {Space.GLOBAL}
            parts = read_ptx(node, any_space=True)
            address, value = (tuple(s for s in sources if s is not None), ()) if parts is None or kind == "async" else (
                (parts.address, *((parts.condition,) if parts.condition is not None else ())),
                parts.values if parts.kind == "store" else ())
            self._record(Access("asm", node, spaces, roots, Type(), address, value, "", node, asm_kind=kind))


def _addressed(node: Node) -> Node | None:
    """``x`` of ``&x``."""
    op = node.get("operator") if node.type == "pointer_expression" else None
    return node.get("argument") if op is not None and op.text == "&" else None


def _is_lvalue(node: Node) -> bool:
    return node.type in ("identifier", "subscript_expression", "field_expression", "parenthesized_expression") or (
        node.type == "pointer_expression" and (op := node.get("operator")) is not None and op.text == "*")

"""Finds the sites of a function: every access to memory, every barrier, every call that matters.

One pass over the body in evaluation order. ``Access.node`` is the whole expression that makes the access
(the lvalue, or the call of an intrinsic); what its address depends on are the nodes in ``address``.
"""

from __future__ import annotations

import re

from mutate.analysis.indirect import called_value, candidates
from mutate.analysis.intrinsics import (
    ADDRESS_ONLY,
    BUILTINS,
    COOPERATIVE_TYPES,
    OUT_POINTERS,
    OUTPUT_CALLS,
    Builtin,
    takes_values_only,
)
from mutate.analysis.sites import Access, Barrier, Call, Sites, asm_kind, asm_text
from mutate.analysis.symbols import Space, Type, Var
from mutate.analysis.values import MEMORY, NAMED_CASTS, Values, arguments, callee_name
from mutate.frontend.tree import Node
from mutate.frontend.units import Function

_SKIP = frozenset({"sizeof_expression", "decltype", "type_descriptor", "alignof_expression", "noexcept",
                   "template_argument_list", "string_literal", "number_literal", "char_literal", "preproc_call",
                   "primitive_type", "type_identifier", "static_assert_declaration", "kernel_call_syntax",
                   "lambda_capture_specifier", "lambda_declarator", "alias_declaration", "using_declaration",
                   "type_definition"})


class Scanner:
    """Collects the sites of one function."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.sites = Sites()
        self._in_lambda = 0
        self._functions = values.unit.device_functions()
        self._methods = values.unit.methods()
        self._scan(values.function.body, "value")

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
        if kind == "identifier":
            self._lvalue(node, mode, ())
        elif kind == "parenthesized_expression":
            self._scan_all(node.kids, mode)
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
            self._lvalue(node, mode, (arg,))
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
            self._call(node)
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
                        self._scan(value, "address" if var is not None and var.is_ref else "value")
        else:
            self._scan_all(node.kids)

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
        if node.type == "identifier":
            var = self.values.scopes.var_of.get(node)
            if var is None or not (var.is_ref or var.space in MEMORY):
                return
        if value.type.kind == "array" or not value.spaces & MEMORY:
            return
        kind = {"value": "load", "store": "store", "update": "update"}[mode]
        self._record(Access(kind, node, value.spaces, value.roots, value.type, address))

    # -- calls --------------------------------------------------------------------------------------------

    def _call(self, node: Node) -> None:
        name, args, function = callee_name(node), arguments(node), node.get("function")
        if function is not None and function.type == "field_expression":
            if self._cooperative(node, name, function, args):
                return
            obj = function.get("argument")
            if obj is not None:
                self._scan(obj, "address")
            self._scan_all(args)
            self._plain_call(node, name, args, method=True, obj=obj)
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
            self._scan(callee, "value")
            self._scan_all(args)
            self._plain_call(node, name, args, callee=callee)
            return
        local = self.values.scopes.var_of.get(function) if function is not None else None
        if local is not None:
            params = self.values.lambda_params(local)
            for i, arg in enumerate(args):
                by_reference = i < len(params) and (p := params[i]) is not None and p.is_ref
                self._scan(arg, "address" if by_reference and _is_lvalue(arg) else "value")
            self._plain_call(node, name, args, local=local)
            return
        builtin = BUILTINS.get(name)
        if name == "memcpy" and (self._copies_to_variable(node, args) or self._copies_from_variable(node, args)):
            return
        if builtin is None:
            known = self._functions.get(name, ())
            static = () if known or function is None else self._static_members(function, name)
            for i, arg in enumerate(args):
                # What is handed on by reference is accessed by the callee, not here.
                by_reference = any(i < len(f.params) and "&" in f.params[i].type_text for f in (*known, *static))
                self._scan(arg, "address" if by_reference and _is_lvalue(arg) else "value")
            self._plain_call(node, name, args, method=bool(static), static=static)
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
            data = tuple(args[i] for i in builtin.values if i < len(args))
            self._record(Access(builtin.kind, node, frozenset({Space.GLOBAL}), frozenset(), Type(),
                                tuple(a for a in args if a not in data), data, name, node))
        else:
            self._memory_call(node, name, args)

    def _copies_to_variable(self, node: Node, args: list[Node]) -> bool:
        """``memcpy(&v, p, sizeof v)`` loads a variable's bytes from memory: as a fragment is loaded."""
        target = args[0].get("argument") if len(args) == 3 and args[0].type == "pointer_expression" else None
        if target is None or (op := args[0].get("operator")) is None or op.text != "&":
            return False
        to, source = self.values.value(target), self.values.value(args[1]).decay()
        if not to.spaces <= {Space.REGISTER, Space.LOCAL} or not source.targets & {Space.GLOBAL, Space.UNKNOWN}:
            return False
        self._scan_all(args)
        self._record(Access("fragment-load", node, source.targets, source.target_roots, source.type.elem or Type(),
                            (args[1], args[2]), (target,), "memcpy", node))
        return True

    def _copies_from_variable(self, node: Node, args: list[Node]) -> bool:
        """``memcpy(p, &v, sizeof v)`` stores a variable's bytes to memory: as a fragment is stored."""
        source = args[1].get("argument") if len(args) == 3 and args[1].type == "pointer_expression" else None
        if source is None or (op := args[1].get("operator")) is None or op.text != "&":
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
        own = tuple(f for f in members if owner in f.qualified.split("::"))
        return own or (members if self._is_type_variable(owner) else ())

    def _is_type_variable(self, name: str) -> bool:
        """Whether a name stands for a type that is not known here: a template parameter, an alias."""
        function = self.values.function
        return name in function.template_params or self.values.unit.typedef(name) is not None or bool(
            re.search(rf"\busing\s+{re.escape(name)}\s*=|\btypedef\b[^;]*\b{re.escape(name)}\s*;", function.body.text))

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

    def _plain_call(self, node: Node, name: str, args: list[Node], method: bool = False,
                    obj: Node | None = None, callee: Node | None = None, static: tuple[Function, ...] = (),
                    local: Var | None = None) -> None:
        callees: tuple[Function, ...] = ()
        if local is None:
            if name in ADDRESS_ONLY or name in OUTPUT_CALLS or name in OUT_POINTERS:
                return
            callees = candidates(self.values.unit, self.values, callee, args) if callee is not None else \
                static or tuple((self._methods if method else self._functions).get(name, ()))
            if not callees and callee is None and not method and takes_values_only(name):
                return
        targets = []
        for a in args:
            v = self.values.value(a).decay()
            # An integer may be an address; what is a floating-point number is none, whatever it was handed on from.
            carried = v.targets if v.type.name not in ("float", "double") or v.type.is_address else frozenset()
            # A structure passed by value or a reference to memory hands its pointers on too.
            if not carried and v.roots and v.type.kind == "value" and self.values.unit.struct(v.type.name) is not None:
                carried = frozenset(s for r in v.roots for s in r.spaces)
            # Only a body that is known can take a memory lvalue by reference; library functions take values.
            by_reference = v.spaces & MEMORY if callees and callee is None and v.type.kind == "value" and any(
                "&" in p.type_text for f in callees for p in f.params) else frozenset()
            targets.append((carried or by_reference, v.target_roots or v.roots))
        if obj is not None:
            v = self.values.value(obj).decay()
            targets.append((v.targets, v.target_roots))
        call = Call(node, name, callees, tuple(args), tuple(targets), method, self._in_lambda > 0, local, callee)
        self.sites.calls.append(call)
        self.sites.call_at[node] = call

    def _asm(self, node: Node) -> None:
        inputs, outputs = node.get("input_operands"), node.get("output_operands")
        sources = [o.get("value") for o in (inputs.kids if inputs is not None else ())]
        results = [o.get("value") for o in (outputs.kids if outputs is not None else ())]
        for s in sources:
            if s is not None:
                self._scan(s, "value")
        for r in results:
            if r is not None:
                self._scan(r, "store")
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
            self._record(Access("asm", node, spaces, roots, Type(), tuple(s for s in sources if s is not None),
                                (), "", node, asm_kind=kind))


def _is_lvalue(node: Node) -> bool:
    return node.type in ("identifier", "subscript_expression", "field_expression", "parenthesized_expression") or (
        node.type == "pointer_expression" and (op := node.get("operator")) is not None and op.text == "*")


def group_scope(values: Values, node: Node) -> str | None:
    """block | warp | cluster | grid for a cooperative-groups object, ``None`` when it is something else."""
    if node.type == "call_expression":
        return _scope_of_type(callee_name(node).removeprefix("this_"))
    var = values.root_variable(node)
    if var is None:
        return None
    if var.type.name in COOPERATIVE_TYPES:
        return _scope_of_type(var.type.name)
    if var.init is not None and var.init.type == "call_expression":
        return _scope_of_type(callee_name(var.init).removeprefix("this_"))
    return None


def _scope_of_type(name: str) -> str | None:
    if name in ("thread_block", "thread_group"):
        return "block"
    if name in ("thread_block_tile", "coalesced_group", "tiled_partition", "coalesced_threads"):
        return "warp"
    if name in ("cluster_group", "cluster"):
        return "cluster"
    if name in ("grid_group", "grid", "multi_grid_group", "multi_grid"):
        return "grid"
    return None

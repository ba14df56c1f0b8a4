"""A kernel together with the device functions it reaches, each analysed for the pointers it is called with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mutate.analysis.accesses import Scanner
from mutate.analysis.called import state_of
from mutate.analysis.calls import arguments, callee_name
from mutate.analysis.constants import function_named, is_constant, split_arguments
from mutate.analysis.groups import group_scope
from mutate.analysis.local_writes import LOCAL, may_write_behind
from mutate.analysis.made import Parts, parts_of
from mutate.analysis.objects import ObjectState, declaration_of, is_in_class, is_of_template, members_of, obstacle
from mutate.analysis.sites import Access, Barrier, Call, Sites
from mutate.analysis.symbols import Scopes, Space, Var, file_variables
from mutate.analysis.value import MEMORY, hides_no_pointer, is_number
from mutate.analysis.values import Values
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Unit

ParamTargets = tuple[tuple[frozenset[Space], frozenset[Var]], ...]
Context = tuple[tuple[frozenset[Space], frozenset[Var]], ...]
"""Spaces, shared arrays and lambdas of the arguments of a call: calls with equal ones share their mutated functions."""
_MAX_CONTEXTS = 200
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Mem:
    """The memory behind a variable: a shared array's elements, what a global pointer points to."""

    var: Var


Obj = Var | Mem


_CONSTANT_MEMBERS = frozenset({"num_elements", "num_storage_elements"})


@dataclass(eq=False)
class FunctionInfo:
    """One function under one combination of address spaces of its pointer arguments."""

    function: Function
    scopes: Scopes
    values: Values
    sites: Sites
    callees: dict[Node, list[FunctionInfo]] = field(default_factory=dict)
    """Call node -> the definitions it may reach (overloads, specialisations)."""
    number: int = 0
    """Tells apart the analyses of one function, and of its overloads, under different contexts."""
    _uses: dict[Node, frozenset[Obj]] = field(default_factory=dict)
    _unread: dict[Node, frozenset[Var]] = field(default_factory=dict)
    local_writes: dict[int, bool] = field(default_factory=dict)
    """Whether what a parameter points to is written, of those that have been asked for (``local_writes``)."""
    _changed: frozenset[str] | Literal[False] | None = False

    def uses(self, node: Node) -> frozenset[Obj]:
        """Everything whose value an expression reads: variables, and memory behind loads."""
        found = self._uses.get(node)
        if found is None:
            out: set[Obj] = set()
            self._collect(node, out)
            found = self._uses[node] = frozenset(out)
        return found

    def _collect(self, node: Node, out: set[Obj], placed: bool = False) -> None:
        """``placed``: of the lvalue only the place is used, as in ``&a.b``."""
        if node.type in ("sizeof_expression", "type_descriptor", "string_literal", "number_literal", "decltype"):
            return
        if node.type == "identifier":
            var = self.scopes.var_of.get(node)
            if var is not None:
                out.add(var)
                if var.home and var.type.kind != "array" and not placed:
                    out.update(Mem(r) for r in var.home_roots)
                if var.space in MEMORY and var.type.kind != "array" and not placed and \
                        not self.values.hands_over(node) and not self._only_placed(node):
                    # A shared scalar: its value is in memory, under no other name.
                    out.add(Mem(var))
                out.update(r for r in var.roots if r.space in (Space.LOCAL, Space.REGISTER) and r is not var)
                access = self.sites.at.get(node)
                if var.is_ref and access is not None and access.reads:
                    out.update(Mem(r) for r in access.roots)
            return
        if node.type == "this":
            members = self.scopes.members.values()
            out.update(members)
            out.update(Mem(r) for v in members for r in v.home_roots)
            return
        if (own := self.values.own_member(node)) is not None:
            out.add(own)
            if own.home and own.type.kind != "array" and not placed:
                out.update(Mem(r) for r in own.home_roots)
            return
        if node.type == "field_expression" and self._is_constant(node):
            for part in node.walk():
                if part.type == "subscript_argument_list":
                    self._collect(part, out)
            return
        access = self.sites.at.get(node)
        if access is not None and (access.reads or access.kind == "atomic"):
            # An asynchronous copy reads global memory only; its shared side is written.
            out.update(Mem(r) for r in access.roots if access.kind != "async" or r.space is not Space.SHARED)
        call = self.sites.call_at.get(node)
        if call is not None:
            unread = self._unread_by(call)
            for spaces, roots in call.targets:
                if spaces:
                    out.update(Mem(r) for r in roots - unread)
        inner = node.get("argument")
        op = node.get("operator") if inner is not None else None
        for kid in node.kids:
            self._collect(kid, out, kid is inner and (
                (node.type == "pointer_expression" and op is not None and op.text == "&") or (placed and (
                    (node.type == "field_expression" and op is not None and op.text == ".") or
                    (node.type == "subscript_expression" and self.values.value(kid).type.kind == "array")))))

    def _only_placed(self, node: Node) -> bool:
        """Whether of an object in memory only the place is used: what is read of it is an access of its own, or one of

        the member function that is called on it.
        """
        up = node.parent
        if up is None or up.type != "field_expression" or up.get("argument") is not node or \
                (op := up.get("operator")) is None or op.text != ".":
            return False
        called = up.parent
        return called is None or called.type != "call_expression" or called.get("function") is not up or \
            bool(self.callees.get(called))

    def _unread_by(self, call: Call) -> frozenset[Var]:
        """The shared arrays that a call gets and that nothing reads which it reaches."""
        given = {r for _, roots in call.targets for r in roots if r.space is Space.SHARED}
        if not given or not self.callees.get(call.node):
            return frozenset()
        found = self._unread.get(call.node)
        if found is None:
            reached = {id(i): i for c in self.callees[call.node] for i in c.reachable()}.values()
            followed = all(i.callees.get(c.node) or c.local is not None for i in reached for c in i.sites.calls)
            read = {r for i in reached for a in i.sites.accesses if a.reads or a.kind in ("atomic", "asm")
                    for r in a.roots}
            found = self._unread[call.node] = frozenset(given - read) if followed else frozenset()
        return found

    def _is_constant(self, node: Node) -> bool:
        """Whether a member is a constant of its type: how many elements a fragment of a matrix has."""
        field = node.get("field")
        if field is None or field.text not in _CONSTANT_MEMBERS:
            return False
        var = self.values.root_variable(node)
        return var is not None and var.type.innermost().name == "fragment"

    def written_by(self, lvalue: Node) -> frozenset[Obj]:
        """What an assignment to an lvalue changes."""
        while lvalue.type == "parenthesized_expression" and lvalue.kids:
            lvalue = lvalue.kids[0]
        access = self.sites.at.get(lvalue)
        if access is not None:
            return frozenset(Mem(r) for r in access.roots)
        var = self.values.root_variable(lvalue)
        if var is not None:
            return frozenset({var, *(r for r in var.roots if var.is_ref and r.space in (Space.LOCAL, Space.REGISTER))})
        if lvalue.type == "conditional_expression":
            parts = [p for f in ("consequence", "alternative") if (p := lvalue.get(f)) is not None]
            return frozenset(o for p in parts for o in self.written_by(p))
        value = self.values.value(lvalue)
        return frozenset(r for r in value.roots if r.space in (Space.LOCAL, Space.REGISTER))

    def written_by_call(self, call_node: Node, args: tuple[Node, ...]) -> frozenset[Obj]:
        """Local variables whose address or reference is handed to a call, shared and global memory behind pointers."""
        out: set[Obj] = set()
        infos = self.callees.get(call_node, [])
        by_reference = bool(infos) or call_node in self.sites.call_at
        for i, arg in enumerate(args):
            if self._passed_by_constant(infos, i) or group_scope(self.values, arg) is not None or (
                    i == 1 and not infos and callee_name(call_node) == "memcpy"):
                continue
            value = self.values.value(arg)
            decayed = value.decay()
            if decayed.type.kind == "pointer" or decayed.targets:
                # A root that is a kernel parameter stands for the global memory behind it, not for the pointer.
                local = decayed.targets <= LOCAL
                here, there = decayed.targets & LOCAL, decayed.targets - LOCAL
                if infos and decayed.targets and there <= {Space.GLOBAL, Space.SHARED} and not (
                        here and any(may_write_behind(info, i) for info in infos)) and not (
                        there and any(info.writes_through(i) for info in infos)):
                    continue
                for r in decayed.target_roots:
                    out.add(r if local and r.space in (Space.LOCAL, Space.REGISTER) else Mem(r))
            if infos and value.spaces & {Space.SHARED, Space.GLOBAL} and self._is_reference(infos, i) and any(
                    info.writes_through(i) for info in infos):
                out.update(Mem(r) for r in value.roots)
            if by_reference and value.spaces & {Space.REGISTER, Space.LOCAL} and (
                    not infos or self._is_reference(infos, i)):
                var = self.values.root_variable(arg)
                # A library function may change an object that it gets by reference, but no number and no pointer.
                if var is not None and (infos or (var.type.kind == "value" and not is_number(var.type)
                                                  and not is_number(value.type))):
                    out.add(var)
        call = self.sites.call_at.get(call_node)
        if call is not None and call.member is not None:
            out |= self.written_in_object(call, infos)
        return frozenset(out)

    def written_in_object(self, call: Call, infos: list[FunctionInfo]) -> frozenset[Obj]:
        """What a member function changes of the object that it is called on."""
        assert call.member is not None
        changed = self.changed(infos)
        if call.member.own:
            return frozenset(v for m, v in self.scopes.members.items() if changed is None or m in changed)
        receiver = call.member.receiver
        if receiver is None or call.member.arrow or changed == frozenset() or \
                group_scope(self.values, receiver) is not None:
            return frozenset()
        var = self.values.root_variable(receiver)
        return frozenset({var}) if var is not None and not is_number(var.type) else frozenset()

    @staticmethod
    def changed(infos: list[FunctionInfo]) -> frozenset[str] | None:
        """Names of the members that one of the functions changes; ``None``: any of them."""
        found = [i.changed_members() for i in infos]
        return frozenset().union(*(f for f in found if f is not None)) if found and None not in found else None

    def reachable(self) -> Iterator[FunctionInfo]:
        """The function and all that it calls, and these call, each once."""
        seen, left = {id(self)}, [self]
        while left:
            info = left.pop()
            yield info
            for callee in (c for cs in info.callees.values() for c in cs):
                if id(callee) not in seen:
                    seen.add(id(callee))
                    left.append(callee)

    def changed_members(self, seen: frozenset[int] = frozenset()) -> frozenset[str] | None:
        """Names of the members of its object that a function changes, itself or by what it calls."""
        if not self.scopes.members:
            return frozenset()
        if id(self) in seen:
            return None
        if self._changed is not False:
            return self._changed
        inner = seen | {id(self)}
        out: set[Obj] = set()
        known: frozenset[str] | None = frozenset()
        for node in self.function.body.walk():
            if node.type in ("assignment_expression", "update_expression"):
                target = node.get("left") or node.get("argument")
                out |= self.written_by(target) if target is not None else frozenset()
            elif node.type == "gnu_asm_expression" and (outputs := node.get("output_operands")) is not None:
                out.update(o for k in outputs.kids if (v := k.get("value")) is not None for o in self.written_by(v))
            elif node.type in ("call_expression", "subscript_expression"):
                call = self.sites.call_at.get(node)
                if call is not None and call.member is not None and call.member.own:
                    deeper = [c.changed_members(inner) for c in self.callees.get(node, [])]
                    known = None if known is None or None in deeper or not deeper else known.union(*(
                        d for d in deeper if d is not None))
                else:
                    out |= self.written_by_call(node, tuple(arguments(node)))
        names = frozenset(m for m, v in self.scopes.members.items() if v in out)
        self._changed = known | names if known is not None else None
        return self._changed

    def used_members(self, seen: frozenset[int] = frozenset()) -> frozenset[str]:
        """Names of the members of its object that a function names, itself or by what it calls."""
        if not self.scopes.members or id(self) in seen:
            return frozenset()
        uses = self.uses(self.function.body)
        inner = seen | {id(self)}
        deeper = (c.used_members(inner) for call in self.sites.calls if call.member is not None and call.member.own
                  for c in self.callees.get(call.node, ()))
        return frozenset(m for m, v in self.scopes.members.items() if v in uses).union(*deeper)

    def writes_through(self, index: int, seen: frozenset[int] = frozenset()) -> bool:
        """Whether the function may write the shared or global memory behind its parameter."""
        if id(self) in seen or index >= len(self.scopes.params):
            return True
        roots = self.scopes.params[index].roots
        if any((a.writes or a.kind in ("async", "asm")) and not roots.isdisjoint(a.roots) for a in self.sites.accesses):
            return True
        inner = seen | {id(self)}
        return any(not roots.isdisjoint(behind) and not (infos and not any(c.writes_through(i, inner) for c in infos))
                   for call in self.sites.calls for infos in (self.callees.get(call.node, []),)
                   for i, (_, behind) in enumerate(call.targets))

    @staticmethod
    def _passed_by_constant(infos: list[FunctionInfo], index: int) -> bool:
        if not infos:
            return False
        params = [i.function.params[index] for i in infos if index < len(i.function.params)]
        return bool(params) and all("const" in p.type_text.split("*")[0].split("&")[0].split() or
                                    ("*" not in p.type_text and "&" not in p.type_text and "[" not in p.type_text)
                                    for p in params)

    @staticmethod
    def _is_reference(infos: list[FunctionInfo], index: int) -> bool:
        return any("&" in i.function.params[index].type_text for i in infos if index < len(i.function.params))


def type_decides(infos: list[FunctionInfo], index: int) -> bool:
    """Whether the type of an argument chooses between overloads or is what a template parameter is deduced from."""
    return len(infos) > 1 or any(template_param(c, index) for c in infos)


def template_param(info: FunctionInfo, index: int) -> bool:
    """True when a parameter's type is deduced from its argument."""
    f = info.function
    if not f.template_params or index >= len(f.params):
        return False
    return not set(_WORD.findall(f.params[index].type_text)).isdisjoint(f.template_params)


@dataclass(eq=False)
class Program:
    """The kernel's info and those of all device functions reached from it."""

    unit: Unit
    kernel: FunctionInfo
    functions: list[FunctionInfo]
    recursive: frozenset[str] = frozenset()
    instances: tuple[str, ...] = ()
    """Template arguments of the kernel's instances that are known to be wanted."""

    def all(self) -> Iterator[FunctionInfo]:
        yield self.kernel
        yield from self.functions

    def accesses(self) -> Iterator[tuple[FunctionInfo, Access]]:
        for info in self.all():
            for access in info.sites.accesses:
                yield info, access

    def barriers(self) -> Iterator[tuple[FunctionInfo, Barrier]]:
        for info in self.all():
            for barrier in info.sites.barriers:
                yield info, barrier

    def touches_global(self, info: FunctionInfo) -> bool:
        """True when the function or one it calls accesses global memory."""
        return any(a.touches_global for i in info.reachable() for a in i.sites.accesses)

    def dispatch(self, info: FunctionInfo, call: Call) -> str:
        """How a call finds the mutated copy where it takes its callee from a constant.

        ``table``: by the function itself, whichever it is (plain functions, and the known instances of templates);
        ``copy``: the constant is made again with the copies' names. Empty where neither is possible.
        """
        infos = info.callees.get(call.node, [])
        if call.value is None or call.value.type != "identifier" or not infos or \
                any(c.function.is_method for c in infos):
            return ""
        one_each = len({c.function.qualified for c in infos}) == len(infos)
        plain = one_each and all(not c.function.is_template for c in infos)
        var = info.scopes.var_of.get(call.value)
        if var is not None:
            return ("table" if plain else "copy") if is_constant(var) else ""
        if call.value.text not in info.function.template_params:
            return ""
        given = self.arguments_of(info, call)
        names = {c.function.name for c in infos}
        return "table" if plain or (given and all(function_named(a)[0] in names for a in given)) else ""

    def arguments_of(self, info: FunctionInfo, call: Call) -> list[str]:
        """The functions that a template parameter of the kernel, which is called, stands for in the known instances."""
        if info is not self.kernel or call.value is None or call.value.text not in info.function.template_params:
            return []
        index = info.function.template_params.index(call.value.text)
        return [args[index] for i in self.instances if len(args := split_arguments(i)) > index]

    def opaque_calls(self) -> Iterator[tuple[FunctionInfo, Call]]:
        """Calls that get a pointer to global memory, or access it, and whose body cannot be rewritten here."""
        circles = {f.function.name for f in self.functions if f.function.name in self.recursive
                   and self.touches_global(f)}
        for info in self.all():
            for call in info.sites.calls:
                infos = info.callees.get(call.node)
                if call.local is not None:
                    continue  # the lambda's body is part of the function it stands in
                if call.value is not None:
                    reaches = call.passes_global or any(self.touches_global(i) for i in infos or ())
                    if reaches and not self.dispatch(info, call):
                        yield info, call
                elif call.name in circles:
                    yield info, call
                elif infos:
                    if call.is_method and any(self.touches_global(i) and obstacle(self.unit, i.function)
                                              for i in infos):
                        yield info, call
                elif call.passes_global and (not call.callees or call.name in self.recursive):
                    yield info, call


def _takes(unit: Unit, function: Function, count: int) -> bool:
    """Whether a function can be called with so many arguments (defaults and packs considered)."""
    nodes = [p.node for p in function.params]
    if function.owner and not is_in_class(function) and (there := declaration_of(unit, function)) is not None:
        # Its defaults are where it is declared.
        nodes = [n for n in there.walk() if n.type.endswith("parameter_declaration") and n.parent is not None
                 and n.parent.type == "parameter_list"][: len(nodes)]
    required = sum(n.type == "parameter_declaration" for n in nodes)
    unbounded = any(n.type == "variadic_parameter_declaration" for n in nodes)
    return required <= count and (unbounded or count <= len(nodes))


def _places(values: Values, call: Call, callee: Function) -> ParamTargets:
    """What a call hands on to the parameters: of an object that is handed on by reference, where it lives."""
    out = list(call.targets[: min(len(call.args), len(callee.params))])
    for i, arg in enumerate(call.args[: len(out)]):
        v = values.value(arg)
        if "&" in callee.params[i].type_text and v.type.kind == "value" and v.roots and v.spaces and \
                v.spaces <= LOCAL and values.unit.struct(v.type.name) is not None:
            out[i] = (v.spaces, v.roots)
            for root in v.roots if len(v.roots) == 1 else ():
                root.parts = root.parts or parts_of(values, arg)
    return tuple(out)


def analyse(unit: Unit, kernel: Function, instances: tuple[str, ...] = ()) -> Program:
    """Analyses a kernel and, transitively, the device functions of the unit that it calls.

    ``instances`` are template arguments that the kernel is compiled with, as far as they are known.
    """
    file_vars = file_variables(unit)
    contexts: dict[tuple[int, Context], FunctionInfo] = {}
    numbers: dict[str, dict[Context, int]] = {}
    order: list[FunctionInfo] = []
    recursive: set[str] = set()

    def build(function: Function, targets: ParamTargets | None, stack: tuple[int, ...],
              mine: Context | None = None, state: ObjectState | None = None,
              parts: Sequence[Parts | None] = ()) -> FunctionInfo:
        scopes = Scopes(unit, function, file_vars, members_of(unit, function.owner) if function.owner else None)
        values = Values(unit, function, scopes, targets, state, parts)
        info = FunctionInfo(function, scopes, values, Scanner(values).sites)
        for call in info.sites.calls:
            state_of_call = state_of(values, call.member) if call.member is not None and (
                call.member.own or call.receiver is not None) else None
            given = call.targets[: len(call.args)]
            handed = [*given]
            if state_of_call is not None and call.callees:
                handed += [state_of_call.home, *(
                    state_of_call.pointers(m) for m, v in members_of(unit, call.callees[0].owner).items()
                    if not hides_no_pointer(unit, v.type))]
            # Also what the pointers of local objects point to that are handed on by a pointer.
            handed += [(frozenset(r.spaces), frozenset(r.roots)) for s, roots in given if s and s <= LOCAL
                       for r in sorted(roots, key=lambda r: r.name) if r.type.kind == "value"]
            given_parts = [parts_of(values, a) for a in call.args]
            handed += [of[m] for of in given_parts if of is not None for m in sorted(of)]
            context = tuple((s, frozenset(r for r in roots if r.space is Space.SHARED or r.lambda_node is not None))
                            for s, roots in handed)
            for callee in call.callees:
                if callee.node is function.node and context == mine and call.value is None and (
                        callee.is_template or is_of_template(callee)):
                    # Another instance of itself: its copy calls itself, too.
                    info.callees.setdefault(call.node, []).append(info)
                    continue
                if id(callee.node) in stack:
                    recursive.add(callee.name)
                    continue
                if not _takes(unit, callee, len(call.args)):
                    continue
                key = (id(callee.node), context)
                found = contexts.get(key)
                if found is None:
                    if len(contexts) >= _MAX_CONTEXTS:
                        recursive.add(callee.name)
                        continue
                    found = build(callee, _places(values, call, callee), (*stack, id(callee.node)), context,
                                  state_of_call, given_parts)
                    # All overloads that one call may mean get one number, and so one name.
                    known = numbers.setdefault(callee.name, {})
                    found.number = known.setdefault(context, len(known))
                    contexts[key] = found
                    order.append(found)
                info.callees.setdefault(call.node, []).append(found)
        return info

    root = build(kernel, None, (id(kernel.node),))
    return Program(unit, root, order, frozenset(recursive), instances)

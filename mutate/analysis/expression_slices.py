"""The expressions of a slice: what remains of one whose value is not needed."""

from __future__ import annotations

from collections.abc import Callable

from mutate.analysis.barriers import barriers_inside
from mutate.analysis.calls import arguments, callee_name
from mutate.analysis.intrinsics import BUILTINS
from mutate.analysis.lambdas import Lambda, find_lambdas, is_generic
from mutate.analysis.needs import Needs
from mutate.analysis.plans import Act, Keep, Piece, Wants
from mutate.analysis.program import FunctionInfo, Mem, Obj, type_decides
from mutate.analysis.ptx import read_ptx
from mutate.analysis.sites import Access
from mutate.analysis.symbols import UNKNOWN_TYPE, Var
from mutate.analysis.value import is_number
from mutate.frontend.tree import Node

_NO_VALUE = frozenset({"sizeof_expression", "type_descriptor", "string_literal", "number_literal", "decltype",
                       "template_argument_list", "lambda_expression", "primitive_type", "type_identifier"})


def stored_type(info: FunctionInfo, a: Access) -> str:
    """Type of what a surface store writes, as far as it can be told: of its template argument, or of its value."""
    function = a.node.get("function")
    if function is not None and "<" in function.text:
        return function.text[function.text.index("<") + 1 : function.text.rindex(">")].split(",")[0].strip()
    type_ = info.values.value(a.value[0]).type if a.value else UNKNOWN_TYPE
    return type_.name if is_number(type_) else ""


class ExpressionSlicer(Needs):
    """What remains of an expression; ``Slicer`` walks the statements."""

    def __init__(self, info: FunctionInfo, keep: Keep, callee_params: Callable[[FunctionInfo], frozenset[int] | None],
                 result_needed: bool, wants: Wants) -> None:
        super().__init__(info, keep, callee_params, wants)
        self._result_needed = result_needed
        self._lambdas = find_lambdas(info.function, info.scopes)
        self._working: set[Var] = set()
        """Lambdas of which something is left."""
        for found in self._lambdas.values():
            if not found.known or not found.plain or found.returns_reference or (found.handed_to and found.has_value):
                self.needed.add(found.var)
        self._kept_loops: set[Node] = set()

    def _all(self, nodes: list[Node] | tuple[Node, ...]) -> list[Piece]:
        out: list[Piece] = []
        for n in nodes:
            out += self.pieces(n)
        return out

    def _kept_whole(self, node: Node) -> list[Piece]:
        self.need(node)
        return [Piece(Act.KEEP, node)]

    def pieces(self, node: Node) -> list[Piece]:
        """What must remain of an expression whose value is not needed."""
        kind = node.type
        if kind in _NO_VALUE:
            return []
        access = self.info.sites.at.get(node)
        if access is not None:
            return self._access(access)
        if node in self.info.sites.barrier_at:
            barrier = self.info.sites.barrier_at[node]
            if self.keeps_barriers or barrier.scope == "grid" or (barrier.awaits_copies and self._keeps_order("wait")):
                return self._kept_whole(node)
            fence = [Piece(Act.FENCE, node)] if self.keep.loads and node in self._separating else []
            return [*self._all(arguments(node)), *fence]
        if kind == "assignment_expression":
            return self._assignment(node)
        if kind == "update_expression":
            return self._update(node)
        if kind == "conditional_expression":
            condition = node.get("condition")
            then, other = node.get("consequence"), node.get("alternative")
            a = self.pieces(then) if then is not None else []
            b = self.pieces(other) if other is not None else []
            if condition is None or not (a or b):
                return self.pieces(condition) if condition is not None else []
            self.need(condition)
            return [Piece(Act.BRANCH, condition, then=a, otherwise=b)]
        if kind == "binary_expression" and (op := node.get("operator")) is not None and op.text in ("&&", "||"):
            left, right = node.get("left"), node.get("right")
            inner = self.pieces(right) if right is not None else []
            if left is None or not inner:
                return self.pieces(left) if left is not None else []
            self.need(left)
            return [Piece(Act.BRANCH, left, then=inner) if op.text == "&&"
                    else Piece(Act.BRANCH, left, otherwise=inner)]
        if kind == "call_expression" or (kind == "subscript_expression" and node in self.info.sites.call_at):
            return self._call(node)
        if kind == "gnu_asm_expression":
            return self._arithmetic_asm(node)
        if kind in ("new_expression", "delete_expression"):
            return self._kept_whole(node)
        if kind in ("fold_expression", "parameter_pack_expansion"):
            # What is left is done for each element of the pack.
            inner = self._all(node.kids)
            if any(p.act not in (Act.FOLD, Act.STORE, Act.CALL) for p in inner):
                return self._kept_whole(node)
            return [Piece(Act.EXPAND, node, then=inner)] if inner else []
        return self._all(node.kids)

    def _access(self, a: Access) -> list[Piece]:
        if a.kind == "asm":
            return self._asm(a)
        if a.kind == "load" and not (a.touches_global and self.keep.loads) and a.node in self.info.callees and \
                self._any_needed(self.info.written_by_call(a.node, tuple(arguments(a.node))), a.node):
            return self._kept_whole(a.node)
        if not a.touches_global:
            if a.kind in ("atomic", "async", "fragment-store") and self._any_needed(frozenset(Mem(r) for r in a.roots)):
                return self._kept_whole(a.node)
            if a.kind == "fragment-load" and self._any_needed(self._fragment(a)):
                return self._kept_whole(a.node)
            return self._all((*a.address, *a.value))
        if a.kind == "fragment-load":
            if self._any_needed(self._fragment(a)):
                return self._kept_whole(a.node)
            if not self.keep.loads:
                return self._all(a.address)
            self._need_address(a)
            self._need_indices(a.value)
            return [Piece(Act.FOLD, a.node, a)]
        if a.kind in ("load", "texture", "surface-load"):
            if not self.keep.loads:
                return self._all(a.address)
            self._need_address(a)
            return [Piece(Act.FOLD, a.node, a)]
        if a.kind == "async":
            if not self.keep.loads:
                return self._all(a.address)
            return self._kept_whole(a.node)
        if a.kind in ("atomic", "store", "surface-store", "fragment-store"):  # an intrinsic that writes
            for n in a.address:
                self.need(n)
            if self._any_needed(frozenset(Mem(r) for r in a.roots)):
                return self._kept_whole(a.node)
            if a.kind == "fragment-store":
                self._need_indices(a.value)
            elif a.kind == "surface-store" and not stored_type(self.info, a):
                for n in a.value:
                    self._need_variables(n)
            return [*self._all(a.value), Piece(Act.ATOMIC, a.node, a)]
        return self._all((*a.address, *a.value))

    def _fragment(self, a: Access) -> frozenset[Obj]:
        """What a fragment of a matrix is loaded to."""
        return frozenset(o for n in a.value for o in self.info.written_by(n))

    def _asm(self, a: Access) -> list[Piece]:
        node = a.node
        if a.touches_global and a.asm_kind == "store" and (ptx := read_ptx(node)) is not None:
            self.need(ptx.address)
            self.need(ptx.condition)
            for v in ptx.values:
                self._need_variables(v)
            return [*self._all(ptx.values), Piece(Act.KEEP, node, a)]
        if a.touches_global and (self.keep.loads or a.writes):
            results = self._need_outputs(node)
            loaded = [Piece(Act.FOLD, o, a) for o in results if self._is_used(o, node)] if a.asm_kind == "load" else []
            if any(self._is_handed_back(o) for o in results):
                inputs = node.get("input_operands")
                for i in inputs.kids if inputs is not None else ():
                    self.need(i.get("value"))
            else:
                self.need(node)
            return [Piece(Act.KEEP, node, a), *loaded]
        outputs = node.get("output_operands")
        written: set[Obj] = set()
        for o in outputs.kids if outputs is not None else ():
            value = o.get("value")
            if value is not None:
                written |= self.info.written_by(value)
        if self._any_needed(frozenset(written), node):
            return self._kept_whole(node)
        return []

    def _arithmetic_asm(self, node: Node) -> list[Piece]:
        """Of inline PTX that accesses no memory by itself: what operands load, and the memory that results go to."""
        inputs, results = node.get("input_operands"), node.get("output_operands")
        values, places = ([v for o in (part.kids if part is not None else ()) if (v := o.get("value")) is not None]
                          for part in (inputs, results))
        if self._any_needed(frozenset(o for p in places for o in self.info.written_by(p)), node):
            return self._kept_whole(node)
        return [*self._all(values), *(piece for p in places for piece in self._target(p))]

    def _is_used(self, result: Node, statement: Node) -> bool:
        """Whether an output of inline PTX is named anywhere else: a part of a vector that is not is not loaded."""
        return self._is_handed_back(result) or any(
            n.type == result.type and n.text == result.text and not statement.start <= n.start < statement.end
            for n in self.info.function.body.walk())

    def _is_handed_back(self, result: Node) -> bool:
        """Whether a result goes to the caller by reference, which need not have a variable for it any more."""
        var = self.info.values.root_variable(result)
        return var is not None and var.is_param and var.is_ref and result.type in ("identifier", "field_expression")

    def _need_outputs(self, node: Node) -> list[Node]:
        outputs = node.get("output_operands")
        values = [v for o in (outputs.kids if outputs is not None else ()) if (v := o.get("value")) is not None]
        for v in values:
            if not self._is_handed_back(v):
                self.need(v)
        return values

    def _assignment(self, node: Node) -> list[Piece]:
        left, right = node.get("left"), node.get("right")
        if left is None or right is None:
            return self._kept_whole(node)
        target = left
        while target.type == "parenthesized_expression" and target.kids:
            target = target.kids[0]
        if self._any_needed(self.info.written_by(target), node):
            return self._kept_whole(node)
        return [*self.pieces(right), *self._target(target)]

    def _target(self, target: Node) -> list[Piece]:
        """What remains of the left side of an assignment whose value is not needed."""
        while target.type == "parenthesized_expression" and target.kids:
            target = target.kids[0]
        if target.type == "conditional_expression":
            condition = target.get("condition")
            then, other = target.get("consequence"), target.get("alternative")
            if condition is not None and then is not None and other is not None:
                self.need(condition)
                a, b = self.info.sites.at.get(then), self.info.sites.at.get(other)
                if a is not None and b is not None and a.touches_global and b.touches_global:
                    # One store at a selected address.
                    self._need_address(a)
                    self._need_address(b)
                    return [Piece(Act.STORE, target, a)]
                return [Piece(Act.BRANCH, condition, then=self._target(then), otherwise=self._target(other))]
        access = self.info.sites.at.get(target)
        if access is not None and access.touches_global:
            self._need_address(access)
            return [Piece(Act.STORE, access.node, access)]
        return self._index_pieces(target)

    def _index_pieces(self, lvalue: Node) -> list[Piece]:
        return self._all(lvalue.kids) if lvalue.type != "identifier" else []

    def _update(self, node: Node) -> list[Piece]:
        target = node.get("argument")
        if target is None or self._any_needed(self.info.written_by(target), node):
            return self._kept_whole(node)
        access = self.info.sites.at.get(target)
        if access is not None and access.touches_global:
            self._need_address(access)
            return [Piece(Act.STORE, access.node, access)]
        return self._index_pieces(target)

    def _keeps_order(self, kind: str) -> bool:
        """Waits belong to the asynchronous copies, fences to the global accesses that they order."""
        if kind == "wait":
            return self.keep.loads and any(a.kind == "async" for a in self.info.sites.accesses)
        return any(a.touches_global and a.writes for a in self.info.sites.accesses)

    def _call(self, node: Node) -> list[Piece]:
        call = self.info.sites.call_at.get(node)
        args = tuple(arguments(node))
        builtin = BUILTINS.get(callee_name(node))
        if builtin is not None and builtin.kind in ("wait", "fence") and self._keeps_order(builtin.kind):
            return self._kept_whole(node)
        handed = [self._lambdas[v] for a in args if (v := self.info.scopes.var_of.get(a)) in self._lambdas
                  and self._has_accesses(self._lambdas[v])]
        if handed:
            return self._hand_on(node, args, handed)
        receiver = call.receiver if call is not None else None
        value = call.value if call is not None else None
        inputs = tuple(n for n in (receiver, value, *args) if n is not None)
        if call is None:
            if self._any_needed(self.info.written_by_call(node, args), node):
                return self._kept_whole(node)
            return self._all(inputs)
        infos = self.info.callees.get(node, [])
        wanted = self._wanted(infos)
        written = self.info.written_by_call(node, args)
        if call.member is not None and infos:
            # The mutated copy changes what is wanted of its object.
            changed = self.info.changed(infos)
            if wanted is not None or (not call.member.own and changed is not None
                                      and changed.isdisjoint(self.wants.members)):
                written -= self.info.written_in_object(call, infos)
        if self._any_needed(written, node):
            return self._kept_whole(node)
        if call.local is not None:
            return self._lambda_call(node, args, call.local)
        if wanted is None:
            inside = frozenset().union(*(barriers_inside(c) for c in infos))
            if "grid" in inside or (self.keeps_barriers and "block" in inside):
                return self._kept_whole(node)
            return self._all(inputs)
        pieces: list[Piece] = []
        if value is not None:
            self.need(value)
        self.need(receiver, as_object=True)
        for i, arg in enumerate(args):
            if i in wanted:
                self.need(arg)
                continue
            if value is None and type_decides(infos, i):
                self._need_variables(arg)
            pieces += self.pieces(arg)
        return [*pieces, Piece(Act.CALL, node, call=call)]

    def _has_accesses(self, of: Lambda) -> bool:
        """Whether a lambda makes an access to global memory that is kept."""
        return any(a.touches_global and (self.keep.loads or a.writes) and of.node.start <= a.node.start < of.node.end
                   for a in self.info.sites.accesses) or any(
                       of.node.start <= call.start < of.node.end and self._wanted(callees) is not None
                       for call, callees in self.info.callees.items())

    def _hand_on(self, node: Node, args: tuple[Node, ...], handed: list[Lambda]) -> list[Piece]:
        """A call that gets lambdas which access global memory: it stays, and calls what is left of them."""
        if any(found.var in self.needed for found in handed) or self._any_needed(
                self.info.written_by_call(node, args), node):
            return self._kept_whole(node)
        for part in (node.get("function"), *args):
            if part is not None and self.info.scopes.var_of.get(part) not in self._lambdas:
                self.need(part)
        return [Piece(Act.KEEP, node)] if any(found.var in self._working for found in handed) else []

    def _lambda_call(self, node: Node, args: tuple[Node, ...], var: Var) -> list[Piece]:
        found = self._lambdas.get(var)
        if found is None:
            return self._kept_whole(node)  # a parameter: what it does is the caller's
        if var in self.needed and self._has_accesses(found):
            self.need(node)
            return [Piece(Act.FOLD if found.has_value and self.keep.loads else Act.KEEP, node)]
        if var in self.needed or var not in self._working:
            return self._all(args)
        pieces: list[Piece] = []
        for param, arg in zip(found.params, args, strict=False):
            if param in self.needed:
                self.need(arg)
                continue
            if is_generic(param):
                self._need_variables(arg)
            pieces += self.pieces(arg)
        return [*pieces, Piece(Act.CALL, node, call=self.info.sites.call_at[node])]

    def lambda_at(self, node: Node) -> Lambda | None:
        """The lambda that is called, or that a declaration is of, where it is sliced in place."""
        called = node.get("function")
        if called is not None:
            var = self.info.scopes.var_of.get(called)
        else:
            var = next((v for v in self._lambdas if v.node is not None and node.start <= v.node.start < node.end
                        and v.lambda_node is not None and v.lambda_node.end <= node.end), None)
        return self._lambdas.get(var) if var is not None and var not in self.needed else None

    def _wanted(self, infos: list[FunctionInfo]) -> frozenset[int] | None:
        """Indices of the arguments that the kept accesses of callees need; ``None`` when they have none."""
        found = [p for c in infos if (p := self._callee_params(c)) is not None]
        return frozenset().union(*found) if found else None

    def needed_arguments(self, node: Node) -> list[Node]:
        """The arguments that the call of a mutated function still gets as they were."""
        found = self.lambda_at(node)
        if found is not None:
            return [x for p, x in zip(found.params, arguments(node), strict=False) if p in self.needed]
        wanted = self._wanted(self.info.callees.get(node, [])) or ()
        call = self.info.sites.call_at.get(node)
        receiver = [call.receiver] if call is not None and call.receiver is not None else []
        return receiver + [x for i, x in enumerate(arguments(node)) if i in wanted]

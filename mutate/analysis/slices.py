"""Backward slices with control dependence, and what remains of each statement when only some sites are kept.

``Slicer`` walks a body until its set of needed variables is stable. Each walk builds a *plan*: what to do
with each statement. A variable that an address depends on keeps the definitions that may reach that use,
with all the conditions they depend on; its declaration stays in any case.
"""

from __future__ import annotations

from collections.abc import Callable

from mutate.analysis.expression_slices import ExpressionSlicer
from mutate.analysis.lambdas import Lambda
from mutate.analysis.plans import LOOPS, Act, Keep, Piece, Plan, Wants
from mutate.analysis.program import FunctionInfo
from mutate.frontend.tree import Node
from mutate.frontend.units import declared_names

_EXITS = frozenset({"break_statement", "continue_statement"})
_INERT = frozenset({"type_definition", "alias_declaration", "using_declaration", "static_assert_declaration",
                    "struct_specifier", "union_specifier", "enum_specifier", "class_specifier", "MISSING",
                    "namespace_alias_definition", "function_definition"})


class Slicer(ExpressionSlicer):
    """Plans one function body for a ``Keep`` policy."""

    def __init__(self, info: FunctionInfo, keep: Keep, callee_params: Callable[[FunctionInfo], frozenset[int] | None],
                 result_needed: bool = False, wants: Wants | None = None) -> None:
        super().__init__(info, keep, callee_params, result_needed or info.function.returns_reference,
                         wants or Wants())
        self.plan = Plan("nest", info.function.body)
        while self._changed:
            self._changed = False
            self.plan = self._statement(info.function.body, True)

    def _children(self, nodes: list[Node], loop_kept: bool) -> list[Plan]:
        """From the last one on: what one needs is known when that which makes it is looked at, in the same round."""
        return [self._statement(n, loop_kept) for n in reversed(nodes)][::-1]

    def _statement(self, node: Node, loop_kept: bool) -> Plan:
        kind = node.type
        if kind == "compound_statement":
            inner = self._children(node.kids, loop_kept)
            return Plan("nest", node, inner=inner, content=any(p.content for p in inner))
        if kind == "expression_statement":
            return self._from_pieces(node, self._all(node.kids))
        if kind == "declaration":
            return self._declaration(node)
        if kind == "if_statement":
            return self._if(node, loop_kept)
        if kind in LOOPS:
            return self._loop(node)
        if kind == "switch_statement":
            return self._switch(node)
        if kind in ("case_statement", "labeled_statement", "else_clause", "attributed_statement"):
            value = node.get("value") or node.get("label")
            inner = self._children([k for k in node.kids if k is not value and k.type != "else"], loop_kept)
            if kind == "case_statement":
                self.need(value)
            return Plan("nest", node, inner=inner,
                        content=any(p.content for p in inner) or kind == "labeled_statement")
        if kind == "return_statement":
            if self._result_needed:
                for k in node.kids:
                    self.need(k)
                return Plan("verbatim", node, content=True)
            pieces = self._all(node.kids)
            return Plan("pieces" if node.kids else "verbatim", node, pieces=pieces, content=True)
        if kind == "goto_statement":
            return Plan("verbatim", node, content=True)
        if kind in _EXITS:
            return Plan("verbatim", node, content=loop_kept)
        if kind == "preproc_call":
            return Plan("verbatim", node)
        if kind in _INERT:
            self._declare(node)
            return Plan("verbatim", node)
        if kind == "ERROR":
            return Plan("verbatim", node, content=True)
        if kind == "attribute_declaration":
            return Plan("verbatim", node)
        return self._from_pieces(node, self._all(node.kids))

    @staticmethod
    def _from_pieces(node: Node, pieces: list[Piece]) -> Plan:
        plain = len(pieces) == 1 and pieces[0].act is Act.KEEP and pieces[0].access is None
        if plain and node.kids and pieces[0].node is node.kids[0]:
            return Plan("verbatim", node, content=True)
        if not pieces:
            return Plan("drop", node)
        return Plan("pieces", node, pieces=pieces, content=True)

    def _declaration(self, node: Node) -> Plan:
        head = node.text_source[node.start : node.end].decode(errors="replace")
        inits = [(k, k.get("value")) for k in node.kids if k.type == "init_declarator"]
        declared = [self.info.scopes.var_of.get(n) for k in node.kids
                    if k.type.endswith("declarator") or k.type == "identifier" for n in declared_names(k)]
        if len(inits) == 1 and len(declared) == 1 and declared[0] is not None and declared[0] not in self.needed and \
                declared[0] in self._lambdas:
            return self._lambda(node, self._lambdas[declared[0]])
        compile_time = "constexpr" in head.split("=")[0] or "__shared__" in head.split("=")[0]
        if not inits or compile_time or any(v is not None and (v in self.needed or v in self._named) for v in declared):
            names = {v.node for v in declared if v is not None}
            self._need_extents(node, names)
            for _, value in inits:
                self.need(value)
            wanted = any(v is not None and (v in self.needed or v in self._named) for v in declared)
            return Plan("verbatim", node, content=bool(inits) and wanted and not compile_time)
        pieces: list[Piece] = []
        for _, value in inits:
            if value is not None:
                pieces += self.pieces(value)
        return self._from_pieces(node, pieces) if pieces else Plan("drop", node)

    def _lambda(self, node: Node, found: Lambda) -> Plan:
        """The declaration of a lambda whose results nothing kept depends on: its body is sliced in place."""
        outer, self._result_needed = self._result_needed, False
        inner = self._statement(found.body, True)
        self._result_needed = outer
        if not _does_something(inner):
            return Plan("drop", node)
        if found.var not in self._working:
            self._working.add(found.var)
            self._changed = True
        if found.captures is not None:
            self._declare(found.captures)
        return Plan("lambda", node, inner=[inner])

    def _need_extents(self, node: Node, names: set[Node | None]) -> None:
        """Array extents, template arguments and constructor arguments of a declaration that stays."""
        for kid in node.kids:
            for part in kid.walk():
                if part.type == "identifier" and part not in names and part in self.info.scopes.var_of:
                    self.need(part)

    def _if(self, node: Node, loop_kept: bool) -> Plan:
        condition = node.get("condition")
        parts = [p for p in (node.get("consequence"), node.get("alternative")) if p is not None]
        inner = self._children(parts, loop_kept)
        if any(p.content for p in inner):
            self.need(condition)
            return Plan("nest", node, inner=inner, content=True)
        return self._from_pieces(node, self.pieces(condition) if condition is not None else [])

    def _loop(self, node: Node) -> Plan:
        kept = node in self._kept_loops
        body = node.get("body")
        inner = [self._statement(body, kept)] if body is not None else []
        header = [h for h in (node.get("initializer"), node.get("condition"), node.get("update"), node.get("right"))
                  if h is not None]
        header_pieces: list[Piece] = []
        if not kept:
            for h in header:
                if h.type == "declaration":
                    plan = self._declaration(h)
                    header_pieces += plan.pieces
                    if plan.how == "verbatim" and plan.content:
                        header_pieces.append(Piece(Act.KEEP, h))
                else:
                    header_pieces += self.pieces(h)
            if any(p.content for p in inner) or header_pieces:
                self._kept_loops.add(node)
                self._changed = True
                kept = True
        if not kept:
            return Plan("drop", node)
        for h in header:
            self.need(h)
        return Plan("nest", node, inner=inner, content=True)

    def _switch(self, node: Node) -> Plan:
        kept = node in self._kept_loops
        body, condition = node.get("body"), node.get("condition")
        inner = [self._statement(body, kept)] if body is not None else []
        if not kept and any(p.content for p in inner):
            self._kept_loops.add(node)
            self._changed = True
            kept = True
        if not kept:
            return self._from_pieces(node, self.pieces(condition) if condition is not None else [])
        self.need(condition)
        return Plan("nest", node, inner=inner, content=True)


def _does_something(plan: Plan) -> bool:
    """Whether a plan is more than declarations and returns."""
    if plan.how == "pieces":
        return bool(plan.pieces)
    if plan.how in ("nest", "lambda"):
        return any(_does_something(p) for p in plan.inner)
    return plan.how == "verbatim" and plan.content and plan.node.type not in ("return_statement", "goto_statement",
                                                                              *_EXITS)

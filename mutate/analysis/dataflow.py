"""Which objects and expressions a value depends on by data flow alone, without control dependence.

Of a local variable only the definitions count that can reach the use: not those that come later and in no loop around
both, and not those that an unconditional assignment in between replaces. Of memory all count, since other threads write
it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from mutate.analysis.calls import arguments
from mutate.analysis.plans import LOOPS
from mutate.analysis.program import FunctionInfo, Mem, Obj
from mutate.analysis.symbols import Space, Var
from mutate.frontend.tree import Node
from mutate.frontend.units import declarator_name, declared_names

_ORDERED = frozenset({Space.REGISTER, Space.LOCAL, Space.PARAM})


def value_closure(info: FunctionInfo, start: list[Node], surely: bool = False, always: bool = False,
                  reach: Reach | None = None) -> tuple[set[Obj], set[Node]]:
    """Objects that the values of ``start`` depend on (data flow only), and the expressions that define them.

    Used where no statement is dropped (math-only, shared-memory mutations): which loads must keep their value.
    ``surely`` as in ``Reach``. With ``always`` only what is used whenever it is computed: not what is used in a branch
    that does not contain it, because the compiler may compute that there. ``reach``: one of the function's that is
    there already, made with the same ``surely``.
    """
    needed: set[Obj] = set()
    expressions: set[Node] = set()
    work = list(start)
    reach = reach or Reach(info, surely)
    while work:
        node = work.pop()
        if node in expressions:
            continue
        expressions.add(node)
        uses, inner = _at_once(info, node) if always else (info.uses(node), [])
        work += inner
        branch = branch_of(node) if always else None
        work.extend(n for n in reach.sources(node, uses, needed)
                    if branch is None or (branch.start <= n.start and n.end <= branch.end))
        needed |= uses
    return needed, expressions


def _at_once(info: FunctionInfo, node: Node) -> tuple[frozenset[Obj], list[Node]]:
    """What an expression uses whenever it is evaluated, and its parts that are evaluated under conditions."""
    inner = [n for n in node.walk() if n is not node and branch_of(n, node) is n]
    if not inner:
        return info.uses(node), []
    outer = [n for n in inner if not any(m is not n and m.start <= n.start and n.end <= m.end for m in inner)]
    parts = [n for n in node.walk() if not n.kids and not any(m.start <= n.start and n.end <= m.end for m in outer)]
    return frozenset(o for n in parts for o in info.uses(n)), outer


@dataclass(frozen=True)
class Definition:
    """``node`` gives an object a value that ``sources`` decide. ``block`` has it as one of its statements, where it

    replaces the whole value of a variable and is executed whenever the block is.
    """

    node: Node
    sources: tuple[Node, ...]
    block: Node | None = None


@dataclass(frozen=True)
class _Known:
    """What is known of a function: definitions by what they give a value to, whether there is a goto, and what was

    found of uses, for those who ask what may and those who ask what surely happens.
    """

    of: dict[Obj, list[Definition]]
    jumps: bool
    places: tuple[dict[tuple[Node, Var], _Place], ...] = field(default_factory=lambda: ({}, {}))
    sources: tuple[dict[tuple[Node, Var], tuple[Node, ...]], ...] = field(default_factory=lambda: ({}, {}))


_KNOWN: WeakKeyDictionary[FunctionInfo, _Known] = WeakKeyDictionary()


def _known(info: FunctionInfo) -> _Known:
    if info not in _KNOWN:
        of: dict[Obj, list[Definition]] = {}
        for objs, definition in definitions(info):
            for o in objs:
                of.setdefault(o, []).append(definition)
        _KNOWN[info] = _Known(of, any(n.type == "goto_statement" for n in info.function.body.walk()))
    return _KNOWN[info]


class Reach:
    """Whether what a definition gives a local variable may be what a use of it finds.

    What may happen by a jump backwards or in a lambda does, unless ``surely``.
    """

    def __init__(self, info: FunctionInfo, surely: bool = False) -> None:
        self._surely = surely
        known = _known(info)
        # A jump backwards makes what comes later come earlier.
        self._of, self._jumps = known.of, known.jumps
        self._places, self._sources = known.places[surely], known.sources[surely]

    @staticmethod
    def is_ordered(obj: Obj) -> bool:
        """Whether only the function's own statements change an object, each where it stands."""
        return isinstance(obj, Var) and obj.space in _ORDERED and not obj.is_ref and not obj.file_scope \
            and not obj.member

    def sources(self, use: Node, objs: frozenset[Obj], known: set[Obj]) -> Iterator[Node]:
        """Sources of the definitions that may have given ``objs`` the values that they have at ``use``.

        Those of objects without an order are left out once they are ``known``.
        """
        for obj in objs:
            if not isinstance(obj, Var) or not self.is_ordered(obj):
                if obj not in known:
                    for d in self._of.get(obj, ()):
                        yield from d.sources
                continue
            found = self._sources.get((use, obj))
            if found is None:
                found = self._sources[use, obj] = tuple(dict.fromkeys(
                    n for d in self._of.get(obj, ()) if self.reaches(d.node, use, obj) for n in d.sources))
            yield from found

    def reaches(self, node: Node, use: Node, var: Var) -> bool:
        """Whether the definition ``node`` of an ordered variable may reach ``use``."""
        place = self._places.get((use, var))
        if place is None:
            place = self._places[use, var] = self._place(use, var)
        if place.anywhere or (not self._surely and _in_lambda(node)):
            return True
        within = node.start <= use.start and use.end <= node.end
        if not within and place.last <= node.start < use.end and \
                not any(start <= node.start < end for start, end in place.instead):
            return True
        around = next((up for up in place.loops if up.start <= node.start and node.end <= up.end), None)
        if around is None or (var.node is not None and around.start < var.node.start < around.end
                              and not _in_header(var.node, around)):
            return False  # a variable of the loop's body is a new one in each turn
        return place.last < around.start

    def _place(self, use: Node, var: Var) -> _Place:
        last = max((d.node.start for d in self._of.get(var, ()) if d.block is not None and d.node.end <= use.start
                    and d.block.start <= use.start and use.end <= d.block.end), default=-1)
        return _Place(last, tuple(up for up in use.ancestors() if up.type in LOOPS), _instead(use),
                      not self._surely and (self._jumps or _in_lambda(use)))


@dataclass(frozen=True)
class _Place:
    """Where a variable is used: the start of the ``last`` definition before, which replaces all earlier ones; loops

    around, the innermost first; the spans of text that run only ``instead``; whether the use happens ``anywhere``.
    """

    last: int
    loops: tuple[Node, ...]
    instead: tuple[tuple[int, int], ...]
    anywhere: bool


def branch_of(node: Node, within: Node | None = None) -> Node | None:
    """The innermost conditional branch that an expression is in or is; ``None`` where it is in none ``within``."""
    inner = node
    for up in node.ancestors():
        if inner is within:
            return None
        kind = up.type
        if kind in ("if_statement", "conditional_expression", "switch_statement"):
            if inner is not up.get("condition"):
                return inner
        elif kind == "case_statement":
            return up
        elif kind == "binary_expression" and (op := up.get("operator")) is not None and op.text in ("&&", "||"):
            if inner is up.get("right"):
                return inner
        elif kind in ("for_statement", "while_statement", "for_range_loop"):
            if inner is up.get("body"):
                return inner  # perhaps it is never executed
        elif kind in ("function_definition", "lambda_expression"):
            return None
        inner = up
    return None


def _instead(use: Node) -> tuple[tuple[int, int], ...]:
    """Where each ``if`` whose second branch has a use has its first: only a loop leads from there to the use."""
    out = []
    for up in use.ancestors():
        if up.type in ("if_statement", "conditional_expression"):
            then, other = up.get("consequence"), up.get("alternative")
            if then is not None and other is not None and other.start <= use.start < other.end:
                out.append((then.start, then.end))
    return tuple(out)


def _in_header(node: Node, loop: Node) -> bool:
    body = loop.get("body")
    return body is None or not body.start <= node.start < body.end


def _in_lambda(node: Node) -> bool:
    """Whether a node is, or is part of, a lambda: by reference it sees what variables are when it is called."""
    return node.type == "lambda_expression" or any(up.type == "lambda_expression" for up in node.ancestors())


def _whole(node: Node, target: Node) -> Node | None:
    """The block that a definition is a statement of, where it replaces a variable's whole value."""
    statement = node.parent
    if target.type != "identifier" or statement is None or statement.type not in ("expression_statement",
                                                                                  "declaration"):
        return None
    block = statement.parent
    return block if block is not None and block.type == "compound_statement" else None


_DEFINITIONS: WeakKeyDictionary[FunctionInfo, tuple[tuple[frozenset[Obj], Definition], ...]] = WeakKeyDictionary()


def definitions(info: FunctionInfo) -> tuple[tuple[frozenset[Obj], Definition], ...]:
    """Everything that gives variables and memory their values, with what it gives a value to."""
    if info not in _DEFINITIONS:
        _DEFINITIONS[info] = tuple(_definitions(info))
    return _DEFINITIONS[info]


def _definitions(info: FunctionInfo) -> Iterator[tuple[frozenset[Obj], Definition]]:
    for node in info.function.body.walk():
        kind = node.type
        if kind == "assignment_expression":
            left, right = node.get("left"), node.get("right")
            if left is not None and right is not None:
                op = node.get("operator")
                plain = op is None or op.text == "="
                yield info.written_by(left), Definition(node, (right,) if plain else (right, left), _whole(node, left))
        elif kind == "update_expression":
            arg = node.get("argument")
            if arg is not None:
                yield info.written_by(arg), Definition(node, (arg,), _whole(node, arg))
        elif kind == "init_declarator":
            value = node.get("value")
            declared = frozenset(info.scopes.var_of[n] for n in declared_names(node) if n in info.scopes.var_of)
            if declared and value is not None:
                # A constructor may read what it is given by address.
                yield declared, Definition(node, (value, node) if node in info.sites.call_at else (value,))
        elif kind == "for_range_loop":
            name, right = declarator_name(node.get("declarator")), node.get("right")
            var = info.scopes.var_of.get(name) if name is not None else None
            if var is not None and right is not None:
                yield frozenset({var}), Definition(right, (right,))
        elif kind == "call_expression" or (kind == "subscript_expression" and node in info.sites.call_at):
            args = tuple(arguments(node))
            call = info.sites.call_at.get(node)
            if call is not None and call.local is not None:
                for param, arg in zip(info.values.lambda_params(call.local), args, strict=False):
                    if param is not None:
                        yield frozenset({param}), Definition(arg, (arg,))
            written = info.written_by_call(node, args)
            if written:
                yield written, Definition(node, (*args, node) if info.callees.get(node) else args)
            access = info.sites.at.get(node)
            if access is not None and access.kind == "fragment-load":
                for fragment in access.value:
                    yield info.written_by(fragment), Definition(node, (*access.address, node))
            if access is not None and access.writes:
                yield frozenset(Mem(r) for r in access.roots), Definition(node, tuple(access.value))
        elif kind == "gnu_asm_expression":
            outputs, inputs = node.get("output_operands"), node.get("input_operands")
            sources = tuple(v for o in (inputs.kids if inputs is not None else ()) if (v := o.get("value")) is not None)
            for o in outputs.kids if outputs is not None else ():
                value = o.get("value")
                if value is not None:
                    yield info.written_by(value), Definition(node, (*sources, node))

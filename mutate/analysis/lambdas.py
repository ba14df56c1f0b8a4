"""Lambdas of a function body that a local variable names, and how that variable is used.

A lambda's body is part of the function it stands in: it sees the same variables, and is analysed and sliced with it.
What is to be known besides is which calls run it, and whether anything else may.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mutate.analysis.calls import arguments
from mutate.analysis.symbols import Scopes, Var
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, declarator_name


@dataclass(frozen=True, eq=False)
class Lambda:
    """``params`` are the variables of its parameters, in order; ``plain``: each argument becomes one of them.

    ``handed_to`` are calls that get it as an argument. ``known``: nothing else is done with it than to call it or to
    hand it to a call, so that its calls are all known, or happen while such a call is under way.
    """

    var: Var
    node: Node
    body: Node
    params: tuple[Var, ...]
    plain: bool
    handed_to: tuple[Node, ...]
    known: bool

    @property
    def captures(self) -> Node | None:
        return self.node.get("captures")

    @property
    def has_value(self) -> bool:
        """Whether a call of it is a value: it returns one, not counting what lambdas inside it return."""
        return any(n.type == "return_statement" and n.kids and around(n) is self.node for n in self.body.walk())

    @property
    def returns_reference(self) -> bool:
        declarator = self.node.get("declarator")
        back = declarator.find("trailing_return_type") if declarator is not None else None
        return back is not None and ("&" in back.text or "decltype" in back.text)


def around(node: Node) -> Node | None:
    """The innermost lambda that a node is in."""
    return next((up for up in node.ancestors() if up.type == "lambda_expression"), None)


def is_generic(param: Var) -> bool:
    """Whether the type of a lambda's parameter is deduced from the argument."""
    declaration = next((up for up in param.node.ancestors() if up.type.endswith("parameter_declaration")), None) \
        if param.node is not None else None
    type_ = declaration.get("type") if declaration is not None else None
    return type_ is not None and type_.type == "placeholder_type_specifier"


def parameter_names(node: Node) -> Iterator[Node | None]:
    """The names of a lambda's parameters; ``None`` for one without a name and for a pack."""
    declarator = node.get("declarator")
    plist = declarator.get("parameters") if declarator is not None else None
    for p in plist.kids if plist is not None else ():
        name = declarator_name(p.get("declarator"))
        yield name if p.type in ("parameter_declaration", "optional_parameter_declaration") and name is not None and \
            name.type == "identifier" else None


def find_lambdas(function: Function, scopes: Scopes) -> dict[Var, Lambda]:
    """The lambdas of a body by the variables that name them."""
    named = {v: v.lambda_node for v in scopes.vars if v.lambda_node is not None}
    if not named:
        return {}
    mentions: dict[Var, list[Node]] = {}
    for n in function.body.walk():
        var = scopes.var_of.get(n) if n.type == "identifier" else None
        if var in named and n is not var.node:
            mentions.setdefault(var, []).append(n)
    found: dict[Var, Lambda] = {}
    for var, node in named.items():
        body = node.get("body")
        if body is None:
            continue
        handed, known = [], True
        for n in mentions.get(var, []):
            up = n.parent
            if up is not None and up.type == "call_expression" and up.get("function") is n:
                continue
            if up is not None and up.type == "argument_list" and up.parent is not None and \
                    up.parent.type == "call_expression" and n in arguments(up.parent):
                handed.append(up.parent)
            elif up is None or up.type != "lambda_capture_specifier":
                known = False
        names = list(parameter_names(node))
        params = tuple(scopes.var_of[n] for n in names if n is not None and n in scopes.var_of)
        found[var] = Lambda(var, node, body, params, len(params) == len(names), tuple(handed), known)
    return found

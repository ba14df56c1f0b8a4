"""Calls whose callee is a value: function pointers, functors, template arguments; and which functions they may reach.

What a pointer holds is not followed. A device function that is called through one must have its address taken somewhere
in the file, and an object that is called must have an ``operator()`` there: those are the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutate.analysis.constants import is_constant, made_of
from mutate.analysis.objects import may_run_on_device
from mutate.analysis.value import is_number
from mutate.analysis.values import Values
from mutate.frontend.tree import Node
from mutate.frontend.units import Function, Unit

_PLAIN = frozenset({"field_expression", "qualified_identifier", "template_function", "template_method",
                    "primitive_type", "type_identifier", "dependent_name", "sized_type_specifier"})


def called_value(values: Values, call: Node) -> Node | None:
    """The expression a call takes its callee from; ``None`` when the callee is a name, a method, a type or a lambda."""
    node = call.get("function")
    while node is not None and node.kids and (node.type == "parenthesized_expression" or (
            node.type == "pointer_expression" and node.text.startswith("*"))):
        node = node.kids[-1]  # *f is f for a pointer to a function
    if node is None or node.type in _PLAIN:
        return None
    if node.type != "identifier":
        return None if node.type == "lambda_expression" else node
    var = values.scopes.var_of.get(node)
    if var is None:
        return node if _is_template_value(values.function, node.text) else None
    # A lambda's body is part of the function it stands in.
    return None if var.holds_lambda else node


def _is_template_value(function: Function, name: str) -> bool:
    """True for a template parameter that is a value, such as a pointer to a function."""
    if name not in function.template_params:
        return False
    template = next((a for a in function.node.ancestors() if a.type == "template_declaration"), None)
    parameters = template.get("parameters") if template is not None else None
    return any(p.type in ("parameter_declaration", "optional_parameter_declaration") and
               any(n.type == "identifier" and n.text == name for n in p.walk())
               for p in (parameters.kids if parameters is not None else ()))


def candidates(unit: Unit, values: Values, callee: Node, args: list[Node]) -> tuple[Function, ...]:
    """Every function of the unit that a called value may turn out to be, as far as types and arguments tell."""
    type_ = values.value(callee).decay().type.innermost()
    known = type_.name if unit.struct(type_.name) is not None else ""
    var = values.scopes.var_of.get(callee)
    made = made_of(unit, var.init) if var is not None and var.init is not None and is_constant(var) else None
    pointer = type_.name == "function" or (made is not None and bool(made.functions)) or \
        (callee.type == "identifier" and callee not in values.scopes.var_of)
    found: list[Function] = []
    if not pointer:
        found += [f for f in unit.methods().get("operator()", ()) if (
            known in f.qualified.split("::") if known else may_run_on_device(f))]
    if not known:
        functions = unit.device_functions()
        names = [n for n in functions if n in made.functions] if made is not None else \
            _addresses_taken(unit)
        found += [f for name in names for f in functions[name]]
    kinds = [_kind(values, a) for a in args]
    return tuple(f for f in found if all(k is None or k == ("*" in p.type_text)
                                         for k, p in zip(kinds, f.params, strict=False)))


def _kind(values: Values, arg: Node) -> bool | None:
    """True for a pointer, false for a number, ``None`` where the type is not known."""
    type_ = values.value(arg).decay().type
    return True if type_.kind == "pointer" else False if is_number(type_) else None


def _addresses_taken(unit: Unit) -> tuple[str, ...]:
    """Names of device functions that stand anywhere but in front of a call's arguments or in their definition."""
    if unit.addresses_taken is None:
        unit.addresses_taken = tuple(dict.fromkeys(_find_taken(unit, frozenset(unit.device_functions()))))
    return unit.addresses_taken


def _find_taken(unit: Unit, names: frozenset[str]) -> Iterator[str]:
    for file in unit.files():
        # Items of one namespace have it in common.
        several = (i.outermost for i in file.items if not i.mentions.isdisjoint(names))
        for outermost in {id(node): node for node in several}.values():
            for node in outermost.walk():
                # A template argument that is a name is read as a type.
                if node.type not in ("identifier", "type_identifier") or node.text not in names:
                    continue
                up = node.parent
                while up is not None and up.type in ("template_function", "qualified_identifier"):
                    up = up.parent
                called = up is not None and up.type == "call_expression" and (f := up.get("function")) is not None \
                    and f.start <= node.start < f.end
                if not called and (up is None or not up.type.endswith("declarator") or up.type == "init_declarator"):
                    yield node.text

"""Explicit specialisations of template kernels: which launches are theirs, and which the template's."""

from __future__ import annotations

import re

from mutate.analysis.constants import split_arguments
from mutate.frontend.units import Function, Unit, function_declarator, template_parameters
from mutate.launch.model import Launch


def is_specialisation(kernel: Function) -> bool:
    """Whether a kernel is a template's for some arguments alone: ``template <>``."""
    around = kernel.node.parent
    return around is not None and around.type == "template_declaration" and not template_parameters(around)[0]


def arguments_of(kernel: Function, unit: Unit) -> tuple[str, ...] | None:
    """The template arguments that a specialisation is for: as it says them, else as its parameters' types tell, beside

    those of the template. ``None`` where neither does.
    """
    declarator = function_declarator(kernel.node)
    said = re.match(r"[\w:\s]+<(.*)>\s*\(", declarator.text, re.DOTALL) if declarator is not None else None
    if said:
        return tuple(_plain(a) for a in split_arguments(said[1]))
    primary = next((k for k in unit.kernels if k.is_template and k.qualified == kernel.qualified
                    and len(k.params) == len(kernel.params)), None)
    if primary is None:
        return None
    known: dict[str, str] = {}
    for there, here in zip(primary.params, kernel.params, strict=True):
        for name in primary.template_params:
            around = re.split(rf"\b{re.escape(name)}\b", there.type_text)
            if len(around) == 2 and here.type_text.startswith(around[0]) and here.type_text.endswith(around[1]):
                known.setdefault(name, _plain(here.type_text.removeprefix(around[0]).removesuffix(around[1])))
    return tuple(known[n] for n in primary.template_params) if len(known) == len(primary.template_params) else None


def _plain(argument: str) -> str:
    return " ".join(argument.split())


def is_for(launch: Launch, kernel: Function, unit: Unit) -> bool:
    """Whether a launch by the kernel's name is of it, and not of a specialisation or of the template beside it."""
    special = {id(k): arguments_of(k, unit) for k in unit.kernels
               if k.qualified == kernel.qualified and is_specialisation(k)}
    given = tuple(_plain(a) for a in split_arguments(launch.template_args or ""))
    if id(kernel) in special:
        return special[id(kernel)] in (given, None)
    return not kernel.is_template or given not in special.values()

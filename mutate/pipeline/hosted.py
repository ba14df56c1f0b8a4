"""Launches that nobody declares, taken from the host code where it says everything about them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mutate.errors import KmutateError
from mutate.frontend.units import Function, Unit
from mutate.launch.evaluate import evaluate_all
from mutate.launch.find import find_declarations
from mutate.launch.model import Launch
from mutate.results import Request

_MOST_NAMED = 3


def launch_command(request: Request) -> str:
    """The command that proposes a declaration for the same file, read with the same options."""
    options = [part for flag, values in (("-I", request.include_dirs), ("-D", request.defines))
               for value in values for part in (flag, value)]
    return shlex.join(["kmutate", "launch", str(request.path), *options])


def host_launches(unit: Unit, kernels: Sequence[Function], request: Request, warnings: list[str]
                  ) -> tuple[tuple[Launch, ...], dict[str, str]]:
    """What ``kmutate launch`` proposes for those of the kernels for which it has to guess nothing.

    What arrays hold is always made up; a warning says so. Of the other kernels that the unit launches, by their names,
    what of the launch would be a guess, in words. Both are empty where the unit has no launches.
    """
    if b"<<<" not in unit.main.expansion.text:
        return (), {}
    from mutate.propose import propose

    try:
        found = propose(unit, frozenset(k.qualified for k in kernels)).proposals
    except KmutateError:
        return (), {}  # too slow
    sure = [p for p in found if p.function and not p.guesses and not p.problem]
    defines = {m.name if m.params is None else f"{m.name}({', '.join(m.params)})": m.body.decode(errors="replace")
               for m in unit.main.expansion.macros.values()}
    launches: list[Launch] = []
    for p in sure:
        try:
            launches += evaluate_all(find_declarations(p.text.encode(), unit.main.name), defines, request.settings)
        except KmutateError:
            continue
        warnings.append(f"{p.kernel} is launched as {p.function}() does it (line {p.line}), on data that is made up: "
                        f"`{launch_command(request)}` shows the declaration, to be changed and kept")
    unsure = {}
    for p in found:
        if p.function and p.guesses:
            left = [f"{g.name} ({g.why})" for g in p.guesses]
            unsure[p.kernel] = f"{p.function}() launches {p.kernel} (line {p.line}), which leaves open: " + \
                ", ".join([*left[:_MOST_NAMED], *(["..."] if len(left) > _MOST_NAMED else [])])
    return tuple(launches), unsure

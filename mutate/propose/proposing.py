"""From the launches in a unit's host code to proposed declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from mutate.errors import KmutateError
from mutate.frontend.units import Unit
from mutate.launch import check_against
from mutate.limits import bounded
from mutate.propose.assemble import PARTS, Assembly
from mutate.propose.draft import Draft
from mutate.propose.hostcode import HostCode
from mutate.propose.memory import Memory
from mutate.propose.model import Line, Proposal, Proposals, SkippedLaunch
from mutate.propose.render import render
from mutate.propose.sites import HostLaunch, Unread, find_launches
from mutate.propose.use import Use, uses

# So many callers of the function around a launch are tried; the one with the fewest guesses is taken.
_MOST_CHOICES = 3
# Which part of a declaration an error about the whole is about.
_BLAME = (("grid", r"^grid\b"), ("block", r"^block\b|^the block has"), ("smem", "dynamic shared memory"),
          ("scalars", "does not fit the parameter|cannot take"))


def with_host(unit: Unit, other: Unit) -> Unit:
    """A unit together with another one's host code: that of the file that calls what launches the kernels."""
    known = {f.name for f in unit.files()}
    return Unit(unit.main, [*unit.included, *(f for f in other.files() if f.name not in known)], unit.named)


def propose(unit: Unit, kernels: frozenset[str] | None = None,
            enough: Callable[[Proposal], bool] = lambda found: False) -> Proposals:
    """One declaration for each kernel instance that the unit's host code launches.

    ``kernels``: qualified names of those that are wanted, ``None`` for all. Where an instance is launched at several
    places, the first place with the fewest guesses counts. Never raises for host code that is not understood: what is
    not found is guessed and listed. A file without any launch gets declarations of guesses for all its kernels.
    No further launch is looked at behind one whose proposal is ``enough``.
    ``KmutateError`` as ``limits.bounded``.
    """
    with bounded("proposing launches for", unit.main.name):
        return _propose(unit, kernels, enough)


def _propose(unit: Unit, kernels: frozenset[str] | None, enough: Callable[[Proposal], bool]) -> Proposals:
    host = HostCode(unit)
    memory = Memory(host)
    defines = {m.name if m.params is None else f"{m.name}({', '.join(m.params)})": m.body.decode(errors="replace")
               for m in unit.main.expansion.macros.values()}
    used: dict[int, tuple[Mapping[str, Use], frozenset[str]]] = {}
    best: dict[tuple[str, str], Proposal] = {}
    skipped: list[SkippedLaunch] = []
    for launch in find_launches(host):
        if isinstance(launch, Unread):
            if kernels is None:
                text = " ".join(launch.node.text.split())
                skipped.append(SkippedLaunch(host.line_of(launch.node), text[:60], launch.why))
            continue
        kernel = launch.kernel
        if kernels is not None and kernel.qualified not in kernels:
            continue
        if id(kernel.node) not in used:
            used[id(kernel.node)] = uses(unit, kernel)
        function = host.function_of(launch.node)
        choices = len(host.call_sites(function)) if function is not None else 0
        for choice in range(max(1, min(choices, _MOST_CHOICES))):
            made = _propose_one(host, memory, defines, launch, used[id(kernel.node)], choice)
            key = (kernel.qualified, made.instance)
            known = best.get(key)
            if known is None or (bool(made.problem), len(made.guesses)) < (bool(known.problem), len(known.guesses)):
                best[key] = made
            if (not made.guesses and not made.problem) or enough(made):
                break
        if enough(made):
            break
    launched = {p.kernel for p in best.values()}
    nothing = not best
    for kernel in unit.kernels:
        # Where the host code is elsewhere, or this kernel is asked for by name: a start by its parameters alone.
        if kernel.qualified not in launched and (nothing if kernels is None else kernel.qualified in kernels):
            made = _propose_one(host, memory, defines, HostLaunch(kernel, kernel.node), uses(unit, kernel), 0)
            best[kernel.qualified, made.instance] = made
            launched.add(kernel.qualified)
    return Proposals(unit.main.name, tuple(best.values()), tuple(skipped),
                     tuple(k.qualified for k in unit.kernels if k.qualified not in launched
                           and (kernels is None or k.qualified in kernels)))


def _propose_one(host: HostCode, memory: Memory, defines: Mapping[str, str], launch: HostLaunch,
                 used: tuple[Mapping[str, Use], frozenset[str]], choice: int) -> Proposal:
    forced: frozenset[str] = frozenset()
    while True:
        draft = Draft(defines)
        function = host.function_of(launch.node) if launch.grid is not None else None
        instance = Assembly(host, memory, draft, launch, host.context(function, choice=choice), used, forced).run()
        problem = _problem(draft, launch)
        if not problem or forced == PARTS:
            break
        # The parts hold, but not together, as a block of too many threads does: what is at fault is guessed.
        blamed = frozenset(part for part, pattern in _BLAME if re.search(pattern, problem))
        forced = forced | blamed if blamed - forced else PARTS
    lines = _needed(draft.lines)
    guesses = tuple(dict.fromkeys(g for g in draft.guesses
                                  if g.name not in draft.names or any(_declares(t.text, g.name) for t in lines)))
    line = host.line_of(launch.node)
    comment = f"from the launch in {function.qualified}(), line {line}" if function is not None \
        else "no launch of this kernel was found: from its parameters"
    name = launch.kernel.qualified + (f"<{instance}>" if instance is not None else "")
    return Proposal(launch.kernel.qualified, name, host.file_of(launch.node).name,
                    function.qualified if function is not None else "", line, tuple(lines), guesses,
                    render(lines, comment), problem)



def _problem(draft: Draft, launch: HostLaunch) -> str:
    """Why the whole declaration is refused, "" when it is not."""
    try:
        for found in draft.evaluate(""):
            check_against(found, [(p.type_text, p.name) for p in launch.kernel.params])
    except KmutateError as error:
        return error.what
    return ""


def _declares(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _needed(lines: list[Line]) -> list[Line]:
    """Without variables that nothing after them uses: attempts that led nowhere leave some."""
    kept: list[Line] = []
    wanted = {"grid", "block", "smem"}
    for line in reversed(lines):
        words = re.findall(r"[A-Za-z_]\w*", line.text)
        head = line.text.split("=")[0].split("[")[0].split("{")[0]
        declared = re.findall(r"[A-Za-z_]\w*", head)
        call = line.text.endswith(");") and "=" not in line.text
        name = declared[0].split(".")[0] if declared and "." in head else declared[-1] if declared else ""
        if call or name in wanted or line.text.startswith("extern"):
            kept.append(line)
            wanted.update(words)
    return kept[::-1]

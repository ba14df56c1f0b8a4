"""Which kernels of a file are meant, as which instances, launched how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mutate.analysis.constants import split_arguments
from mutate.errors import KmutateError, nearest
from mutate.frontend.load import read_source
from mutate.frontend.units import Function, Unit
from mutate.launch.check import check_against, parameter
from mutate.launch.evaluate import evaluate_all
from mutate.launch.find import declaration_file, find_declarations
from mutate.launch.model import Arg, ArrayArg, Launch
from mutate.pipeline.instances import Instances
from mutate.pipeline.specialised import arguments_of, is_for, is_specialisation
from mutate.results import Request, Target

ASSUMED_THREADS = 256
_STEM = 120
"""Characters: what comes behind has to fit into a file name, too."""
_SPACES = re.compile(r"\s+")


def read_launches(unit: Unit, request: Request) -> tuple[Launch, ...]:
    """The launches declared in the file, or in ``--launch FILE``."""
    if request.launch_file is not None:
        declarations = declaration_file(read_source(request.launch_file), str(request.launch_file))
    else:
        declarations = find_declarations(unit.source, unit.main.name)
    if not declarations:
        if request.settings:
            name = next(iter(request.settings))
            raise KmutateError("no-launch", f"--set {name}=... has nothing to set: {unit.main.name} has no launch "
                                            "declaration", hint=f"`kmutate launch {unit.main.name}` proposes one; "
                               "or add a /* kmutate launch ... */ comment, or give --launch FILE")
        return ()
    defines = {m.name if m.params is None else f"{m.name}({', '.join(m.params)})": m.body.decode(errors="replace")
               for m in unit.main.expansion.macros.values()}
    return evaluate_all(declarations, defines, request.settings)


def _matches(launch: Launch, kernel: Function) -> bool:
    return launch.kernel in (kernel.name, kernel.qualified)


def _checked(launch: Launch, kernel: Function, request: Request, warnings: list[str]) -> Launch:
    checked = check_against(launch, [(p.type_text, p.name) for p in kernel.params])
    warnings += [f"{w.where}: {w.what}" for w in checked.warnings]
    return checked.launch if _instances(kernel, request) else _deduced(checked.launch, kernel)


def _deduced(launch: Launch, kernel: Function) -> Launch:
    """The launch with the template arguments that its call leaves out: types, told from the arguments as C++ does."""
    given = split_arguments(launch.template_args or "")
    needed = kernel.template_params[: len(kernel.template_params) - kernel.template_defaults]
    if len(given) >= len(needed):
        return launch
    bound: dict[str, str] = {}
    for param, arg in zip(kernel.params, launch.args, strict=True):
        wanted = parameter(param.type_text, param.name)
        told = _pointee(arg, wanted.pointers) if wanted.base_text in needed[len(given):] else None
        if told is not None and bound.setdefault(wanted.base_text, told) != told:
            raise launch.declaration.error("instance-needed", f"{wanted.base_text} would be {bound[wanted.base_text]} "
                                           f"and, by {param.name}, {told}", arg.span,
                                           f"say which: {kernel.qualified}<{bound[wanted.base_text]}>(...)")
    missing = [p for p in needed[len(given):] if p not in bound]
    if missing:
        raise launch.declaration.error(
            "instance-needed", f"{kernel.qualified} is a template; {', '.join(missing)} cannot be told from the "
            "arguments", launch.name_span, f"write {kernel.qualified}<{', '.join(needed)}>(...) with their values")
    return replace(launch, template_args=", ".join([*given, *(bound[p] for p in needed[len(given):])]))


def _pointee(arg: Arg, pointers: int) -> str | None:
    """The type that an argument is of or, behind a pointer, points to; ``None`` where it does not say."""
    if isinstance(arg, ArrayArg):
        told = arg.elem.name if arg.elem is not None and pointers < 2 else None
        return told if pointers or told is None else f"{told} *"
    return arg.as_value().type.name if pointers == 0 else None


def _instances(kernel: Function, request: Request) -> list[str]:
    out = []
    for text in request.instances:
        name, _, rest = text.partition("<")
        if name.strip() in (kernel.name, kernel.qualified) and rest.rstrip().endswith(">"):
            out.append(_SPACES.sub(" ", rest.rstrip()[:-1].strip()))
    return out


def _launched_with(unit: Unit, kernel: Function, warnings: list[str]) -> str | None:
    """Template arguments that the host code uses a kernel with, where following it tells.

    A type that nobody says is taken as ``float``, with a warning.
    """
    from mutate.propose import Guess, Proposal, propose

    instances = Instances(unit)
    plain = instances.plain(kernel)
    if plain is not None:
        return plain
    if len(kernel.template_params) <= kernel.template_defaults or b"<<<" not in unit.main.expansion.text:
        return instances.followed(kernel)
    def said(p: Proposal) -> tuple[str, list[Guess]] | None:
        text = p.instance.partition("<")[2].removesuffix(">") if p.function else ""
        guesses = [g for g in p.guesses if g.name.startswith(("template argument ", "type "))]
        return (text, guesses) if text and instances.says(text) else None

    try:
        proposals = propose(unit, frozenset({kernel.qualified}),
                            lambda p: (found := said(p)) is not None and not found[1]).proposals
    except KmutateError:
        return None  # too slow
    guessed = dict(found for p in proposals if (found := said(p)) is not None)
    known = next((i for i, guesses in guessed.items() if not guesses), None)
    followed = instances.followed(kernel) if known is None else known
    if followed is not None or not guessed:
        return followed
    instance, guesses = next(iter(guessed.items()))
    what = ", ".join(f"{g.name.rpartition(' ')[2]} = {g.assumed}" for g in guesses)
    warnings.append(f"nobody says with which arguments {kernel.qualified} is used: taken with {what}; --instance "
                    f"'{kernel.qualified}<...>' names others")
    return instance


def _specialised_for(unit: Unit, kernel: Function) -> str | None:
    known = arguments_of(kernel, unit) if is_specialisation(kernel) else None
    return None if known is None else ", ".join(known)


def make_targets(unit: Unit, kernels: Sequence[Function], request: Request, warnings: list[str],
                 given: Sequence[Launch] | None = None) -> list[Target]:
    """All instances of the kernels that a request selects, in the order of the file.

    ``given`` are launches that take the place of the declared ones.
    """
    launches = tuple(given) if given is not None else read_launches(unit, request)
    for launch in launches:
        if not any(_matches(launch, k) for k in unit.kernels):
            near = nearest(launch.kernel, [k.qualified for k in unit.kernels])
            raise launch.declaration.error("unknown-kernel", f"the file has no kernel called '{launch.kernel}'",
                                           launch.name_span, f"did you mean '{near}'?" if near else "check the name")
    for text in request.instances:
        name = text.partition("<")[0].strip()
        if "<" not in text or not text.rstrip().endswith(">"):
            raise KmutateError("bad-instance", f"--instance '{text}' is not of the form 'kernel<arguments>'",
                               hint="for example --instance 'reduce6<512>'")
        if not any(name in (k.name, k.qualified) for k in unit.kernels):
            near = nearest(name, [k.qualified for k in unit.kernels])
            raise KmutateError("unknown-kernel", f"--instance names kernel '{name}', which {unit.main.name} does not "
                                                 "define", hint=f"did you mean '{near}'?" if near else "check the name")
    targets: list[Target] = []
    stems: dict[str, int] = {}
    for kernel in kernels:
        stem = _stem(kernel.qualified)
        stems[stem] = stems.get(stem, 0) + 1
        if stems[stem] > 1:
            stem = f"{stem}-{stems[stem]}"
        mine = [_checked(la, kernel, request, warnings) for la in launches
                if _matches(la, kernel) and is_for(la, kernel, unit)]
        by_instance: dict[str | None, list[Launch]] = {}
        for la in mine:
            by_instance.setdefault(la.template_args, []).append(la)
        for text in _instances(kernel, request):
            by_instance.setdefault(text, [])
        if request.instances and any(_instances(kernel, request)):
            by_instance = {i: by_instance[i] for i in _instances(kernel, request)}
        if not by_instance:
            found = _launched_with(unit, kernel, warnings) if kernel.is_template else _specialised_for(unit, kernel)
            by_instance[found] = []
        for instance, own in by_instance.items():
            targets.append(_target(kernel, instance, tuple(own), stem))
    return targets


def _stem(name: str) -> str:
    """The start of file names for a kernel: what is no letter, digit or dot of its name is not in it."""
    return re.sub(r"[^\w.]", "_", name.replace("::", ".")).lstrip(".")[:_STEM] or "kernel"


def _target(kernel: Function, instance: str | None, launches: tuple[Launch, ...], stem: str) -> Target:
    if launches:
        return Target(kernel, instance, launches, launches[0].threads, launches[0].smem, False, stem)
    bound = kernel.launch_bounds[0] if kernel.launch_bounds else ""
    threads = int(bound) if bound.isdigit() and 0 < int(bound) <= 1024 else ASSUMED_THREADS
    return Target(kernel, instance, (), threads, 0, True, stem)


def needs_instance(target: Target) -> bool:
    """A template kernel of which nobody says with which arguments it is used."""
    k = target.kernel
    return k.is_template and target.instance is None and len(k.template_params) > k.template_defaults

"""Which kernels of a file are meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mutate.errors import KmutateError, nearest
from mutate.frontend.units import Function, Unit


def select_kernels(unit: Unit, wanted: Sequence[str]) -> list[Function]:
    """Kernels by name or regular expression (``re.search`` on the qualified name).

    ``KmutateError``: ``no-kernel`` for a file without one, ``unknown-kernel``, ``bad-pattern``.
    """
    kernels = list(unit.kernels)
    if not kernels:
        raise KmutateError("no-kernel", f"{unit.main.name} defines no kernel (no __global__ function with a body)",
                           file=unit.main.name, hint="give the .cu file that defines the kernel; is it behind an #if? "
                           "then set -D")
    if not wanted:
        return kernels
    chosen: list[Function] = []
    for name in wanted:
        plain = name.split("<")[0]
        hits = [k for k in kernels if plain in (k.name, k.qualified)]
        if not hits:
            try:
                hits = [k for k in kernels if re.search(name, k.qualified)]
            except re.error as error:
                raise KmutateError("bad-pattern", f"'{name}' is no kernel of the file and no regular expression: "
                                                  f"{error}", hint="-k takes a name or a Python regular expression"
                                   ) from None
        if not hits:
            known = [k.qualified for k in kernels]
            near = nearest(plain, known)
            raise KmutateError("unknown-kernel", f"{unit.main.name} has no kernel called '{name}'", file=unit.main.name,
                               hint=(f"did you mean '{near}'? " if near else "") + "kernels: " + ", ".join(known[:10]))
        chosen += [h for h in hits if h not in chosen]
    return chosen

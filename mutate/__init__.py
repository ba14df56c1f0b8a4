"""kmutate: what limits a CUDA kernel, found by experiment."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["KmutateError", "__version__", "analyze", "simulate", "variants"]

# As `typing` has it, which takes longer to import than all the rest of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from mutate.api import analyze, simulate, variants
    from mutate.errors import KmutateError


def __getattr__(name: str) -> object:
    # What the functions need is loaded when they are first used: the command line starts without it.
    if name in ("analyze", "simulate", "variants"):
        import mutate.api

        return getattr(mutate.api, name)
    if name == "KmutateError":
        from mutate.errors import KmutateError

        return KmutateError
    raise AttributeError(f"module 'mutate' has no attribute {name!r}")

"""What a slice leaves of each statement, as data: ``slices.Slicer`` makes it, ``mutations.sliced`` writes it down."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from mutate.analysis.sites import Access, Call
from mutate.analysis.symbols import Var
from mutate.frontend.tree import Node

LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})


class Act(Enum):
    """What a piece of a plan does."""

    KEEP = auto()
    FOLD = auto()
    STORE = auto()
    ATOMIC = auto()
    CALL = auto()
    BRANCH = auto()
    EXPAND = auto()
    FENCE = auto()
    """A barrier that goes, but that loads must not be moved across."""


@dataclass(eq=False)
class Piece:
    """One effect that survives from an expression whose value is not needed."""

    act: Act
    node: Node
    access: Access | None = None
    call: Call | None = None
    then: list[Piece] = field(default_factory=list)
    otherwise: list[Piece] = field(default_factory=list)


@dataclass(eq=False)
class Plan:
    """What happens to one statement: ``verbatim`` | ``drop`` | ``pieces`` | ``nest`` (go into ``inner``) | ``lambda``

    (the declaration of one whose body is ``inner``).
    """

    how: str
    node: Node
    pieces: list[Piece] = field(default_factory=list)
    inner: list[Plan] = field(default_factory=list)
    content: bool = False
    """False for declarations without an initialiser and the like: kept, but no reason to keep a loop around."""


@dataclass
class Wants:
    """What the slices of a program's functions need of each other: names of members of objects, memory."""

    members: set[str] = field(default_factory=set)
    memory: set[Var] = field(default_factory=set)

    @property
    def size(self) -> int:
        return len(self.members) + len(self.memory)


@dataclass(frozen=True)
class Keep:
    """Which global accesses survive, and whether a function's result must."""

    loads: bool = True
    stores: bool = True

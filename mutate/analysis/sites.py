"""What a scan of a function finds: accesses to memory, barriers, and calls that matter."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mutate.analysis.called import Called
from mutate.analysis.symbols import Space, Type, Var
from mutate.frontend.tree import Node
from mutate.frontend.units import Function

_READING = frozenset({"load", "update", "texture", "surface-load", "fragment-load", "async"})
_WRITING = frozenset({"store", "update", "atomic", "surface-store", "fragment-store"})


@dataclass(eq=False)
class Access:
    """``kind``: load | store | update | atomic | async | texture | surface-load | surface-store | fragment-load |

    fragment-store | asm.
    """

    kind: str
    node: Node
    spaces: frozenset[Space]
    roots: frozenset[Var]
    type: Type
    address: tuple[Node, ...]
    value: tuple[Node, ...] = ()
    builtin: str = ""
    statement: Node | None = None
    """The assignment or update expression of a store; the call itself for intrinsics."""
    in_lambda: bool = False
    asm_kind: str = ""
    receiver: Node | None = None
    """The object of a ``cuda::atomic`` or ``cuda::atomic_ref`` whose member ``builtin`` is called."""

    @property
    def touches_global(self) -> bool:
        return bool(self.spaces & {Space.GLOBAL, Space.UNKNOWN})

    @property
    def touches_shared(self) -> bool:
        return Space.SHARED in self.spaces

    @property
    def reads(self) -> bool:
        return self.kind in _READING or self.asm_kind == "load"

    @property
    def writes(self) -> bool:
        return self.kind in _WRITING or self.asm_kind in ("store", "atomic")


def is_discarded(node: Node) -> bool:
    """Whether nothing is done with the value of an expression."""
    up = node.parent
    while up is not None and up.type == "parenthesized_expression":
        up = up.parent
    return up is not None and up.type == "expression_statement"


def output_of(node: Node) -> Node | None:
    """The inline PTX whose result an lvalue takes."""
    up = node.parent
    while up is not None and up.type in ("parenthesized_expression", "gnu_asm_output_operand",
                                         "gnu_asm_output_operand_list"):
        up = up.parent
    return up if up is not None and up.type == "gnu_asm_expression" and any(
        u.type == "gnu_asm_output_operand" for u in node.ancestors()) else None


@dataclass(eq=False)
class Barrier:
    """``scope``: block | warp | cluster | grid. ``node`` is the call or the asm expression."""

    node: Node
    scope: str
    spelling: str
    returns_value: bool = False

    @property
    def awaits_copies(self) -> bool:
        """``cooperative_groups::wait``: waits for asynchronous copies, then for the block."""
        return self.spelling in ("wait", "wait_prior")


@dataclass(eq=False)
class Call:
    """A call that is neither an intrinsic nor known to be pure. ``callees`` are its definitions in the unit."""

    node: Node
    name: str
    callees: tuple[Function, ...]
    args: tuple[Node, ...]
    targets: tuple[tuple[frozenset[Space], frozenset[Var]], ...]
    is_method: bool = False
    in_lambda: bool = False
    local: Var | None = None
    """The variable that names the lambda which is called."""
    value: Node | None = None
    """The expression that the callee is taken from, where it is no name: a function pointer, a functor."""
    member: Called | None = None
    """What it is a call of where the callees are member functions of an object."""

    @property
    def receiver(self) -> Node | None:
        """The object that a member function is called on."""
        return self.member.receiver if self.member is not None else None

    @property
    def passes_global(self) -> bool:
        return any(Space.GLOBAL in spaces or Space.UNKNOWN in spaces for spaces, _ in self.targets)


_ASM_STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
_ASM_KINDS = (
    ("async", re.compile(r"\bcp\.async(?!\.(?:commit|wait))")),
    ("tma", re.compile(r"\bcp\.async\.bulk|\bcp\.reduce\.async\.bulk")),
    ("barrier", re.compile(r"\b(?:bar|barrier)(?:\.cta)?\.(?:sync|red|arrive)")),
    ("warp", re.compile(r"\bbar\.warp\.sync")),
    ("atomic", re.compile(r"\b(?:atom|red)\.(?!shared)")),
    ("load", re.compile(r"\b(?:ld[ux]?|ld_reduce)\.")),
    ("store", re.compile(r"\bst\.")),
)


def asm_text(node: Node) -> str:
    code = node.get("assembly_code")
    return " ".join(_ASM_STRING.findall(code.text)) if code is not None else ""


def asm_kind(node: Node) -> str:
    """What an inline PTX statement does to memory: async | tma | barrier | warp | atomic | load | store | ""."""
    text = asm_text(node)
    if re.search(r"\bcp\.async\.bulk", text):
        return "tma"
    for kind, pattern in _ASM_KINDS:
        if pattern.search(text):
            return kind
    return ""


@dataclass
class Sites:
    accesses: list[Access] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    at: dict[Node, Access] = field(default_factory=dict)
    barrier_at: dict[Node, Barrier] = field(default_factory=dict)
    call_at: dict[Node, Call] = field(default_factory=dict)

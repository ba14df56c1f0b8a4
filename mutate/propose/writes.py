"""Which assignments give a host variable its value before a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mutate.frontend.tree import Node
from mutate.propose.hostcode import Declared, HostCode, arguments_of, bare, call_name

# What a program's user may give on the command line: the defaults are what is wanted.
COMMAND_LINE = re.compile(r"\bargc\b|\bargv\b|[cC]md_?[lL]ine|\bopt(?:arg|ind)?\b|\bgetopt|\boptions?\b|\bgetenv\b|"
                          r"\bget(?:Option|Arg)\w*")
# Calls that get a variable's address and only read it.
_ONLY_READ = re.compile(r"Memcpy|Symbol|cudaLaunch|printf|fwrite|write|save|print|checkCmd|addKernelParam")
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")


@dataclass(frozen=True)
class Write:
    """``name`` or ``name.member`` gets a value: ``value`` with ``op`` (``=``, ``+=``, ``++``).

    ``note`` says what was assumed; ``lost`` that a loop has changed it in a way that is not followed.
    """

    member: str
    op: str
    value: Node | None
    node: Node
    note: str = ""
    lost: bool = False


def _once(loop: Node) -> bool:
    """``do { } while (0)`` of a macro."""
    condition = loop.get("condition")
    return loop.type == "do_statement" and condition is not None and condition.text.strip("( )") in ("0", "false")


def writes_before(host: HostCode, declared: Declared, at: Node, holds: Callable[[Node], bool | None]) -> list[Write]:
    """The writes that decide a variable's value at a place, in order, from the last plain assignment on.

    ``holds(condition)`` says whether the condition of an ``if`` is true, ``None`` where that is not known: such an
    assignment counts only when there is no other.
    """
    function = host.function_of(at)
    found: list[tuple[Write, bool]] = []
    if declared.init is not None and declared.kind != "parameter":
        found.append((Write("", "=", declared.init, declared.node), True))
    for write in _all_writes(host, declared, at):
        inside = function is not None and write.node.start < at.start and write.node.end <= at.start \
            and host.function_of(write.node) is function
        if not inside:
            continue
        sure, note, lost = _decide(write.node, at, holds)
        if sure is False or (lost and _shrinks(write)):
            continue
        if write.value is not None and COMMAND_LINE.search(write.value.text):
            found = [(Write(w.member, w.op, w.value, w.node, "the default where the command line gives none"), s)
                     for w, s in found] if found else [(write, False)]
            continue
        found.append((Write(write.member, write.op, write.value, write.node, note or write.note, lost), sure is True))
    certain = [w for w, sure in found if sure]
    if not any(w.op == "=" and not w.member for w in certain):
        certain = certain or [w for w, _ in found[:1]]
    start = 0
    for index, write in enumerate(certain):
        if write.op == "=" and not write.member and write.value is not None and not _mentions(write.value,
                                                                                              declared.name):
            start = index
    return certain[start:]


def _shrinks(write: Write) -> bool:
    """``while (too_large) n /= 2;`` fits a size to a small GPU: a large one leaves it as it was."""
    loop = next((up for up in write.node.ancestors() if up.type in _LOOPS), None)
    return loop is not None and loop.type == "while_statement" and write.op in ("/=", "-=", ">>=", "--")


def set_by_call(host: HostCode, declared: Declared, at: Node, after: Node) -> Node | None:
    """The call that gets the address of a variable, and may set it, between its last assignment and a place."""
    function = host.function_of(at)
    for call in host.nodes("call_expression"):
        if call.text_source is not at.text_source or not after.end <= call.start or call.end > at.start \
                or host.function_of(call) is not function:
            continue
        name = call_name(call)
        if not name or _ONLY_READ.search(name) or any("const" in p.type_text for f in host.functions(name)
                                                      for p in f.params if "*" in p.type_text):
            continue
        for argument in arguments_of(call):
            inner = bare(argument)
            if inner.type == "pointer_expression" and inner.text.startswith("&") \
                    and bare(inner.kids[-1]).text == declared.name:
                return call
    return None


PADDED = "as cudaMallocPitch pads rows"


def padded_width(call: Node, declared: Declared) -> Node | None:
    """The width of a row where a call is the ``cudaMallocPitch`` that sets a variable to that of a padded one."""
    arguments = arguments_of(call)
    if not call_name(call).endswith("MallocPitch") or len(arguments) != 4:
        return None
    return arguments[2] if bare(bare(arguments[1]).kids[-1]).text == declared.name else None


def decided_by_branches(node: Node) -> Iterator[tuple[Node, Node]]:
    """What the branches around a place say about variables: the name and its value, of ``case 4:`` and ``n == 4``."""
    child = node
    for up in node.ancestors():
        if up.type == "function_definition":
            return
        if up.type == "case_statement" and (value := up.get("value")) is not None and value is not child:
            switch = next((a for a in up.ancestors() if a.type == "switch_statement"), None)
            condition = switch.get("condition") if switch is not None else None
            name = bare(condition.get("value") or condition) if condition is not None else up
            if name.type == "identifier":
                yield name, value
        elif up.type == "if_statement" and child is up.get("consequence"):
            condition = up.get("condition")
            test = bare(condition.get("value") or condition) if condition is not None else None
            op = test.get("operator") if test is not None else None
            left, right = (test.get("left"), test.get("right")) if test is not None else (None, None)
            if op is not None and op.text == "==" and left is not None and right is not None \
                    and left.type == "identifier" and right.type == "number_literal":
                yield left, right
        child = up


def _mentions(node: Node, name: str) -> bool:
    return any(n.type == "identifier" and n.text == name for n in node.walk())


def _all_writes(host: HostCode, declared: Declared, at: Node) -> list[Write]:
    out: list[Write] = []
    for node in host.nodes("assignment_expression"):
        left, right = node.get("left"), node.get("right")
        if left is None or right is None or node.text_source is not at.text_source:
            continue
        target: Node | None = bare(left)
        member = ""
        if target is not None and target.type == "field_expression" and (field := target.get("field")) is not None \
                and (operator := target.get("operator")) is not None and operator.text == ".":
            member = field.text
            argument = target.get("argument")
            target = bare(argument) if argument is not None else None
        if target is None or target.type != "identifier" or target.text != declared.name:
            continue
        if host.declaration(declared.name, target) != declared and declared.kind != "file":
            continue
        op = node.get("operator")
        out.append(Write(member, op.text if op is not None else "=", right, node))
    for node in host.nodes("update_expression"):
        target = node.get("argument")
        if target is not None and target.type == "identifier" and target.text == declared.name \
                and node.text_source is at.text_source and host.declaration(declared.name, target) == declared:
            out.append(Write("", "++" if "++" in node.text else "--", None, node))
    return sorted(out, key=lambda w: w.node.start)


def _decide(node: Node, at: Node, holds: Callable[[Node], bool | None]) -> tuple[bool | None, str, bool]:
    """Whether a statement is executed before a place, what is assumed for that, and whether it may be repeated."""
    around = {id(up) for up in at.ancestors()}
    sure: bool | None = True
    note, lost = "", False
    child = node
    for up in node.ancestors():
        if id(up) in around:
            if up.type == "for_statement" and child in (up.get("update"), up.get("condition")):
                return False, "", False  # the first pass comes before it
            break
        if up.type == "if_statement":
            condition = up.get("condition")
            alternative = up.get("alternative")
            other = alternative is not None and alternative.start <= child.start
            if condition is None or condition.start <= child.start < condition.end:
                child = up
                continue
            if COMMAND_LINE.search(condition.text):
                if not other:
                    return False, "", False
                note = "the default where the command line gives none"
            else:
                truth = holds(condition)
                if truth is None:
                    sure = None
                elif truth == other:
                    return False, "", False
        elif up.type in _LOOPS and not _once(up):
            initializer = up.get("initializer")
            if initializer is None or not initializer.start <= child.start < initializer.end:
                lost = True
        elif up.type in ("case_statement", "switch_statement", "lambda_expression", "conditional_expression",
                         "catch_clause"):
            sure = None
        child = up
    return sure, note, lost

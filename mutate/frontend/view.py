"""What NVRTC gets to see: the user's file with everything blanked that only the host needs.

NVRTC compiles device code only. Declarations that the kernel does not reach, host functions, host headers
and local headers of which nothing is used become spaces of the same length, so that line and column of
every message stay the user's. The file that is written is never touched by this.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence, Set

from mutate.frontend.preprocess import blank_comments
from mutate.frontend.tree import Node
from mutate.frontend.units import (
    File,
    Function,
    Item,
    Unit,
    declarator_name,
    function_declarator,
    innermost,
    parameters,
    template_parameters,
)
from mutate.source import Span, blank

_WORD = re.compile(rb"[A-Za-z_]\w*")
# `using namespace std::chrono;`, `using std::cout;`: what a host library has, NVRTC does not know.
_USING_STD = re.compile(rb"\busing\s+(namespace\s+)?(?:::\s*)?std\s*(?:::\s*(\w+)\s*)*;")


def _head_words(item: Item) -> frozenset[str]:
    node = item.node
    body = next((n for n in node.walk() if n.type == "compound_statement"), None)
    text = node.text_source[node.start : body.start if body is not None else node.end]
    return frozenset(w.decode() for w in _WORD.findall(text))


def _keeps(item: Item, kernels: Set[int], needed: set[str]) -> bool:
    """Whether device code can use an item and something needed mentions it. ``kernels`` are ids of items."""
    if id(item) in kernels:
        return True
    if item.kind == "using":
        found = _USING_STD.search(item.node.text.encode())
        return found is None or (found[1] is None and found[2] is not None and found[2].decode() in needed)
    if item.kind == "other":
        return item.device
    if item.names.isdisjoint(needed):
        return False
    words = _head_words(item)
    if item.kind == "function":
        if "operator" in item.names:
            return "__device__" in words
        return bool(words & {"__device__", "__global__", "constexpr", "consteval"})
    if item.kind == "variable":
        return item.device or bool(words & {"const", "constexpr", "extern", "static_assert"})
    return True


_ARGUMENT = re.compile(rb"[<,]\s*&?\s*(?:\w+\s*::\s*)*([A-Za-z_]\w*)")
_ARGUMENTS = re.compile(rb"(\w+)\s*<([^;{}<>]{1,400})>")


def calls_template_argument(kernel: Function) -> bool:
    """Whether a kernel calls one of its template parameters: a function, or a type that is made an object of."""
    body = kernel.body.text
    return any(p and re.search(rf"\b{re.escape(p)}\s*\(", body) for p in kernel.template_params)


def decided_by_instances(kernel: Function) -> bool:
    """Whether template arguments say what matters of a kernel: what it calls, of which type its shared atomics are."""
    return calls_template_argument(kernel) or (kernel.is_template and "__shared__" in kernel.body.text
                                               and b"atomic" in kernel.node.text_source)


def _template_arguments(unit: Unit, kernel: Function) -> set[str]:
    """Names that stand in template arguments of a kernel, or of the templates of the file that launch it.

    Of all template arguments of the file device functions, when the kernel calls a template parameter, and types, when
    it uses members of one.
    """
    if not kernel.is_template:
        return set()
    launching = {kernel.name}
    templates = [f for f in unit.main.functions if f.is_template and not f.is_device and f is not kernel]
    while fresh := {f.name for f in templates if not launching.isdisjoint(f.item.mentions)} - launching:
        launching |= fresh
    words = {w.decode() for m in _ARGUMENTS.finditer(unit.main.expansion.text) if m[1].decode() in launching
             for w in _WORD.findall(m[2])}
    body = kernel.body.text
    names: set[str] = set()
    if calls_template_argument(kernel):
        names |= unit.device_functions().keys()
    if any(re.search(rf"\b{re.escape(p)}\s*::", body) for p in kernel.template_params):
        names |= {n for f in unit.files() for n in f.structs}
    if names:
        words |= {w.decode() for w in _ARGUMENT.findall(unit.main.expansion.text)} & names
    return words


def needed_items(unit: Unit, kernels: Sequence[Function], names: Set[str] = frozenset()) -> tuple[set[int], set[str]]:
    """Ids of the items that kernels and ``names`` reach by name, in all files, and every name that is mentioned."""
    needed = {"operator", *names}
    for kernel in kernels:
        needed |= kernel.item.mentions | _template_arguments(unit, kernel)
    kept: set[int] = set()
    grew = True
    items = [(i, f.main) for f in unit.files() for i in f.items]
    start = {id(k.item) for k in kernels}
    spaces: set[str] = set()
    while grew:
        grew = False
        for item, main in items:
            if id(item) not in kept and _keeps(item, start, needed) and (main or _is_near(item, needed, spaces)):
                kept.add(id(item))
                needed |= item.mentions
                spaces.update(item.namespaces[:1])
                grew = True
    nowhere = {n for i, _ in items for n in i.namespaces} - {n for i, _ in items if id(i) in kept for n in i.namespaces}
    for kernel in kernels:
        kept -= {id(i) for i, _ in items if id(i) not in start and _is_overload(i, kernel)}
    return kept - {id(i) for i, _ in items if i.kind == "using" and _names_all_of(i) in nowhere}, needed


def _is_near(item: Item, needed: Set[str], spaces: Set[str]) -> bool:
    """Whether what is used can see an item of a header: it stands in no namespace, in one that is named somewhere or

    has something that is used. A library has a function for every word that a kernel calls a variable by.
    """
    if item.kind == "using":
        first = _USED.search(item.node.text)
        if first is not None and first[1] not in spaces and first[1] not in needed:
            return False
    return not item.namespaces or item.namespaces[0] in spaces or not needed.isdisjoint(item.namespaces)


# What a using-declaration, a using-directive or an alias of a namespace begins with.
_USED = re.compile(r"(?:\busing\s+(?:namespace\s+)?|=\s*)(?:::\s*)?(\w+)")
_USING_ALL = re.compile(r"using\s+namespace\s+(?:::\s*)?(?:\w+\s*::\s*)*(\w+)\s*;")


def _names_all_of(item: Item) -> str:
    found = _USING_ALL.search(item.node.text)
    return found[1] if found is not None else ""


def _is_overload(item: Item, kernel: Function) -> bool:
    """Whether an item is another kernel of the same name: NVRTC is asked for a kernel by its name alone."""
    if item.kind != "function" or kernel.name not in item.names or item.namespaces != kernel.item.namespaces or \
            "__global__" not in _head_words(item):
        return False
    if kernel.is_template != (item.node.type == "template_declaration" and bool(template_parameters(item.node)[0])):
        return False  # a specialisation, or an instance that is asked for, is this kernel
    theirs, own = function_declarator(innermost(item.node)), function_declarator(kernel.node)
    return theirs is not None and own is not None and _types(theirs) != _types(own)


def _types(declarator: Node) -> list[str]:
    return ["".join(p.type_text.split()) for p in parameters(declarator)]


def host_spans(unit: Unit, kernel: Function, has_header: Callable[[str], bool]) -> tuple[Span, ...]:
    """Spans of the user's file that NVRTC must not see. ``has_header(path)``: NVRTC can find this system header."""
    # A launch declaration names types, too: in a comment, which is not in the expanded text.
    declared = re.compile(rb"\b" + re.escape(kernel.name.encode()) + rb"\s*<([^;{}]{1,400}?)>\s*\(")
    named = {w.decode() for m in declared.finditer(unit.source) for w in _WORD.findall(m[1])} if kernel.is_template \
        else set()
    kept, needed = needed_items(unit, (kernel,), named | unit.named)
    main = unit.main
    expansion = main.expansion
    spans = blanked_items(main, kept)
    needed_text = _through_macros(unit, raw_words(main, kept))
    for include in expansion.includes:
        files = _closure_of_include(unit, include.found)  # found beside the file or in an -I folder
        if files:
            used = any(_is_used(f, kept, needed, needed_text) for f in files)
        else:
            used = has_header(include.path) and not is_idle_library(include.path, needed | needed_text)
        if not used:
            spans.append(include.span)
    return tuple(spans)


def host_members(item: Item) -> list[Span]:
    """Member functions and friends of a type that only the host has: NVRTC refuses them, or what they call or name."""
    if item.kind != "type":
        return []
    out = _with_host_types(item)
    if "__host__" not in item.mentions and not any(map(_RUNTIME.fullmatch, item.mentions)):
        return out
    for node in item.node.walk():
        if node.type == "function_definition":
            body = node.get("body") or next((k for k in node.kids if k.type == "compound_statement"), None)
            at = body.start if body is not None else node.end
            words = set(_WORD.findall(node.text_source[node.start : at]))
            if b"__device__" in words or b"virtual" in words:
                continue
            if b"__host__" in words or _CALLS_RUNTIME.search(node.text_source, at, node.end):
                out.append(node.span)
    return out


def _with_host_types(item: Item) -> list[Span]:
    """Functions in a class, or their declarations, that name what C++'s library has for the host: ``std::ostream``.

    Also declarations of the host's functions, which NVRTC refuses.
    """
    if item.mentions.isdisjoint(_HOST_NAMES) and "__host__" not in item.mentions:
        return []
    out = []
    for members in (n for n in item.node.walk() if n.type == "field_declaration_list"):
        for member in members.kids:
            function = next((n for n in member.walk() if n.type == "function_declarator"), None)
            if function is None or any(n.type in _CLASSES for n in member.kids):
                continue
            body = next((n for n in member.walk() if n.type == "compound_statement"), None)
            at = body.start if body is not None else member.end
            words = set(_WORD.findall(member.text_source[member.start : at]))
            if words.isdisjoint(_NOT_HOSTS) and ((b"__host__" in words and body is None) or _HOST_TYPE.search(
                    member.text_source, member.start, member.end)):
                out.append(member.span)
    return out


_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_NOT_HOSTS = frozenset({b"__device__", b"virtual", b"constexpr", b"consteval", b"__global__"})
_HOST_NAMES = frozenset(f"{way}{kind}" for way in ("", "i", "o", "io") for kind in ("stream", "fstream", "stringstream")
                        ) | frozenset({"string", "wstring", "vector", "map", "unordered_map", "set", "list", "deque",
                                       "shared_ptr", "unique_ptr", "cout", "cerr", "endl", "runtime_error"})
_HOST_TYPE = re.compile(rb"\bstd\s*::\s*(?:" + "|".join(sorted(_HOST_NAMES)).encode() + rb")\b")


# Functions of the runtime API and of C's library of which kernels have none.
_RUNTIME_NAME = (r"(?:cuda(?:Malloc|Free|Memcpy|Memset|MemPrefetch|MemAdvise|MemGet|Host|Stream|Event"
                 r"|Device(?:Sync|Reset)|SetDevice|Launch|Func|GetLastError|GetErrorString|PeekAtLastError)\w*"
                 r"|str(?:n?cpy|n?cmp|n?cat|n?dup|len|str|to[dlu]\w*)|f(?:open|close|read|write|printf|puts)|sn?printf"
                 r"|exit|perror|getenv|s?rand|ato[ifl]+|gettimeofday|clock_gettime)")
_RUNTIME = re.compile(_RUNTIME_NAME)
_CALLS_RUNTIME = re.compile(rb"\b" + _RUNTIME_NAME.encode() + rb"\s*\(")


# Of `struct S {...} __align__(8);` the grammar, which is not shown the attribute, takes the end for a statement.
_ATTRIBUTE_BEHIND = re.compile(rb"\s*(?:__align__|__attribute__)\s*\((?:[^();{}]|\((?:[^();{}]|\([^();{}]*\))*\))*\)")


def blanked_items(file: File, kept: Set[int]) -> list[Span]:
    """Spans of a file's items that are not kept, less its directives, and of the host's members of those that are.

    What one use of a macro makes stays whole. A specialisation or an explicit instantiation of something blanked goes
    with it (it is an item itself).
    """
    expansion = file.expansion
    spans: list[Span] = []
    stays = -1
    at = [(expansion.to_source(i.node.span), i) for i in file.items]
    first_kept = [s.start for s, i in at if id(i) in kept]
    for span, item in at:
        if id(item) not in kept and item.kind == "type" and (
                attribute := _ATTRIBUTE_BEHIND.match(expansion.source, span.end)) is not None:
            span = Span(span.start, attribute.end())
        if id(item) in kept:
            stays = max(stays, span.end)
            spans += [expansion.to_source(s) for s in host_members(item)]
            continue
        following = bisect_left(first_kept, span.start)
        if span.start >= stays and (following == len(first_kept) or first_kept[following] >= span.end):
            spans += without_directives(span, expansion.directives)
    return spans


# Libraries that host code uses more often than kernels, whose names are all in one namespace; they take seconds to
# compile, if they can be without a host.
_BY_NAMESPACE = frozenset({"cub", "thrust"})


def is_idle_library(path: str, words: Set[str]) -> bool:
    """Whether what a name in ``#include`` stands for is of a library whose namespace is none of ``words``."""
    library = path.split("/", maxsplit=1)[0]
    return library in _BY_NAMESPACE and library not in words


def raw_words(file: File, kept: Set[int]) -> frozenset[str]:
    """Words of the kept items as the user wrote them, less comments: names of macros, which expansion has removed."""
    words: set[str] = set()
    for item in file.items:
        if id(item) in kept:
            at = file.expansion.to_source(item.node.span)
            words.update(w.decode() for w in _WORD.findall(blank_comments(file.expansion.source[at.start : at.end])))
    return frozenset(words)


def _through_macros(unit: Unit, words: frozenset[str]) -> frozenset[str]:
    """Words, and what the macros among them are made of: one header's macro may stand behind another one's."""
    macros = {name: m for f in unit.files() for name, m in f.expansion.macros.items()}
    found, work = set(words), list(words)
    while work:
        macro = macros.get(work.pop())
        if macro is not None:
            fresh = {w.decode() for w in _WORD.findall(macro.body)} - found
            found |= fresh
            work += fresh
    return frozenset(found)


def _closure_of_include(unit: Unit, name: str) -> list[File]:
    """The included file with this name and everything it includes, as far as they were found."""
    files = {f.name: f for f in unit.included}
    found: dict[str, File] = {}
    work = [name]
    while work:
        file = files.get(work.pop())
        if file is not None and file.name not in found:
            found[file.name] = file
            work += [i.found for i in file.expansion.includes]
    return list(found.values())


def _is_used(file: File, kept: set[int], needed: set[str], raw_words: frozenset[str]) -> bool:
    if any(id(i) in kept and i.kind != "using" for i in file.items):
        return True
    defined = {w.decode() for d in file.expansion.directives
               for w in re.findall(rb"#\s*define\s+(\w+)", file.expansion.source[d.start : d.end])}
    return not defined.isdisjoint(raw_words) or not defined.isdisjoint(needed)


def without_directives(span: Span, directives: tuple[Span, ...]) -> list[Span]:
    """A span less the preprocessor lines inside it: ``#if`` and ``#endif`` must stay balanced."""
    out: list[Span] = []
    at = span.start
    for d in directives:
        if d.end <= span.start or d.start >= span.end:
            continue
        out.append(Span(at, max(at, d.start)))
        at = d.end
    out.append(Span(at, max(at, span.end)))
    return [s for s in out if s.end > s.start]


def device_text(source: bytes, spans: tuple[Span, ...]) -> bytes:
    """The text for NVRTC: same length, same lines."""
    return blank(source, spans)


def parameter_list(function: Function) -> Span | None:
    """What stands between the parentheses of the parameter list."""
    declarator = function_declarator(function.node)
    plist = declarator.get("parameters") if declarator is not None else None
    return Span(plist.start + 1, plist.end - 1) if plist is not None else None


def name_span(function: Function) -> Span | None:
    """Where the function's own name stands (without qualification and template arguments)."""
    name = declarator_name(function_declarator(function.node))
    if name is None:
        return None
    for n in name.walk():
        if n.type in ("identifier", "field_identifier", "type_identifier") and n.text == function.name:
            return n.span
    return name.span

"""The JSON document ``kmutate.launch/1`` of ``kmutate launch --json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mutate import __version__
from mutate.errors import KmutateError
from mutate.propose.model import Proposal, Proposals
from mutate.report.document import error_document

SCHEMA = "kmutate.launch/1"


def _proposal(p: Proposal) -> dict[str, Any]:
    return {"kernel": p.kernel, "instance": p.instance, "file": p.file, "function": p.function or None,
            "line": p.line, "declaration": p.text,
            "guesses": [{"name": g.name, "assumed": g.assumed, "why": g.why} for g in p.guesses],
            "problem": p.problem or None}


def _document(file: str, **more: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "kmutate": __version__, "file": file, "declared": [], "proposals": [], "skipped": [],
            "not_launched": [], **more}


def launch_document(found: Proposals) -> dict[str, Any]:
    """The one document that ``--json`` prints; ``mutate/report/schemas/launch-1.json`` describes it."""
    return _document(found.file, proposals=[_proposal(p) for p in found.proposals],
                     skipped=[{"line": s.line, "text": s.text, "why": s.why} for s in found.skipped],
                     not_launched=list(found.not_launched))


def declared_document(file: str, declared: Sequence[str]) -> dict[str, Any]:
    """The document for a file that has declarations: their texts."""
    return _document(file, declared=list(declared))


def failure_document(file: str, error: KmutateError) -> dict[str, Any]:
    """The document for a file of which nothing can be said."""
    return _document(file, error=error_document(error))

"""Proposes launch declarations from the launches in a file's host code: `kmutate launch`."""

from mutate.propose.model import Guess, Proposal, Proposals, SkippedLaunch
from mutate.propose.proposing import propose, with_host

__all__ = ["Guess", "Proposal", "Proposals", "SkippedLaunch", "propose", "with_host"]

"""What a person has to check in proposed launch declarations, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from mutate.propose.model import Proposals

_MOST = 8


def summary(found: Proposals, written: str | None) -> Iterator[str]:
    """Lines for stderr: what was guessed, what was left out, what to do next."""
    guessed: dict[tuple[str, str, str], list[str]] = {}
    for proposal in found.proposals:
        for guess in proposal.guesses:
            guessed.setdefault((guess.name, guess.assumed, guess.why), []).append(proposal.instance)
    count = len(found.proposals)
    yield (f"{count} launch declaration{'s' * (count != 1)} proposed"
           + (f", written to {written}" if written is not None else "")
           + (f"; {len(guessed)} guess{'es' * (len(guessed) != 1)} to check:" if guessed
              else "; sizes and arguments were all found, what the arrays hold is made up"))
    for (name, assumed, why), instances in list(guessed.items())[:_MOST]:
        of = instances[0] if len(instances) == 1 else f"{len(instances)} kernels"
        yield f"  {name} = {assumed} ({of}): {why}"
    if len(guessed) > _MOST:
        yield f"  and {len(guessed) - _MOST} more, marked in the text"
    for proposal in found.proposals:
        if proposal.problem:
            yield f"  {proposal.instance}: {proposal.problem}: to be mended by hand"
    for skipped in found.skipped:
        yield f"  {found.file}:{skipped.line}: nothing is proposed for {skipped.text}: {skipped.why}"
    if found.not_launched:
        yield f"  not launched in this file: {', '.join(found.not_launched)}; -k NAME proposes one all the same"

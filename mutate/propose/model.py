"""What a proposal of launch declarations is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line of a proposed declaration and the comment behind it."""

    text: str
    comment: str = ""
    guessed: bool = False


@dataclass(frozen=True)
class Guess:
    """Something that the host code does not say. ``name`` is the variable, array, grid or block of the declaration;

    ``assumed`` what stands there now; ``why`` says what was looked for.
    """

    name: str
    assumed: str
    why: str


@dataclass(frozen=True)
class Proposal:
    """The declaration of one kernel instance. ``line`` (1-based) is that of the launch in ``file``, in ``function``;

    where no launch was found, of the kernel, and ``function`` is "".

    ``text`` is the whole comment, ready to be pasted. ``problem`` is the error that stays in it although everything
    doubtful was replaced by guesses, "" for the usual case of none.
    """

    kernel: str
    instance: str
    file: str
    function: str
    line: int
    lines: tuple[Line, ...]
    guesses: tuple[Guess, ...]
    text: str
    problem: str = ""


@dataclass(frozen=True)
class SkippedLaunch:
    """A launch from which nothing is proposed, and why."""

    line: int
    text: str
    why: str


@dataclass(frozen=True)
class Proposals:
    """All that the host code of one file gives."""

    file: str
    proposals: tuple[Proposal, ...]
    skipped: tuple[SkippedLaunch, ...] = ()
    not_launched: tuple[str, ...] = ()
    """Kernels of the file that no launch in it names."""

"""identity: the null control."""

from mutate.analysis.program import Program
from mutate.mutations.base import (
    Check,
    Example,
    Mutation,
    Refused,
    Rewrite,
)
from mutate.source import Edit


def transform(program: Program) -> Rewrite | Refused:
    body = program.kernel.function.body
    return Rewrite((Edit(body.start + 1, body.start + 1, " /* kmutate identity: nothing changed */", "identity"),))


MUTATION = Mutation(
    id="identity",
    summary="nothing changed: the null control",
    keeps="all",
    removes="nothing",
    how="the kernel goes through the whole pipeline and comes out with the same instructions",
    transform=transform,
    checks=(
        Check("identical", what="the instructions"),
    ),
    examples=(
        Example("unchanged", "__global__ void k(float *p) { p[threadIdx.x] += 1.0f; }\n",
                after=("p[threadIdx.x] += 1.0f;",)),
        Example("unchanged", "__global__ void k(float *p) { p[ = ; }\n", after=("p[ = ;",),
                why="what cannot be read is not touched"),
    ),
)

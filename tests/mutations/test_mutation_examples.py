"""Every mutation's EXAMPLES hold: they are its documentation, so what they say must happen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import mutate.mutations
from mutate.errors import KmutateError
from mutate.frontend.load import load_unit
from mutate.model import Outcome, Verdict
from mutate.mutations import registry
from mutate.mutations.base import Example, Mutation, Refused
from mutate.mutations.build import VariantText, build_variant
from mutate.pipeline.run import run_variants
from mutate.results import Request
from mutate.toolchain.locate import find_toolchain

MUTATIONS = registry.all_mutations()
EXAMPLES = [pytest.param(m, e, id=f"{m.id}-{i}-{e.kind}") for m in MUTATIONS.values() for i, e in enumerate(m.examples)]
COMPILED = [p for p in EXAMPLES if p.values[1].kind == "applies"]  # type: ignore[union-attr]
needs_nvrtc = pytest.mark.skipif(find_toolchain().nvrtc is None, reason="no NVRTC for this platform")

NEW_MUTATION = '''
from mutate.mutations.base import Example, Mutation, Refused

MUTATION = Mutation(id="brand-new", summary="s", keeps="k", removes="r", how="h",
                    transform=lambda program: Refused("never", "only a test"))
'''


def _build(mutation: Mutation, example: Example) -> VariantText | Refused:
    unit = load_unit(example.before.encode(), "example.cu")
    return build_variant(unit, unit.kernels[-1], (mutation,))


@pytest.mark.parametrize(("mutation", "example"), EXAMPLES)
def test_the_example_holds(mutation: Mutation, example: Example) -> None:
    built = _build(mutation, example)
    if example.kind == "rejects":
        assert isinstance(built, Refused)
        assert built.slug == example.slug
        assert built.why
        return
    assert isinstance(built, VariantText), built
    text = built.text.decode()
    assert text != example.before
    for wanted in example.after:
        assert wanted in text
    for gone in example.gone:
        assert gone in example.before, "an example must not promise to remove what is not there"
        assert gone not in text
    if example.kind == "unchanged":
        for line in example.before.splitlines():
            assert line.partition("{")[2].strip() in text


@needs_nvrtc
@pytest.mark.parametrize(("mutation", "example"), COMPILED)
def test_the_variant_of_an_example_compiles_and_is_not_invalid(
        mutation: Mutation, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a relative name is the same in every run, for the compile cache
    path = Path("example.cu")
    path.write_text(example.before)
    report = run_variants(Request(path, (mutation.id,), output=Path("out")))
    (variant,) = report.kernels[0].variants
    assert variant.outcome is Outcome.OK, variant.log
    assert variant.certificate is not None
    assert variant.certificate.verdict is not Verdict.INVALID, variant.certificate.reasons


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_a_mutation_is_documented(mutation: Mutation) -> None:
    for text in (mutation.id, mutation.summary, mutation.keeps, mutation.removes, mutation.how):
        assert text.strip()
    kinds = {e.kind for e in mutation.examples}
    assert kinds <= {"applies", "unchanged", "rejects"}
    assert kinds & {"applies", "unchanged"}
    assert mutation.id == "identity" or {"applies", "rejects"} <= kinds
    for e in mutation.examples:
        assert bool(e.slug) == (e.kind == "rejects")
        assert e.kind == "rejects" or e.after
    assert mutation.checks, "a mutation without a check would be trusted, not proven"


def test_the_eight_mutations_come_in_the_order_of_the_design() -> None:
    assert list(MUTATIONS) == ["identity", "memory-only", "load-only", "store-only", "math-only", "no-sync",
                               "smem-conflict-free", "smem-broadcast"]


def test_a_new_file_in_the_package_is_a_new_mutation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The registry looks into its own folder: a copy of it with one more file stands in for the package.
    here = Path(mutate.mutations.__path__[0])
    package = tmp_path / "mutations"
    shutil.copytree(here, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "brand_new.py").write_text(NEW_MUTATION)
    monkeypatch.setattr(mutate.mutations, "__path__", [str(here), str(package)])
    monkeypatch.setattr(registry, "__file__", str(package / "registry.py"))
    registry.all_mutations.cache_clear()
    try:
        assert list(registry.all_mutations()) == [*MUTATIONS, "brand-new"]
        assert [m.id for m in registry.parse_composition("brand-new")] == ["brand-new"]
    finally:
        registry.all_mutations.cache_clear()


@pytest.mark.parametrize(("text", "ids"), [
    ("memory-only", ["memory-only"]),
    ("no-sync+memory-only", ["memory-only", "no-sync"]),
    ("smem-broadcast + no-sync + math-only", ["math-only", "no-sync", "smem-broadcast"]),
    ("identity+no-sync", ["no-sync"]),
])
def test_a_composition_is_put_into_the_order_of_application(text: str, ids: list[str]) -> None:
    assert [m.id for m in registry.parse_composition(text)] == ids


@pytest.mark.parametrize(("text", "slug", "words"), [
    ("memory-onyl", "unknown-mutation", "'memory-only'"),
    ("no-sync+smem-brodcast", "unknown-mutation", "'smem-broadcast'"),
    ("memory-only+math-only", "bad-composition", "'memory-only' and 'math-only'"),
    ("smem-broadcast+smem-conflict-free", "bad-composition", "cannot be composed"),
    ("", "unknown-mutation", "kmutate list"),
])
def test_a_wrong_composition_is_refused_by_name(text: str, slug: str, words: str) -> None:
    with pytest.raises(KmutateError) as caught:
        registry.parse_composition(text)
    assert caught.value.slug == slug
    assert words in str(caught.value)

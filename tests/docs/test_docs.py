"""The documentation names every slug that the code can say, and its generated pages are what the script writes."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import make_docs
import pytest
from compilers import nvrtc_version

import mutate

PACKAGE = Path(mutate.__file__).parent
CALLS = {"Reason", "Cause", "Refused", "Note", "KmutateError", "FaultError", "error", "_error"}
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Slugs are in the first cell of a table's row.
_FIRST_CELL = re.compile(r"^\| (`[^|]+`) \|", re.M)


def slugs_in_code() -> dict[str, str]:
    """Every literal slug and the file that says it first."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            first = node.args[0]
            for arg in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                if name in CALLS and isinstance(arg, ast.Constant) and isinstance(arg.value, str) \
                        and _SLUG.fullmatch(arg.value):
                    found.setdefault(arg.value, path.relative_to(PACKAGE).as_posix())
    return found


def documented() -> set[str]:
    pages = ("certificate.md", "machines.md", "timing.md", "analysis.md", "sweeps.md")
    text = "".join((make_docs.DOCS / page).read_text(encoding="utf-8") for page in pages)
    return {slug for cell in _FIRST_CELL.findall(text) for slug in re.findall(r"`([^`]+)`", cell)}


def test_every_slug_is_documented() -> None:
    code = slugs_in_code()
    assert len(code) > 60
    assert {slug: path for slug, path in code.items() if slug not in documented()} == {}


def test_no_slug_is_documented_that_the_code_cannot_say() -> None:
    assert documented() - set(slugs_in_code()) == set()


@pytest.mark.parametrize("page", [*sorted(make_docs.DOCS.glob("*.md")), make_docs.ROOT / "ARCHITECTURE.md"],
                         ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files exist; an anchor is a heading of its page."""
    for target in re.findall(r"\]\(([^)]+)\)", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)):
        name, _, anchor = target.partition("#")
        other = page.parent / name if name else page
        assert other.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", other.read_text(encoding="utf-8"), re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}, target


@pytest.mark.parametrize("page", [*sorted(make_docs.DOCS.glob("*.md")), make_docs.ROOT / "ARCHITECTURE.md"],
                         ids=lambda page: page.name)
def test_paths_in_the_text_exist(page: Path) -> None:
    for path in re.findall(r"`((?:mutate|tests|samples|templates|docs)/[\w./*-]+)`", page.read_text(encoding="utf-8")):
        assert list(make_docs.ROOT.glob(path)), path


def test_mutations_page_is_up_to_date() -> None:
    assert (make_docs.DOCS / "mutations.md").read_text(encoding="utf-8") == make_docs.mutations_page(), \
        "run python tests/docs/make_docs.py mutations"


def test_machines_page_is_up_to_date() -> None:
    assert (make_docs.DOCS / "machines.md").read_text(encoding="utf-8") == make_docs.machines_page(), \
        "run python tests/docs/make_docs.py machines"


def test_analysis_page_is_up_to_date() -> None:
    assert (make_docs.DOCS / "analysis.md").read_text(encoding="utf-8") == make_docs.analysis_page(), \
        "run python tests/docs/make_docs.py analysis"


def test_counters_page_is_up_to_date() -> None:
    assert (make_docs.DOCS / "counters.md").read_text(encoding="utf-8") == make_docs.counters_page(), \
        "run python tests/docs/make_docs.py counters"


def test_page_of_stalls_is_up_to_date() -> None:
    assert (make_docs.DOCS / "stalls.md").read_text(encoding="utf-8") == make_docs.stalls_page(), \
        "run python tests/docs/make_docs.py stalls"


def test_page_of_the_seeds_is_up_to_date() -> None:
    """tests/seeds/test_seeds.py holds what it is made from against the model."""
    assert (make_docs.DOCS / "seeds.md").read_text(encoding="utf-8") == make_docs.seeds_page(), \
        "run python tests/docs/make_docs.py seeds"


def test_page_of_kernels_held_out_is_up_to_date() -> None:
    assert (make_docs.DOCS / "heldout.md").read_text(encoding="utf-8") == make_docs.heldout_page(), \
        "run python tests/docs/make_docs.py heldout"


def test_page_of_microbenchmarks_is_up_to_date() -> None:
    assert (make_docs.DOCS / "microbenchmarks.md").read_text(encoding="utf-8") == make_docs.microbenchmarks_page(), \
        "run python tests/docs/make_docs.py microbenchmarks"


def test_page_of_simulated_times_is_up_to_date() -> None:
    assert (make_docs.DOCS / "simulated_times.md").read_text(encoding="utf-8") == make_docs.simulated_times_page(), \
        "run python tests/docs/make_docs.py simulated_times"


# All samples are compiled: with pytest-xdist on one worker with the other tests that do so, to share the compile cache.
@pytest.mark.xdist_group("samples")
def test_samples_page_is_up_to_date() -> None:
    written = (make_docs.DOCS / "samples.md").read_text(encoding="utf-8")
    if f"NVRTC {nvrtc_version()}." not in written:
        pytest.skip(f"docs/samples.md is for another compiler than NVRTC {nvrtc_version()}")
    assert written == make_docs.samples_page(), "run python tests/docs/make_docs.py samples"

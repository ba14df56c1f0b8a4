"""The declarations of launches of real projects' kernels, without the projects."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from real import HERE, SETS, Entry, command_of, entries

from mutate.launch import evaluate_all, find_declarations

ENTRIES = [e for name in SETS for e in entries(name)]
PROJECTS = {project: said for name in SETS
            for project, said in tomllib.loads((HERE / name / "projects.toml").read_text(encoding="utf-8")).items()}


@pytest.mark.parametrize("entry", ENTRIES, ids=[f"{e.project}/{e.name}" for e in ENTRIES])
def test_declarations_are_ones(entry: Entry, tmp_path: Path) -> None:
    found = find_declarations(entry.launch.read_bytes(), str(entry.launch))
    if all(path.is_file() for path in entry.data()):
        assert len(evaluate_all(found)) == entry.calls
    else:
        # Data that is too large for the repository.
        assert found
        assert (entry.launch.parent / "gen.py").is_file()
    command = command_of(entry, tmp_path, ["--backend", "sim"])
    assert not any(word.startswith(("PROJECT", "@", "CUDA")) for word in command)
    assert entry.path(tmp_path).is_file() or entry.path(tmp_path).is_relative_to(tmp_path / entry.project)


def test_names_are_their_own_and_projects_have_a_commit() -> None:
    assert max(Counter((e.project, e.name) for e in ENTRIES).values()) == 1
    assert {e.project for e in ENTRIES} == set(PROJECTS)
    assert all(len(p["commit"]) == 40 for p in PROJECTS.values())


@pytest.mark.parametrize(("name", "left"), [("real", 1), ("real2", 2), ("real3", 42)])
def test_what_was_measured_is_what_is_declared(name: str, left: int) -> None:
    """All but where includes of the GPU's machine were others (neuralnet, spmv, spmm, caffe), or code took it too long

    to compile (most of kaldi).
    """
    measured = _measured(name)
    declared = {f"{e.project}/{e.name}" for e in entries(name)}
    assert measured <= declared
    assert len(declared - measured) == left


def test_what_was_measured_later_leaves_kaldi_only() -> None:
    """mumax3 a second time, with its variants; caffe with libraries' headers empty, which its kernels do not use."""
    later = _measured("real3b")
    assert {name.partition("/")[0] for name in later} == {"caffe", "mumax3"}
    missing = {f"{e.project}/{e.name}" for e in entries("real3")} - _measured("real3") - later
    assert {name.partition("/")[0] for name in missing} == {"kaldi"}
    assert len(missing) == 24


def _measured(name: str) -> set[str]:
    kept = json.loads((HERE / "reference" / f"h100_{name}.json").read_text(encoding="utf-8"))
    return {row["kernel"].partition(":")[0] for row in kept["rows"]}

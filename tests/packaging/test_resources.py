"""The resolver of templates/ and samples/, and the agreement between imports and declared dependencies."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

import mutate
from mutate import resources

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(mutate.__file__).resolve().parent
DISTRIBUTIONS = {"elftools": "pyelftools", "tree_sitter": "tree-sitter", "tree_sitter_cuda": "tree-sitter-cuda",
                 "cupy": "cupy-cuda13x", "cupy_backends": "cupy-cuda13x"}


def test_data_is_found() -> None:
    assert (resources.samples_dir() / "fd3d.cu").is_file()
    assert any(path.suffix == ".j2" for path in resources.templates_dir().rglob("*"))


@pytest.mark.skipif(PACKAGE.parent != ROOT, reason="mutate is not imported from this checkout")
def test_a_checkout_uses_its_own_folders() -> None:
    assert resources.samples_dir() == ROOT / "samples"
    assert resources.templates_dir() == ROOT / "templates"


def test_installed_data_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mutate" / "_data" / "samples").mkdir(parents=True)
    (tmp_path / "samples").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "mutate")
    assert resources.samples_dir() == tmp_path / "mutate" / "_data" / "samples"


def test_a_broken_installation_names_the_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "mutate")
    with pytest.raises(FileNotFoundError) as error:
        resources.templates_dir()
    assert str(tmp_path / "mutate" / "_data" / "templates") in str(error.value)
    assert str(tmp_path / "templates") in str(error.value)


def project() -> dict[str, object]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert isinstance(table, dict)
    return table


def names(requirements: object) -> set[str]:
    assert isinstance(requirements, list)
    found = (re.match(r"[A-Za-z0-9._-]+", line) for line in requirements)
    return {re.sub(r"[-_.]+", "-", match[0]).lower() for match in found if match}


def imported(path: Path) -> set[str]:
    """Top-level names of all absolute imports of a module, those inside functions included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_every_import_is_a_declared_dependency() -> None:
    required = names(project()["dependencies"])
    extras = project()["optional-dependencies"]
    assert isinstance(extras, dict)
    allowed = required | names(extras["gpu"]) | names(extras["frames"])
    own = {*sys.stdlib_module_names, "mutate", "nvidia"}  # nvidia: the wheels' common namespace
    undeclared = {f"{path.relative_to(PACKAGE)} imports {module}"
                  for path in PACKAGE.rglob("*.py") for module in imported(path) - own
                  if DISTRIBUTIONS.get(module, module.replace("_", "-")) not in allowed}
    assert not undeclared


def test_cupy_only_in_the_extra_gpu() -> None:
    extras = project()["optional-dependencies"]
    assert isinstance(extras, dict)
    assert not [name for name in names(project()["dependencies"]) if "cupy" in name]
    assert [extra for extra, lines in extras.items() if any("cupy" in name for name in names(lines))] == ["gpu"]

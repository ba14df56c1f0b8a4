"""What the wheel holds and what it asks for. (.ci/run installs it in a fresh environment.)"""

from __future__ import annotations

import email
import subprocess
import sys
import zipfile
from email.message import Message
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="needs the build backend (pip install kmutate[test])")

ROOT = Path(__file__).resolve().parents[2]
JUNK = ("__pycache__", ".pyc", ".DS_Store")

pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs the checkout")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("dist")
    return Path(next(iter(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))))


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def metadata(contents: dict[str, bytes]) -> Message:
    name, = (name for name in contents if name.endswith(".dist-info/METADATA"))
    return email.message_from_bytes(contents[name])


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not any(j in str(path) for j in JUNK))


@pytest.mark.parametrize("folder", ["templates", "samples"])
def test_data_folders_ship_byte_for_byte(contents: dict[str, bytes], folder: str) -> None:
    expected = {f"mutate/_data/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
                for path in files_below(ROOT / folder)}
    assert expected
    shipped = {name: data for name, data in contents.items() if name.startswith(f"mutate/_data/{folder}/")}
    assert shipped == expected


def test_package_ships_code_and_data(contents: dict[str, bytes]) -> None:
    expected = {path.relative_to(ROOT).as_posix() for path in files_below(ROOT / "mutate")}
    shipped = {name for name in contents if name.startswith("mutate/") and not name.startswith("mutate/_data/")}
    assert shipped == expected
    assert "mutate/py.typed" in shipped
    assert "mutate/occupancy/data/sm_90.toml" in shipped


def test_nothing_else_ships(contents: dict[str, bytes]) -> None:
    tops = {name.split("/")[0] for name in contents}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"mutate"}
    assert not [name for name in contents if any(junk in name for junk in JUNK)]


def test_command_license_and_python_version(contents: dict[str, bytes], metadata: Message) -> None:
    entry_points, = (data.decode() for name, data in contents.items() if name.endswith("entry_points.txt"))
    assert "kmutate = mutate.cli.main:main" in entry_points
    assert any(name.endswith("licenses/LICENSE") for name in contents)
    assert metadata["Requires-Python"] == ">=3.11"


def test_cupy_is_asked_for_by_the_extra_gpu_only(metadata: Message) -> None:
    cupy = [line for line in metadata.get_all("Requires-Dist", []) if line.lower().startswith("cupy")]
    assert cupy
    assert all("extra == 'gpu'" in line.replace('"', "'") for line in cupy)


def test_nvidia_wheels_are_not_asked_for_on_macos(metadata: Message) -> None:
    nvidia = [line for line in metadata.get_all("Requires-Dist", []) if line.lower().startswith("nvidia-")]
    assert nvidia
    assert all("sys_platform != 'darwin'" in line.replace('"', "'") for line in nvidia)


def test_unpacked_wheel_finds_its_data(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = ("import sys; sys.path.insert(0, sys.argv[1])\n"
               "from mutate.resources import samples_dir, templates_dir\n"
               "print(samples_dir()); print(templates_dir())")
    run = subprocess.run([sys.executable, "-c", program, str(site)], cwd=elsewhere, capture_output=True, text=True,
                         check=True)
    assert [Path(line) for line in run.stdout.split("\n") if line] == [
        (site / "mutate" / "_data" / name).resolve() for name in ("samples", "templates")]

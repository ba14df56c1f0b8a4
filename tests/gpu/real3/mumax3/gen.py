"""Makes film.npz and box.npz: magnetisations, grains and a geometry, which launch declarations cannot make.

    python gen.py

film.npz, 512 x 512 x 4 cells: a lattice of skyrmions with thermal noise (mx, my, mz), a disk of it (dx, dy, dz; zero
outside), how much of each cell is in the disk (vol), regions. box.npz, 256 x 256 x 32 cells: a smooth texture like a
hopfion's with noise (mx, my, mz), regions.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PERIOD = 64  # of the lattice, in cells
RADIUS = 250  # of the disk, in cells


def coordinates(nx: int, ny: int, nz: int) -> np.ndarray:
    """z, y and x of the cells."""
    return np.mgrid[0:nz, 0:ny, 0:nx].astype(np.float32)


def normalised(vectors: np.ndarray) -> np.ndarray:
    vectors = vectors.astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=0)


def grains(rng: np.random.Generator, nx: int, ny: int, nz: int, count: int) -> np.ndarray:
    """Regions as a Voronoi tessellation of the plane, the same in every layer."""
    centers = rng.random((count, 2)) * (nx, ny)
    y, x = np.mgrid[0:ny, 0:nx]
    nearest = np.full((ny, nx), 1e9, np.float32)
    regions = np.zeros((ny, nx), np.uint8)
    for grain, (center_x, center_y) in enumerate(centers):
        distance = (x - center_x) ** 2 + (y - center_y) ** 2
        nearer = distance < nearest
        nearest[nearer] = distance[nearer]
        regions[nearer] = grain % 256
    return np.broadcast_to(regions, (nz, ny, nx)).copy()


def film(rng: np.random.Generator) -> dict[str, np.ndarray]:
    nx, ny, nz = 512, 512, 4
    _, y, x = coordinates(nx, ny, nz)
    wave_number = 2 * np.pi / PERIOD
    m = np.zeros((3, nz, ny, nx))
    for wave in range(3):
        cos, sin = np.cos(2 * np.pi * wave / 3), np.sin(2 * np.pi * wave / 3)
        phase = wave_number * (cos * x + sin * y)
        m[0] -= cos * np.sin(phase)
        m[1] -= sin * np.sin(phase)
        m[2] += np.cos(phase)
    m[2] += 0.4
    m = normalised(m + 0.1 * rng.standard_normal(m.shape))
    distance = np.hypot(x - nx / 2 + 0.5, y - ny / 2 + 0.5)
    volume = np.clip(RADIUS - distance + 0.5, 0, 1).astype(np.float32)
    disk = m * (volume > 0)
    return {
        **dict(zip(("mx", "my", "mz"), m, strict=True)),
        **dict(zip(("dx", "dy", "dz"), disk, strict=True)),
        "vol": volume,
        "regions": grains(rng, nx, ny, nz, 700),
    }


def box(rng: np.random.Generator) -> dict[str, np.ndarray]:
    nx, ny, nz = 256, 256, 32
    z, y, x = coordinates(nx, ny, nz)
    x, y, z = (x - 127.5) / 30, (y - 127.5) / 30, (z - 15.5) / 10
    square = x * x + y * y + z * z
    scale = (1 + square) ** 2
    texture = np.stack(
        [
            4 * (2 * x * z - y * (1 - square)) / scale,
            4 * (2 * y * z + x * (1 - square)) / scale,
            1 - 8 * (x * x + y * y) / scale,
        ]
    )
    m = normalised(texture + 0.05 * rng.standard_normal(texture.shape))
    return {**dict(zip(("mx", "my", "mz"), m, strict=True)), "regions": grains(rng, nx, ny, nz, 256)}


def main() -> None:
    rng = np.random.default_rng(1)
    np.savez(HERE / "film.npz", **film(rng))
    np.savez(HERE / "box.npz", **box(rng))


if __name__ == "__main__":
    main()

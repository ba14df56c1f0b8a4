"""Makes small.npz and large.npz: XSBench's nuclide grids, hash indices, materials and sampled materials.

    python gen.py

As in the project's GridInit.cu, Materials.cu and pick_mat: its generator of random numbers, and its order of draws.
large.npz has the 355 nuclides of -s large, but 1500 points for each (and no samples). Nuclide energies are rounded to
multiples of 2^-32 and cross sections to 2^-8, so that the files stay small.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

# The linear congruential generator, modulo 2^63.
MULTIPLIER, INCREMENT, MODULUS = 2806196910506780709, 1, 1 << 63
GRID_SEED, CONCENTRATION_SEED, SAMPLE_SEED = 42, 1070 * 1070, 1070

LOOKUPS = 1 << 20
# How probable each material is in a lookup.
PROBABILITIES = [0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.013]

# Nuclides of the materials.
FUEL = [58, 59, 60, 61, 40, 42, 43, 44, 45, 46, 1, 2, 3, 7, 8, 9, 10]
FUEL += [29, 57, 47, 48, 0, 62, 15, 33, 34, 52, 53, 54, 55, 56, 18, 23, 41]
MORE_FUEL = range(68, 355)  # of -s large
CLADDING = [63, 64, 65, 66, 67]
WATER = [24, 41, 4, 5]
VESSEL = [19, 20, 21, 22, 35, 36, 37, 38, 39, 25, 27, 28, 29, 30, 31, 32, 26, 49, 50, 51, 11, 12, 13, 14, 6, 16, 17]
REFLECTOR = [24, 41, 4, 5, 19, 20, 21, 22, 35, 36, 37, 38, 39, 25, 49, 50, 51, 11, 12, 13, 14]


def draws(seed: int, count: int) -> np.ndarray:
    """The first draws after a seed, in [0, 1)."""
    states = np.empty(count, np.uint64)
    states[0] = (MULTIPLIER * seed + INCREMENT) % MODULUS
    # Doubling: states[i + known] = multiplier * states[i] + increment, which make that many steps at once.
    known, multiplier, increment = 1, MULTIPLIER, INCREMENT
    while known < count:
        more = min(known, count - known)
        next_states = states[:more] * np.uint64(multiplier) + np.uint64(increment)
        states[known : known + more] = next_states & np.uint64(MODULUS - 1)
        increment = (multiplier * increment + increment) % MODULUS
        multiplier = multiplier * multiplier % MODULUS
        known *= 2
    return states.astype(np.float64) / float(MODULUS)


def nuclide_grid(nuclides: int, points: int) -> np.ndarray:
    """Nuclides x points x (energy, five cross sections), by energy."""
    grid = draws(GRID_SEED, nuclides * points * 6).reshape(nuclides, points, 6)
    order = np.argsort(grid[:, :, 0], axis=1, kind="stable")
    grid = np.take_along_axis(grid, order[:, :, None], 1)
    grid[:, :, 0] = np.round(grid[:, :, 0] * 2**32) / 2**32
    grid[:, :, 1:] = np.floor(grid[:, :, 1:] * 256) / 256
    return grid


def hash_index(grid: np.ndarray, bins: int) -> np.ndarray:
    """Bins of energy x nuclides: the point of the nuclide at or below the bin's energy."""
    nuclides, points, _ = grid.shape
    energies = np.arange(bins) * (1.0 / bins)
    index = np.empty((bins, nuclides), np.int32)
    for nuclide in range(nuclides):
        found = np.searchsorted(grid[nuclide, :, 0], energies, side="right") - 1
        index[:, nuclide] = np.clip(found, 0, points - 2)
    return index


def materials(more_fuel: range | None = None) -> dict[str, np.ndarray]:
    """The nuclides of the twelve materials and their concentrations, with the rows filled up by zeros."""
    fuel = [*FUEL, *(more_fuel or ())]
    nuclides = [fuel, CLADDING, WATER, WATER, VESSEL, *[REFLECTOR] * 5, *[WATER + CLADDING] * 2]
    counts = np.array([len(row) for row in nuclides], np.int32)
    table = np.zeros((len(nuclides), counts.max()), np.int32)
    concentrations = np.zeros(table.shape)
    values = draws(CONCENTRATION_SEED, int(counts.sum()))
    used = 0
    for material, row in enumerate(nuclides):
        table[material, : len(row)] = row
        concentrations[material, : len(row)] = values[used : used + len(row)]
        used += len(row)
    return {"num_nucs": counts, "mats": table, "concs": concentrations}


def sampled_materials() -> np.ndarray:
    """What sampling_kernel picks: it adds up the probabilities but the first one, and falls back to material 0."""
    rolls = draws(SAMPLE_SEED, 2 * LOOKUPS).reshape(LOOKUPS, 2)[:, 1]  # the first draw of a lookup is its energy
    sums = np.cumsum([0, *PROBABILITIES[1:]])
    samples = np.searchsorted(sums, rolls, side="right")
    samples[samples == len(PROBABILITIES)] = 0
    return samples.astype(np.int32)


def main() -> None:
    samples = sampled_materials()
    print("lookups per material:", np.bincount(samples))
    grid = nuclide_grid(68, 11303)
    np.savez_compressed(
        HERE / "small.npz",
        nuclide_grid=grid,
        hash_index=hash_index(grid, 10000),
        mat_samples=samples,
        **materials(),
    )
    grid = nuclide_grid(355, 1500)
    np.savez_compressed(
        HERE / "large.npz",
        nuclide_grid=grid,
        hash_index=hash_index(grid, 1500),
        **materials(MORE_FUEL),
    )


if __name__ == "__main__":
    main()

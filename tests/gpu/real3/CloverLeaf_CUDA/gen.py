"""Makes state.npz: fields of CloverLeaf's bm deck (960 x 960 cells) after some steps of the project's own C kernels.

    python gen.py FOLDER [STEPS]

FOLDER is the project's, with its *_kernel_c.c; gcc builds them in a temporary folder. STEPS (601) is odd: such a step
sweeps along x first. The fields nf_y, post_y, pre_y, vel1_y are from the next step, which sweeps along y first. Values
are rounded to float32 (and stored as float64) so that the file stays small.
"""

import argparse
import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np

CELLS = 960
SIZE = 10.0
BOUNDS = (1, CELLS, 1, CELLS)
X, Y = 1, 2  # directions, and the numbers of the velocities
RECTANGLE, CIRCLE, POINT = 1, 2, 3
INITIAL_DT = MAX_DT = 0.04
DT_RISE = 1.5

CELL_FIELDS = "volume soundspeed pressure viscosity density0 density1 energy0 energy1"
VERTEX_FIELDS = "xvel0 xvel1 yvel0 yvel1 work1 work2 work3 work4 work5 work6 work7"
X_FACE_FIELDS = "xarea vol_flux_x mass_flux_x"
Y_FACE_FIELDS = "yarea vol_flux_y mass_flux_y"
LINES = "vertexx vertexdx vertexy vertexdy cellx celldx celly celldy"
HALO_FIELDS = (
    "density0 energy0 pressure viscosity soundspeed density1 energy1 xvel0 yvel0 xvel1 yvel1 "
    "vol_flux_x vol_flux_y mass_flux_x mass_flux_y"
)


def build(project: Path, folder: Path) -> ctypes.CDLL:
    library = folder / "libclover.so"
    sources = sorted(source for source in project.glob("*_kernel_c.c") if source.name != "pack_kernel_c.c")
    if not sources:
        raise SystemExit(f"no *_kernel_c.c in {project}")
    subprocess.run(["gcc", "-O3", "-fPIC", "-shared", "-o", library, *sources, "-lm"], check=True)
    return ctypes.CDLL(str(library))


class Chunk:
    """The fields of the whole mesh, and the kernels on them."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.fields: dict[str, np.ndarray] = {}
        for names, more_y, more_x in (
            (CELL_FIELDS, 0, 0),
            (VERTEX_FIELDS, 1, 1),
            (X_FACE_FIELDS, 0, 1),
            (Y_FACE_FIELDS, 1, 0),
        ):
            for name in names.split():
                self.fields[name] = np.zeros((CELLS + 4 + more_y, CELLS + 4 + more_x))
        for name in LINES.split():
            self.fields[name] = np.zeros(CELLS + 8)
        self.initialise()

    def __getitem__(self, name: str) -> np.ndarray:
        return self.fields[name]

    def call(self, kernel: str, *arguments) -> None:
        """Calls a kernel. A string stands for the fields it names; everything goes by address, as in Fortran."""
        addresses = []
        for argument in arguments:
            if isinstance(argument, str):
                addresses += [ctypes.c_void_p(self[name].ctypes.data) for name in argument.split()]
            elif isinstance(argument, np.ndarray):
                addresses.append(ctypes.c_void_p(argument.ctypes.data))
            elif isinstance(argument, float):
                addresses.append(ctypes.byref(ctypes.c_double(argument)))
            elif isinstance(argument, int):
                addresses.append(ctypes.byref(ctypes.c_int(argument)))
            else:
                addresses.append(ctypes.byref(argument))
        self.library[f"{kernel}_kernel_c_"](*addresses)

    def initialise(self) -> None:
        """The mesh and the two states of the deck: all of it, and a rectangle of 5 x 2 at the origin."""
        width = SIZE / CELLS
        self.call("initialise_chunk", *BOUNDS, 0.0, 0.0, width, width, LINES, "volume xarea yarea")
        density, energy, xvel, yvel = [0.2, 1], [1, 2.5], [0, 0], [0, 0]
        xmin, xmax, ymin, ymax, radius = [0, 0], [0, 5], [0, 0], [0, 2], [0, 0]
        states = (density, energy, xvel, yvel, xmin, xmax, ymin, ymax, radius)
        self.call(
            "generate_chunk",
            *BOUNDS,
            "vertexx vertexy cellx celly density0 energy0 xvel0 yvel0",
            len(density),
            *(np.array(state, float) for state in states),
            np.array([RECTANGLE, RECTANGLE], np.int32),
            RECTANGLE,
            CIRCLE,
            POINT,
        )

    def update_halo(self) -> None:
        no_neighbours = np.full(4, -1, np.int32)
        every_field = np.ones(len(HALO_FIELDS.split()), np.int32)
        edges = (1, 1, CELLS, CELLS)
        self.call("update_halo", *BOUNDS, *edges, *edges, no_neighbours, HALO_FIELDS, every_field, 2)

    def ideal_gas(self, density: str, energy: str) -> None:
        self.call("ideal_gas", *BOUNDS, density, energy, "pressure soundspeed")

    def time_step(self, last: float) -> float:
        smallest = ctypes.c_double()
        control, column, row, small = (ctypes.c_int() for _ in range(4))
        x, y = ctypes.c_double(), ctypes.c_double()
        self.call(
            "calc_dt",
            *BOUNDS,
            *(1e-16, 1e21, 1e-7),  # small, big, the least time step
            *(0.7, 0.5, 0.5, 0.7),  # safety factors: sound, x velocity, y velocity, divergence
            "xarea yarea cellx celly celldx celldy volume density0 energy0 pressure viscosity soundspeed",
            "xvel0 yvel0 work1",
            *(smallest, control, x, y, column, row, small),
        )
        return min(smallest.value, last * DT_RISE, MAX_DT)

    def pdv(self, predict: int, dt: float) -> None:
        self.call(
            "pdv",
            predict,
            *BOUNDS,
            dt,
            "xarea yarea volume density0 density1 energy0 energy1 pressure viscosity xvel0 xvel1 yvel0 yvel1 work1",
        )

    def advec_cell(self, direction: int, sweep: int) -> None:
        self.call(
            "advec_cell",
            *BOUNDS,
            direction,
            sweep,
            1,
            "vertexdx vertexdy volume density1 energy1 mass_flux_x vol_flux_x mass_flux_y vol_flux_y",
            "work1 work2 work3 work4 work5 work6 work7",
        )

    def advec_mom(self, velocity: int, sweep: int, direction: int) -> None:
        self.call(
            "advec_mom",
            *BOUNDS,
            "xvel1 yvel1 mass_flux_x vol_flux_x mass_flux_y vol_flux_y volume density1",
            "work1 work2 work3 work4 work5 work6 work7 celldx celldy",
            velocity,
            sweep,
            direction,
            1,
        )

    def momentum(self, direction: int) -> dict[str, np.ndarray]:
        """What advec_mom makes before it moves momentum in the first sweep: fluxes and masses at the vertices."""
        volume, flux_x, flux_y = self["volume"], self["vol_flux_x"], self["vol_flux_y"]
        after_x, after_y = volume + flux_y[1:] - flux_y[:-1], volume + flux_x[:, 1:] - flux_x[:, :-1]
        mass = self["density1"] * (after_x if direction == X else after_y)
        post = np.zeros_like(self["xvel1"])
        post[1:-1, 1:-1] = 0.25 * (mass[1:, 1:] + mass[1:, :-1] + mass[:-1, 1:] + mass[:-1, :-1])
        node_flux = np.zeros_like(post)
        pre = post.copy()
        if direction == X:
            flux = self["mass_flux_x"]
            node_flux[1:-1, :-1] = 0.25 * (flux[1:, :-1] + flux[:-1, :-1] + flux[1:, 1:] + flux[:-1, 1:])
            pre[:, 1:] += node_flux[:, 1:] - node_flux[:, :-1]
            return {"nf_x": node_flux, "post_x": post, "pre_x": pre, "vel1_x": self["xvel1"]}
        flux = self["mass_flux_y"]
        node_flux[:-1, 1:-1] = 0.25 * (flux[:-1, 1:] + flux[:-1, :-1] + flux[1:, 1:] + flux[1:, :-1])
        pre[1:] += node_flux[1:] - node_flux[:-1]
        return {"nf_y": node_flux, "post_y": post, "pre_y": pre, "vel1_y": self["yvel1"]}


def simulate(chunk: Chunk, steps: int) -> dict[str, np.ndarray]:
    saved: dict[str, np.ndarray] = {}

    def save(fields: dict[str, np.ndarray]) -> None:
        saved.update({name: field.astype(np.float32).astype(np.float64) for name, field in fields.items()})

    dt, time = INITIAL_DT, 0.0
    for step in range(1, steps + 2):
        chunk.ideal_gas("density0", "energy0")
        chunk.update_halo()
        chunk.call("viscosity", *BOUNDS, "celldx celldy density0 pressure viscosity xvel0 yvel0")
        chunk.update_halo()
        if step == steps:
            save({name: chunk[name] for name in ("density0", "pressure", "xvel0", "yvel0")})
        dt = chunk.time_step(dt)
        time += dt
        chunk.pdv(1, dt)
        chunk.ideal_gas("density1", "energy1")
        chunk.update_halo()
        chunk.call("revert", *BOUNDS, "density0 density1 energy0 energy1")
        chunk.call(
            "accelerate",
            *BOUNDS,
            dt,
            "xarea yarea volume density0 pressure viscosity xvel0 yvel0 xvel1 yvel1 work1",
        )
        chunk.pdv(0, dt)
        chunk.call("flux_calc", *BOUNDS, dt, "xarea yarea xvel0 yvel0 xvel1 yvel1 vol_flux_x vol_flux_y")
        first, second = (X, Y) if step % 2 else (Y, X)
        chunk.update_halo()
        if step == steps:
            flux_x, flux_y = chunk["vol_flux_x"], chunk["vol_flux_y"]
            pre_volume = chunk["volume"] + flux_x[:, 1:] - flux_x[:, :-1] + flux_y[1:] - flux_y[:-1]
            save({"vol_flux_x": flux_x, "vol_flux_y": flux_y, "pre_vol": np.pad(pre_volume, ((0, 1), (0, 1)))})
            save({name: chunk[name] for name in ("density1", "energy1")})
        chunk.advec_cell(first, 1)
        chunk.update_halo()
        if step >= steps:
            save(chunk.momentum(first))
        chunk.advec_mom(X, 1, first)
        chunk.advec_mom(Y, 1, first)
        chunk.advec_cell(second, 2)
        chunk.update_halo()
        chunk.advec_mom(X, 2, second)
        chunk.advec_mom(Y, 2, second)
        chunk.call("reset_field", *BOUNDS, "density0 density1 energy0 energy1 xvel0 xvel1 yvel0 yvel1")
        if step % 50 == 0 or step == steps:
            print(f"step {step}: time {time:.4f}, dt {dt:.6f}", flush=True)
    return saved


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes state.npz.")
    parser.add_argument("folder", type=Path, help="the project's folder")
    parser.add_argument("steps", type=int, nargs="?", default=601, help="an odd number (601)")
    arguments = parser.parse_args()
    if arguments.steps < 1 or arguments.steps % 2 == 0:
        parser.error("STEPS is an odd number")
    with tempfile.TemporaryDirectory() as temporary:
        state = simulate(Chunk(build(arguments.folder, Path(temporary))), arguments.steps)
    for name, field in state.items():
        print(name, field.shape, field.min(), field.max())
    np.savez_compressed(Path(__file__).parent / "state.npz", **state)


if __name__ == "__main__":
    main()

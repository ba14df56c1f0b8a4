"""Makes the data of Kaldi's kernels: the .npz, .npy and .bin files of this folder.

    python gen.py

chain_fwd_trans.bin, chain_bwd_trans.bin, chain_ptr.npz: transitions of a denominator graph, out of each state and into
it, and where those of each state begin and end; chain_ab.npz: its alphas and betas; select_rows.npz: row pointers of a
sparse matrix and rows selected from it; col_ranges.npy, row_ranges.npy: ranges to sum; elements.bin: supervision.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

PHONES, PDFS, SEQUENCES = 160, 3000, 128
HISTORIES = 6000  # of two phones
ENTRY_PDFS = 2200
TRANSITION = np.dtype([("prob", "<f4"), ("pdf", "<i4"), ("state", "<i4")])
FRAMES = 6400
ELEMENT = np.dtype([("row", "<i4"), ("column", "<i4"), ("weight", "<f4")])


def entry_pdf(left: int, phone: int) -> int:
    """Tied over the left phone and the phone."""
    return (left * 7919 + phone * 104729) % ENTRY_PDFS


def loop_pdf(left: int, phone: int) -> int:
    return ENTRY_PDFS + (left // 8 * 31 + phone * 17) % (PDFS - ENTRY_PDFS)


class Graph:
    """A phone 3-gram as a denominator graph.

    One HMM state for each history of the language model: its last phone loops there, arcs enter the next phone.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        unigram = rng.dirichlet(np.full(PHONES, 0.4))
        common = 0.7 * unigram + 0.3 / PHONES
        pairs: set[tuple[int, int]] = set()
        while len(pairs) < HISTORIES:
            left, phone = rng.choice(PHONES, p=common), rng.choice(PHONES, p=common)
            pairs.add((int(left), int(phone)))
        histories = [(-1, phone) for phone in range(PHONES)] + sorted(pairs)
        ids = {history: state for state, history in enumerate(histories)}
        arcs: list[tuple[int, int, int, float]] = []
        for state, (left, phone) in enumerate(histories):
            count = int(min(60, max(2, rng.pareto(1.3) * 4))) if left >= 0 else int(rng.integers(20, 80))
            followers = rng.choice(PHONES, size=count, replace=False, p=0.8 * unigram + 0.2 / PHONES)
            probs = rng.dirichlet(np.full(count, 0.7)) * 0.5
            arcs.append((state, state, loop_pdf(left % PHONES, phone), 0.5))
            for follower, prob in zip(followers.tolist(), probs, strict=True):
                target = ids.get((phone, follower), follower)
                arcs.append((state, target, entry_pdf(phone, follower), prob))
        self.states = len(histories)
        source, target, pdf, prob = zip(*arcs, strict=True)
        self.source, self.target, self.pdf = (np.array(column, np.int32) for column in (source, target, pdf))
        self.prob = np.array(prob, np.float32)

    def table(self, key: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The transitions by one of their states, and where those of each state begin and end."""
        order = np.argsort(key, kind="stable")
        transitions = np.empty(len(order), TRANSITION)
        transitions["prob"], transitions["pdf"], transitions["state"] = self.prob[order], self.pdf[order], other[order]
        begins = np.searchsorted(key[order], np.arange(self.states + 1)).astype(np.int32)
        return transitions, np.stack([begins[:-1], begins[1:]], 1).copy()


def step(values: np.ndarray, transitions: np.ndarray, ranges: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """One frame of the recursion, on states x sequences."""
    terms = values[transitions["state"]] * transitions["prob"][:, None] * outputs[transitions["pdf"]]
    sums = np.vstack([np.zeros((1, SEQUENCES)), np.cumsum(terms, 0, dtype=np.float64)])
    return sums[ranges[:, 1]] - sums[ranges[:, 0]]


def chain(rng: np.random.Generator) -> None:
    graph = Graph(rng)
    into, into_ranges = graph.table(graph.target, graph.source)
    out_of, out_of_ranges = graph.table(graph.source, graph.target)
    out_of.tofile(HERE / "chain_fwd_trans.bin")
    into.tofile(HERE / "chain_bwd_trans.bin")
    np.savez(HERE / "chain_ptr.npz", fwd=out_of_ranges, bwd=into_ranges)
    print("states", graph.states, "transitions", len(into))
    alpha = np.full((graph.states, SEQUENCES), 1 / graph.states)
    for _ in range(12):
        alpha = step(alpha, into, into_ranges, np.exp(rng.normal(0, 2.0, (PDFS, SEQUENCES))))
        alpha /= alpha.sum(0)
    beta = np.ones((graph.states, SEQUENCES))
    for _ in range(12):
        beta = step(beta, out_of, out_of_ranges, np.exp(rng.normal(0, 2.0, (PDFS, SEQUENCES))))
        beta /= beta.mean(0)
    beta /= (alpha * beta).sum(0)
    alpha_and_sums = np.vstack([alpha * 0.9, np.ones((1, SEQUENCES)) * 0.9])
    np.savez(HERE / "chain_ab.npz", alpha=alpha_and_sums.astype(np.float32), beta=beta.astype(np.float32))


def select_rows(rng: np.random.Generator) -> None:
    """Word features of an RNNLM (a sparse matrix), and the rows of sampled words."""
    rows = 100000
    pointers = np.concatenate([[0], np.cumsum(np.minimum(40, rng.poisson(14, rows) + 2))]).astype(np.int32)
    selected = np.sort(rng.choice(rows, 40000, replace=False)).astype(np.int32)
    lengths = pointers[selected + 1] - pointers[selected]
    selected_pointers = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    np.savez(HERE / "select_rows.npz", ptr=pointers, sel=selected, optr=selected_pointers)
    print("elements", pointers[-1], "of them selected", selected_pointers[-1])


def column_ranges(rng: np.random.Generator) -> None:
    """Mixtures of one to six components."""
    ends = np.concatenate([[0], np.cumsum(rng.integers(1, 7, 4000))]).astype(np.int32)
    np.save(HERE / "col_ranges.npy", np.stack([ends[:-1], ends[1:]], 1).copy())
    print("columns", ends[-1])


def row_ranges() -> None:
    """Windows of 2 x 50 frames for statistics, at every tenth frame of 64 sequences of 200 frames."""
    ranges = [
        (sequence * 200 + max(0, frame - 50), sequence * 200 + min(200, frame + 50))
        for sequence in range(64)
        for frame in range(0, 200, 10)
    ]
    np.save(HERE / "row_ranges.npy", np.array(ranges, np.int32))
    print("row ranges", len(ranges))


def supervision(rng: np.random.Generator) -> None:
    """One label or two with weights for each frame."""
    elements: list[tuple[int, int, float]] = []
    for frame in range(FRAMES):
        if rng.random() < 0.8:
            elements.append((frame, rng.integers(PDFS), 1.0))
        else:
            first, second = rng.choice(PDFS, 2, replace=False)
            weight = rng.uniform(0.1, 0.9)
            elements += [(frame, first, weight), (frame, second, 1 - weight)]
    np.array(elements, ELEMENT).tofile(HERE / "elements.bin")
    print("supervision elements", len(elements))


def main() -> None:
    rng = np.random.default_rng(1)
    chain(rng)
    select_rows(rng)
    column_ranges(rng)
    row_ranges()
    supervision(rng)


if __name__ == "__main__":
    main()

"""Makes data.npz: data of Caffe's layers with a structure that launch declarations cannot make.

    python gen.py

mask: of a max pooling; voc, camvid, scores: labels of images and scores of classes; words: captions; perm, top_indexes,
begins, counts: of a batch reindex.
"""

from pathlib import Path

import numpy as np

IMAGES, ROWS, COLUMNS = 8, 500, 500  # of Pascal VOC: 21 classes and "ignore"
VOC_CLASSES, VOC_IGNORE = 21, 255
CAMVID_ROWS, CAMVID_COLUMNS, CAMVID_CLASSES = 360, 480, 12
WORDS = 8801
BATCH = 256


def pooling_mask(rng: np.random.Generator) -> np.ndarray:
    """Of AlexNet's pool5 (13 x 13 to 6 x 6 by 3 x 3, stride 2), a batch of 128 with 256 channels, after a ReLU."""
    planes, size, pooled = 128 * 256, 13, 6
    bottom = rng.standard_normal((planes, size, size), dtype=np.float32)
    bottom[bottom < 0] = 0
    best = np.full((planes, pooled, pooled), -np.inf, np.float32)
    mask = np.zeros(best.shape, np.int32)
    pooled_row, pooled_column = np.meshgrid(np.arange(pooled), np.arange(pooled), indexing="ij")
    for i in range(3):
        for j in range(3):
            row, column = pooled_row * 2 + i, pooled_column * 2 + j
            value = bottom[:, row, column]
            better = value > best
            best = np.where(better, value, best)
            mask = np.where(better, (row * size + column)[None].astype(np.int32), mask)
    return mask


def labels(
    rng: np.random.Generator, rows: int, columns: int, classes: int, ignore: int | None, things: int
) -> np.ndarray:
    """An image of class 0 with ellipses of other classes, and around each a border to ignore."""
    y, x = np.mgrid[:rows, :columns]
    image = np.zeros((rows, columns), np.float32)
    for _ in range(things):
        center_y, center_x = rng.uniform(0, rows), rng.uniform(0, columns)
        radius_y, radius_x = rng.uniform(rows / 20, rows / 4), rng.uniform(columns / 20, columns / 4)
        distance = ((y - center_y) / radius_y) ** 2 + ((x - center_x) / radius_x) ** 2
        thing = rng.integers(0, classes)
        if ignore is not None:
            image[distance <= 1.12] = ignore
        image[distance <= 1] = thing
    return image


def class_scores(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Scores in steps of 1/16; the true class is the best one of most pixels."""
    scores = rng.standard_normal((CAMVID_CLASSES, *image.shape))
    truth = image.astype(int)[None]
    np.put_along_axis(scores, truth, np.take_along_axis(scores, truth, 0) + 3.0, 0)
    return (np.round(scores * 16) / 16).astype(np.float32)


def caption_words(rng: np.random.Generator) -> np.ndarray:
    """100 captions of 20 words each, by Zipf's law."""
    weights = 1 / np.arange(1, WORDS + 1)
    return rng.choice(WORDS, 2000, p=weights / weights.sum()).astype(np.float32)


def batch_reindex(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Rows drawn out of a batch, and where each one went, as BatchReindexLayer::Backward_gpu makes it."""
    perm = rng.integers(0, BATCH, BATCH)
    top_indexes = np.argsort(perm, kind="stable")
    counts = np.bincount(perm, minlength=BATCH)
    begins = np.full(BATCH, -1)
    for place, top in enumerate(top_indexes):
        if begins[perm[top]] == -1:
            begins[perm[top]] = place
    lists = {"perm": perm, "top_indexes": top_indexes, "begins": begins, "counts": counts}
    return {name: values.astype(np.float32) for name, values in lists.items()}


def main() -> None:
    rng = np.random.default_rng(1)
    mask = pooling_mask(rng)
    voc = np.stack([labels(rng, ROWS, COLUMNS, VOC_CLASSES, VOC_IGNORE, 8) for _ in range(IMAGES)])
    camvid = labels(rng, CAMVID_ROWS, CAMVID_COLUMNS, CAMVID_CLASSES, None, 40)
    scores = class_scores(rng, camvid)
    words = caption_words(rng)
    np.savez_compressed(
        Path(__file__).parent / "data.npz",
        mask=mask.ravel(),
        voc=voc.ravel(),
        camvid=camvid.ravel(),
        scores=scores.ravel(),
        words=words,
        **batch_reindex(rng),
    )


if __name__ == "__main__":
    main()

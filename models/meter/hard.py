"""Hard negatives for all three networks: what the locator takes for a counter, and dates printed by cameras.

python hard.py [--folder runs/x] caches them with the exported networks of that folder.
"""

import argparse
from pathlib import Path

import cv2

import augment
from data import CACHE, HERE, MAX_SIDE, BankWriter, face_pictures
from picture import read_picture, shrink
from pipeline import Reader
from stamps import stamped

QUADS = 2  # best candidates per picture
STAMPED_EVERY = 4


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=HERE)
    parser.add_argument("--count", type=int, default=900)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader = Reader(args.folder)
    writer = BankWriter(CACHE / "hard")
    augment.seed(11)
    for number, path in enumerate(face_pictures(evaluation=False)[: args.count]):
        image = shrink(read_picture(path), MAX_SIDE)
        if number % STAMPED_EVERY == 0:
            image, quad = stamped(image)
            writer.add(image, source="hard", name=path.name, quad=quad)
            continue
        corners, _, _ = reader.refine(image, [q for q, _ in reader.locate(image)])
        for i, quad in enumerate(corners[:QUADS]):
            writer.add(image if i == 0 else None, source="hard", name=path.name, quad=quad)
    writer.close()
    print(f"{len(writer.index)} quads")
